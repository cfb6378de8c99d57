"""Add what an answer leaves out: limits, conflicting guidelines, whom it is for.

A caveat warns, or refuses where a setting says block. To add one: a module here, its code in
`cautions.py`, its call in `chat/pipeline/caveats.py`, tests in `tests/chat/caveats/`.
"""
