"""Watch folders, addresses and libraries, and make drafts of what is new there.

To add a kind of source: its keys in `specs.py`, a module beside `folder.py`, its case in `_Look` of
`looking.py`, which alone writes looks. Files given by hand come through `corpus/intake/`.
"""
