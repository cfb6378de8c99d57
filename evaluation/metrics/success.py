from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet


def success(ranking: Sequence[str], relevant: AbstractSet[str], *, k: int) -> float:
    """1 where one of the first `k` is relevant, else 0; `success` of trec_eval."""
    return float(not relevant.isdisjoint(ranking[:k]))
