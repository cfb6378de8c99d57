"""Documents and everything derived from their bytes, up to vectors and statements.

Only `services/` writes. Reads for other apps are in `selectors.py`, those for staff in
`staff_selectors.py`, rights in `access.py`, bytes by their hash in `files.py`. Where the figures
and flow charts of a page are: `figures.py`. Searching is `retrieval`'s.
"""
