"""Reciprocal rank fusion: pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from retrieval.types import Ranked, Ranking


def reciprocal_rank_fusion(rankings: Sequence[Ranking], *, k: int = 60) -> tuple[Ranked, ...]:
    """Score each group by `sum(1 / (k + rank))` over the rankings that hold it.

    Cormack, Clarke and Buettcher, SIGIR 2009. Order: score descending, then key ascending. Where
    rankings hold different passages of a group, the better ranked or the first key stands for it.
    """
    scores: dict[str, float] = {}
    best: dict[str, Ranked] = {}
    for ranking in rankings:
        for entry in ranking.entries:
            group = entry.group or entry.key
            scores[group] = scores.get(group, 0.0) + 1.0 / (k + entry.rank)
            best[group] = min(best.get(group, entry), entry, key=lambda e: (e.rank, e.key))
    order = sorted(scores, key=lambda group: (-scores[group], best[group].key))
    return tuple(
        replace(best[group], rank=rank, score=scores[group])
        for rank, group in enumerate(order, start=1)
    )
