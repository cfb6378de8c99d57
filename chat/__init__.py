"""Answer a question or refuse; store, show and log the result.

`ask.py` is the way of a question from top to bottom, `services.py` writes turns. `selectors.py`
decides who sees which turn, `rights.py` what of it. Searching is `retrieval`'s, documents are
`corpus`'s.
"""
