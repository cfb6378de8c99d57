"""Monitor how this site is used and answers, day by day, and whether that changes.

`services.py` writes daily figures and alerts. Drift is `drift.py` and `stability.py`; topics
without a guideline `topics.py`; one page for all `quality.py`; the arms of an experiment
`experiments.py`.
"""
