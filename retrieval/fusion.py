"""Fuse rankings: convex combination, reciprocal ranks, or normalised scores. Pure.

The convex combination needs both scores of every candidate, even of one found by one side only; the
others need only the rankings.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from core.rounding import SUM_DIGITS
from retrieval.types import Ranked, Ranking

Scores = Mapping[int, float]  # by chunk


@dataclass(frozen=True)
class Scored:
    """The scores of every candidate by wording, and on the dense side by encoder too.

    A missing candidate gets the lowest possible score.
    """

    lexical: tuple[Scores, ...]  # >= 0
    cosines: tuple[Scores, ...]  # [-1, 1]


def candidates_of(rankings: Sequence[Ranking]) -> tuple[Ranked, ...]:
    """Return the entries of all rankings, one for each group, ordered by key.

    The best-ranked entry represents its group; the first key breaks a tie.
    """
    best: dict[str, Ranked] = {}
    for entry in (entry for ranking in rankings for entry in ranking.entries):
        group = entry.group or entry.key
        best[group] = min(best.get(group, entry), entry, key=lambda e: (e.rank, e.key))
    return tuple(sorted(best.values(), key=lambda entry: entry.key))


def convex_combination(
    candidates: Sequence[Ranked], scored: Scored, *, alpha: float
) -> tuple[Ranked, ...]:
    """Score by `alpha * (cos + 1) / (max cos + 1) + (1 - alpha) * bm25 / max bm25`, in [0, 1].

    TM2C2 of Bruch, Gai and Ingber, An Analysis of Fusion Functions for Hybrid Retrieval, ACM TOIS
    2023: each side is scaled to [0, 1] by its theoretical minimum and its maximum among the
    candidates. Several wordings or encoders of a side are averaged; if a side is missing, the other
    gets all the weight. Order: score descending, then key ascending.
    """
    sides = [
        (1 - alpha, [_share(scores, low=0.0) for scores in scored.lexical]),
        (alpha, [_share(scores, low=-1.0) for scores in scored.cosines]),
    ]
    there = [(weight, shares) for weight, shares in sides if shares]
    whole = sum(weight for weight, _ in there) or 1.0
    totals = {
        entry.key: round(
            sum(
                weight
                / whole
                * sum(share.get(entry.chunk_id, 0.0) for share in shares)
                / len(shares)
                for weight, shares in there
            ),
            SUM_DIGITS,
        )
        for entry in candidates
    }
    order = sorted(candidates, key=lambda entry: (-totals[entry.key], entry.key))
    return tuple(
        Ranked(entry.chunk_id, entry.key, rank, totals[entry.key], entry.group)
        for rank, entry in enumerate(order, start=1)
    )


def _share(scores: Scores, *, low: float) -> dict[int, float]:
    width = max(scores.values(), default=low) - low
    return {chunk: (score - low) / width if width else 0.0 for chunk, score in scores.items()}


def boosted(
    ranked: Sequence[Ranked], shares: Mapping[int, float], *, weight: float
) -> tuple[Ranked, ...]:
    """Score by `(1 - weight) * score / max score + weight * share`, in [0, 1].

    `shares` maps chunks to [0, 1]; a missing chunk has 0. Order: score descending, then key
    ascending.
    """
    most = max((entry.score for entry in ranked), default=0.0) or 1.0
    scored = [
        replace(
            entry,
            score=round(
                (1 - weight) * entry.score / most + weight * shares.get(entry.chunk_id, 0.0),
                SUM_DIGITS,
            ),
        )
        for entry in ranked
    ]
    order = sorted(scored, key=lambda entry: (-entry.score, entry.key))
    return tuple(replace(entry, rank=rank) for rank, entry in enumerate(order, start=1))


def reciprocal_rank_fusion(rankings: Sequence[Ranking], *, k: int = 60) -> tuple[Ranked, ...]:
    """Score each group by `sum(1 / (k + rank))` over the rankings that hold it.

    Cormack, Clarke and Buettcher, SIGIR 2009. Order: score descending, then key ascending. Where
    rankings hold different passages of a group, the best-ranked one represents it, then the first
    key.
    """
    return _summed(rankings, lambda ranking: [1.0 / (k + entry.rank) for entry in ranking.entries])


def normalised_sum(rankings: Sequence[Ranking]) -> tuple[Ranked, ...]:
    """Score each group by the sum of its scores, scaled to [0, 1] within each ranking.

    CombSUM (Fox and Shaw, TREC-2, 1994) over min-max scores; a ranking without the group adds 0,
    one whose scores are all equal adds 1. Order and groups as in `reciprocal_rank_fusion`.
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
    scores = {group: round(score, SUM_DIGITS) for group, score in scores.items()}
    order = sorted(scores, key=lambda group: (-scores[group], best[group].key))
    return tuple(
        replace(best[group], rank=rank, score=scores[group])
        for rank, group in enumerate(order, start=1)
    )
