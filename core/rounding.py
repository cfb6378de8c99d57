"""Round model scores before they decide orders and thresholds.

Processors compute the same model with different last digits. A score is rounded where it is first
compared and ties are broken by key, so that equal scores stay equal. A score right at the edge of a
digit may still be rounded either way.
"""

from __future__ import annotations

COSINE_DIGITS = 3
LOGIT_DIGITS = 2
SUM_DIGITS = 9  # of sums and products of numbers that are rounded or exact


def rounded_cosine(value: float | None) -> float:
    """Round a cosine from the database; 0 for none."""
    return round(value or 0.0, COSINE_DIGITS)


def cosine_sql(distance: str) -> str:
    """Return SQL for the rounded cosine, given pgvector's distance."""
    return f"round((1 - ({distance}))::numeric, {COSINE_DIGITS})::float8"
