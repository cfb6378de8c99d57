"""Whether a second run is at most a margin worse than the first, by items that both have. Pure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from evaluation.metrics.statistics import Difference, difference


class Finding(StrEnum):
    AS_GOOD = "as good"
    WORSE = "worse"
    UNCLEAR = "unclear"  # too few items to tell


@dataclass(frozen=True)
class NonInferiority:
    """The second less the first with its interval, and how many items a finding needs."""

    finding: Finding
    difference: Difference
    needed: int


def non_inferiority(
    first: Sequence[float],
    second: Sequence[float],
    *,
    margin: float,
    confidence: float = 0.95,
    is_higher_better: bool = True,
) -> NonInferiority:
    """Judge by the two-sided bootstrap interval of the differences against `margin`, in (0, 1).

    As good: the interval's worse end is within the margin, and there are `items_needed`; worse: its
    better end is not (Piaggio et al., CONSORT extension for non-inferiority, JAMA 2012, figure 1).
    """
    found = difference(first, second, confidence=confidence)
    needed = items_needed(margin, confidence)
    low, high = (found.low, found.high) if is_higher_better else (-found.high, -found.low)
    if found.n >= needed and low > -margin:
        finding = Finding.AS_GOOD
    elif found.n and high < -margin:
        finding = Finding.WORSE
    else:
        finding = Finding.UNCLEAR
    return NonInferiority(finding, found, needed)


def items_needed(margin: float, confidence: float) -> int:
    """Return the fewest items of which one would show a loss that befalls a share `margin` of all.

    A bootstrap can't draw what no item showed: of three items without a difference its interval is
    a point. This is the exact bound where nothing was seen, (1 - margin)^n <= (1 - confidence) / 2
    (Clopper and Pearson, Biometrika 1934).
    """
    return math.ceil(math.log((1 - confidence) / 2) / math.log(1 - margin))
