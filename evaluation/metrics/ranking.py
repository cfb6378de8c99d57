"""Measures of a ranking, in the semantics of trec_eval. Pure.

A ranking is a sequence of distinct document ids, best first, with ties already decided.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence


def ndcg(ranking: Sequence[str], gains: Mapping[str, int], *, k: int) -> float:
    """Return the normalised discounted cumulative gain of the first `k`, [0, 1], higher is better.

    Gains are linear and divided by log2(rank + 1), as `ndcg_cut` of trec_eval: Järvelin and
    Kekäläinen, TOIS 2002, in the form of Burges et al. without the exponent. The ideal ranking is
    over all judged documents. An unjudged document gains 0; 0 if no document has a gain.
    """
    ideal = sorted((gain for gain in gains.values() if gain > 0), reverse=True)[:k]
    best = _dcg(ideal)
    return (
        _dcg([max(gains.get(document, 0), 0) for document in ranking[:k]]) / best if best else 0.0
    )


def _dcg(gains: Sequence[int]) -> float:
    return sum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, start=1))


def recall(ranking: Sequence[str], relevant: frozenset[str], *, k: int) -> float:
    """Return the share of the relevant documents among the first `k`, [0, 1].

    `recall` of trec_eval. At most k / number of relevant documents; 0 if none is relevant.
    """
    return len(relevant.intersection(ranking[:k])) / len(relevant) if relevant else 0.0


def success(ranking: Sequence[str], relevant: frozenset[str], *, k: int) -> float:
    """Return 1 if one of the first `k` is relevant, else 0; `success` of trec_eval."""
    return float(not relevant.isdisjoint(ranking[:k]))
