"""Ask question sets over the site's own corpus, item by item, and store each result.

`services.py` writes runs and results; `leases.py`, scoring, `result_card.py`, comparison,
`gating.py` (rules of a release) and export are around it.
"""
