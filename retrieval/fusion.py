"""Several rankings made one: reciprocal rank fusion, or the sum of normalised scores. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from retrieval.config import RetrievalConfig
from retrieval.types import Ranked, Ranking


def fuse(rankings: Sequence[Ranking], config: RetrievalConfig) -> tuple[Ranked, ...]:
    """By the method that is configured."""
    if config.fusion == "sum":
        return normalised_sum(rankings)
    return reciprocal_rank_fusion(rankings, k=config.rrf_k)


def reciprocal_rank_fusion(rankings: Sequence[Ranking], *, k: int = 60) -> tuple[Ranked, ...]:
    """Score each group by `sum(1 / (k + rank))` over the rankings that hold it.

    Cormack, Clarke and Buettcher, SIGIR 2009. Order: score descending, then key ascending. Where
    rankings hold different passages of a group, the better ranked or the first key stands for it.
    """
    return _summed(rankings, lambda ranking: [1.0 / (k + entry.rank) for entry in ranking.entries])


def normalised_sum(rankings: Sequence[Ranking]) -> tuple[Ranked, ...]:
    """Score each group by the sum of its scores, brought to [0, 1] within each ranking.

    CombSUM (Fox and Shaw, TREC-2, 1994) over min-max scores; a ranking that does not hold it adds
    0, one whose scores are all the same adds 1. Order and twins as in `reciprocal_rank_fusion`.
    """
    return _summed(rankings, _min_max)


def _min_max(ranking: Ranking) -> list[float]:
    scores = [entry.score for entry in ranking.entries]
    if not scores:
        return []
    low, width = min(scores), max(scores) - min(scores)
    return [(score - low) / width if width else 1.0 for score in scores]


def _summed(
    rankings: Sequence[Ranking], weigh: Callable[[Ranking], list[float]]
) -> tuple[Ranked, ...]:
    scores: dict[str, float] = {}
    best: dict[str, Ranked] = {}
    for ranking in rankings:
        for entry, weight in zip(ranking.entries, weigh(ranking), strict=True):
            group = entry.group or entry.key
            scores[group] = scores.get(group, 0.0) + weight
            best[group] = min(best.get(group, entry), entry, key=lambda e: (e.rank, e.key))
    order = sorted(scores, key=lambda group: (-scores[group], best[group].key))
    return tuple(
        replace(best[group], rank=rank, score=scores[group])
        for rank, group in enumerate(order, start=1)
    )
