"""Read clinical English. Pure.

To add a rule about questions: here or in `retrieval/analysis/`, a field of
`retrieval.types.Analysis`, tests in `tests/core/language/`.
"""
