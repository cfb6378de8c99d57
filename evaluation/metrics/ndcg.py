from __future__ import annotations

import math
from collections.abc import Mapping, Sequence


def ndcg(ranking: Sequence[str], gains: Mapping[str, int], *, k: int) -> float:
    """Normalised discounted cumulative gain of the first `k`, [0, 1], higher is better.

    Gains count as they are (linear) and are divided by log2(rank + 1), as `ndcg_cut` of trec_eval:
    Järvelin and Kekäläinen, TOIS 2002, in the form of Burges et al. without the exponent. The ideal
    is over all judged documents. What is not judged gains 0; 0 where nothing has a gain.
    """
    ideal = sorted((gain for gain in gains.values() if gain > 0), reverse=True)[:k]
    best = _dcg(ideal)
    return (
        _dcg([max(gains.get(document, 0), 0) for document in ranking[:k]]) / best if best else 0.0
    )


def _dcg(gains: Sequence[int]) -> float:
    return sum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, start=1))
