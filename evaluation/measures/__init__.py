"""Measure answered questions: by their claims, by RAGAS, by what was refused.

Questions and answers are passed as plain values; stored runs are unknown here.

To add a measure: a formula in `evaluation/metrics/claims.py`, its entry in `CLAIM_MEASURES`, a row
of `docs/evaluating.md`, tests in `tests/evaluation/measures/`. Without a judge: a table like that
of `concepts.py`, its call in `measure.py`, its case in `_judged` of
`evaluation/question_runs/gating.py`. Further input from the answer goes through the modules items,
types and measuring of that package to `types.py` here. RAGAS (`ragas_library.py`) is imported late.
"""
