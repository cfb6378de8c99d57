"""Compare the scores of two runs over the same queries. Pure."""

from __future__ import annotations

from functools import lru_cache

from evaluation.metrics import MEASURES, Scores
from evaluation.metrics.statistics import Difference, difference

MAIN = "nDCG@10"  # the main measure of retrieval runs
_OTHERS = "The two runs have not the same queries."
NOT_BOTH_SERVED = (
    "One of the two runs was asked as served, through the gate, and the other for a long list."
)


def compared(first: Scores, second: Scores) -> dict[str, Difference]:
    """Return the second less the first, for every measure that both have over the same queries.

    Raises ValueError if there is none: means over other queries can't be compared.
    """
    both = [name for name in first if name in second and first[name].keys() == second[name].keys()]
    ranked = [name for name in MEASURES if name in both]
    shared = [*ranked, *sorted(set(both) - set(ranked))]
    if not shared:
        raise ValueError(_OTHERS)
    return {name: compared_in(name, first, second) for name in shared}


def compared_in(measure: str, first: Scores, second: Scores) -> Difference:
    """Return the second less the first in one measure. Raises ValueError for other queries."""
    before, after = first[measure], second[measure]
    if before.keys() != after.keys():
        raise ValueError(_OTHERS)
    return _difference(tuple(before.values()), tuple(after[query] for query in before))


# Cached, since an ablation rewrites its table after each index, and again as JSON.
_difference = lru_cache(maxsize=256)(difference)
