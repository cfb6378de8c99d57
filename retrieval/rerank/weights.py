"""How much who issued a guideline, and when, weighs beside what it says. Pure.

    score = (1 - wa - wr) * relevance + wa * authority + wr * recency

with the weights of the configuration and every part in [0, 1]: a convex sum, so that a weight of
0.1 moves nothing by more than a tenth of the distance between the best and the worst candidate.
"""

from __future__ import annotations

from collections.abc import Sequence

AUTHORITY = {"national": 1.0, "trust": 0.5, "local": 0.0}  # of `corpus.models.Authority`

# Half of the guidelines of a national agency were out of date after 5.8 years (Shekelle et al.,
# JAMA 2001;286:1461-7).
HALF_LIFE_YEARS = 5.8
UNKNOWN_YEAR = 0.5  # speaks neither for a passage nor against it


def weighed(
    relevance: float, authority: float, recency: float, *, weights: tuple[float, float]
) -> float:
    """Return the formula above; `weights` are those of authority and recency, together below 1."""
    of_authority, of_recency = weights
    own = 1.0 - of_authority - of_recency
    return own * relevance + of_authority * authority + of_recency * recency


def authority_of(authority: str) -> float:
    """Return 1 for national guidance, 0 for local and for what is not known."""
    return AUTHORITY.get(authority, 0.0)


def recency_of(year: int | None, *, today: int) -> float:
    """Return 1 in the year `today` and after, halved every `HALF_LIFE_YEARS` before it."""
    if year is None:
        return UNKNOWN_YEAR
    return float(0.5 ** (max(0, today - year) / HALF_LIFE_YEARS))


def within_candidates(scores: Sequence[float]) -> list[float]:
    """Return scores brought to [0, 1]: the worst of them 0, the best 1; all 1 where they are the
    same.
    """
    if not scores:
        return []
    low, width = min(scores), max(scores) - min(scores)
    return [(score - low) / width if width else 1.0 for score in scores]
