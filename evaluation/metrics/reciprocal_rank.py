from __future__ import annotations

from collections.abc import Sequence


def reciprocal_rank(ranking: Sequence[str], relevant: frozenset[str]) -> float:
    """Return 1 / rank of the first relevant document, 0 where none is; `recip_rank` of
    trec_eval.
    """
    return next((1 / rank for rank, d in enumerate(ranking, start=1) if d in relevant), 0.0)
