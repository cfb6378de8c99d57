"""Jobs, rows, search vectors, statistics, and the recipe that fingerprints what decides them.

To add a step: `corpus/services/indexing.py`, tests in `tests/corpus/indexing/`.
"""
