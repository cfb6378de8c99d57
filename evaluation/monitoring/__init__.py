"""Monitor how this site is used and answers, day by day, and whether that changes.

`services.py` writes daily figures and alerts. Drift is `drift.py` and `stability.py`; one page for
all, with the topics without a guideline, `quality.py`; the arms of an experiment `experiments.py`.
"""
