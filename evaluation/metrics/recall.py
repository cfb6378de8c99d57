from __future__ import annotations

from collections.abc import Sequence


def recall(ranking: Sequence[str], relevant: frozenset[str], *, k: int) -> float:
    """Return the share of the relevant documents that the first `k` hold, [0, 1]; `recall` of
    trec_eval.

    Never more than k / number of relevant ones; 0 where none is relevant.
    """
    return len(relevant.intersection(ranking[:k])) / len(relevant) if relevant else 0.0
