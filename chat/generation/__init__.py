"""Write claims from evidence: the `Generator` protocol and its adapters.

To add a generator: a case in `configured.py`, tests in `tests/chat/`.
"""
