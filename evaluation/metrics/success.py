from __future__ import annotations

from collections.abc import Sequence


def success(ranking: Sequence[str], relevant: frozenset[str], *, k: int) -> float:
    """Return 1 where one of the first `k` is relevant, else 0; `success` of trec_eval."""
    return float(not relevant.isdisjoint(ranking[:k]))
