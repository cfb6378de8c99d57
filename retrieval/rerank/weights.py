"""Weigh authority and recency with relevance. Pure.

    score = (1 - wa - wr) * relevance + wa * authority + wr * recency

All parts are in [0, 1] and the weights come from the configuration. The sum is convex: a weight of
0.1 moves no passage by more than a tenth of the distance between the best and worst candidate.
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
    """Return the weighted score; the weights of authority and recency sum to less than 1."""
    of_authority, of_recency = weights
    own = 1.0 - of_authority - of_recency
    return own * relevance + of_authority * authority + of_recency * recency


def authority_of(authority: str) -> float:
    """Return 1 for national guidance, 0 for local or unknown."""
    return AUTHORITY.get(authority, 0.0)


def recency_of(year: int | None, *, today: int) -> float:
    """Return 1 for the year `today` or later, halved every `HALF_LIFE_YEARS` before."""
    if year is None:
        return UNKNOWN_YEAR
    return float(0.5 ** (max(0, today - year) / HALF_LIFE_YEARS))


def within_candidates(scores: Sequence[float]) -> list[float]:
    """Scale scores to [0, 1] by minimum and maximum; all 1 where they are equal."""
    if not scores:
        return []
    low, width = min(scores), max(scores) - min(scores)
    return [(score - low) / width if width else 1.0 for score in scores]
