"""Which encoders are searched, and how texts become vectors, in batches.

To add a program: `backends/`, `registry.py`, a key of its table in `specs.py`, tests in
`tests/corpus/encoders/`.
"""
