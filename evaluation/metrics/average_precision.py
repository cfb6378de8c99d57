from __future__ import annotations

from collections.abc import Sequence


def average_precision(ranking: Sequence[str], relevant: frozenset[str]) -> float:
    """Return the precision at the rank of each relevant document, averaged; one not found counts 0.

    [0, 1], higher is better; `map` of trec_eval. 0 where none is relevant.
    """
    found = 0
    total = 0.0
    for rank, document in enumerate(ranking, start=1):
        if document in relevant:
            found += 1
            total += found / rank
    return total / len(relevant) if relevant else 0.0
