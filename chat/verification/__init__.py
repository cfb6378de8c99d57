"""Check each claim against the spans that it cites; a claim that fails one check is dropped.

`verify.py` goes through the checks; those of facts are in `chat/checks/claims.py`.
"""
