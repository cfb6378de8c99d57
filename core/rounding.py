"""Digits of a model's scores that orders and thresholds are decided on.

Processors compute one model alike but for the last digits. A score is rounded where it is first
compared, and ties are broken by key, so that what is equal stays equal. What lies beside the edge
of a digit may still fall on either side of it.
"""

from __future__ import annotations

COSINE_DIGITS = 3
LOGIT_DIGITS = 2
SUM_DIGITS = 9  # of sums and products of numbers that are rounded or exact


def rounded_cosine(value: float | None) -> float:
    """Of one that the database gave; 0 for none."""
    return round(value or 0.0, COSINE_DIGITS)


def cosine_sql(distance: str) -> str:
    """Return the expression of a cosine, of that of pgvector's distance."""
    return f"round((1 - ({distance}))::numeric, {COSINE_DIGITS})::float8"
