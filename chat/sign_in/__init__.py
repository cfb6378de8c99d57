"""Sign people and programs in and out: passwords, second factor, OpenID Connect, tokens.

Sessions, lockouts, rates of tokens, accounts and what the hospital's directory creates and closes
are here too; what an account may see is not (`chat/selectors.py`, `corpus/access.py`).
"""
