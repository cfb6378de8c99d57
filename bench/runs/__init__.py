"""Run a retrieval in a database of its own, and compute its metrics.

To add a metric of retrieval: `metrics.py`, tests in `tests/bench/runs/`.
"""
