"""Compare what is asked, and of whom, with what a statement says: one row of a table each.

`chat/pipeline/check_table.py` names every check, where it acts and why. Models choose and judge;
checks only leave out, reorder, stop, refuse or tell, and each can be switched off to measure what
it is worth (`manage.py evaluate checks`).

`agreement.py` leaves statements out before they are read (`patients.py`: those for other people),
`claims.py` stops claims.
"""
