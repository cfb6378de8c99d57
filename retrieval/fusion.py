"""Reciprocal rank fusion: pure."""

from __future__ import annotations

from collections.abc import Sequence

from retrieval.types import Ranked, Ranking


def reciprocal_rank_fusion(rankings: Sequence[Ranking], *, k: int = 60) -> tuple[Ranked, ...]:
    """Score each entry by `sum(1 / (k + rank))` over the rankings that hold it.

    Cormack, Clarke and Buettcher, SIGIR 2009. Order: score descending, then key ascending.
    """
    scores: dict[int, float] = {}
    keys: dict[int, str] = {}
    for ranking in rankings:
        for entry in ranking.entries:
            scores[entry.chunk_id] = scores.get(entry.chunk_id, 0.0) + 1.0 / (k + entry.rank)
            keys[entry.chunk_id] = entry.key
    order = sorted(scores, key=lambda chunk_id: (-scores[chunk_id], keys[chunk_id]))
    return tuple(
        Ranked(chunk_id=chunk_id, key=keys[chunk_id], rank=rank, score=scores[chunk_id])
        for rank, chunk_id in enumerate(order, start=1)
    )
