"""Find documents of this site on a list of retracted publications.

`listing.py` reads the list; `services.py` writes checks and alerts.
"""
