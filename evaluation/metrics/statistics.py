"""Estimate how certain a mean is, and whether two runs differ. Pure; seeded, so reproducible.

Intervals: the percentile bootstrap over queries (Efron and Tibshirani 1993, chapter 13). Tests: the
paired randomisation test, two-sided, on the mean difference (Smucker, Allan and Carterette, CIKM
2007, who find it fit for comparing retrieval runs), with Holm's correction if several runs are
compared with one (Holm, Scandinavian Journal of Statistics 1979).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum

import numpy as np
import numpy.typing as npt

from chat.reviews.statistics import wilson_interval

RESAMPLES = 10_000
SEED = 20_170
_AT_A_TIME = 2_000_000  # numbers drawn at once: 16 MB

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Interval:
    """A mean, or another figure, over `n` queries with its 95 % interval. All 0 if n is 0."""

    mean: float
    low: float
    high: float
    n: int

    def as_json(self) -> dict[str, float | int]:
        return asdict(self)


@dataclass(frozen=True)
class Difference:
    """The second run less the first over the same queries: `mean`, its interval, and `p`."""

    mean: float
    low: float
    high: float
    n: int
    p: float  # two-sided, uncorrected
    better: int  # queries for which the second scores higher
    worse: int


def interval(values: Sequence[float], *, confidence: float = 0.95) -> Interval:
    """Return the mean and its two-sided percentile bootstrap interval; `confidence` in (0, 1)."""
    if not values:
        return Interval(0.0, 0.0, 0.0, 0)
    sample = np.asarray(values, dtype=np.float64)
    tail = 50 * (1 - confidence)
    low, high = np.percentile(_resampled_means(sample), [tail, 100 - tail])
    return Interval(float(sample.mean()), float(low), float(high), len(sample))


def interval_of_counts(counts: Floats, statistic: Callable[[Floats], Floats]) -> Interval:
    """Return a statistic of counts of items by kind, and its 95 % percentile bootstrap interval.

    Drawing n items with replacement draws a multinomial of their kinds, so that whole tables of
    counts, of any shape, are drawn at once. `statistic` gives one number for each table: `(...)`
    for `(..., *counts.shape)`.
    """
    n = int(counts.sum())
    if not n:
        return Interval(0.0, 0.0, 0.0, 0)
    random = np.random.default_rng(SEED)
    drawn = random.multinomial(n, counts.ravel() / n, size=RESAMPLES).reshape(-1, *counts.shape)
    low, high = np.percentile(statistic(drawn.astype(np.float64)), [2.5, 97.5])
    return Interval(float(statistic(counts)), float(low), float(high), n)


def interval_of_ratio(parts: Sequence[float], wholes: Sequence[float]) -> Interval:
    """Return the sum of `parts` over the sum of `wholes`, and its 95 % bootstrap interval.

    Both have one value for each item. Items whose whole is 0 are left out, also of `n`.
    """
    pairs = np.asarray([pair for pair in zip(parts, wholes, strict=True) if pair[1]])
    if not len(pairs):
        return Interval(0.0, 0.0, 0.0, 0)
    random = np.random.default_rng(SEED)
    drawn = random.multinomial(len(pairs), np.full(len(pairs), 1 / len(pairs)), size=RESAMPLES)
    sums = drawn @ pairs
    low, high = np.percentile(sums[:, 0] / sums[:, 1], [2.5, 97.5])
    return Interval(
        float(pairs[:, 0].sum() / pairs[:, 1].sum()), float(low), float(high), len(pairs)
    )


def difference(
    first: Sequence[float], second: Sequence[float], *, confidence: float = 0.95
) -> Difference:
    """Compare two runs query by query; both lists are in the same order of queries.

    p is the share of 10,000 random sign changes whose mean is at least as far from 0 as the
    observed one, which is counted too, so that p is never 0. Raises ValueError for lists of
    different lengths.
    """
    if len(first) != len(second):
        raise ValueError("both runs need a value for every query")
    deltas = np.asarray(second, dtype=np.float64) - np.asarray(first, dtype=np.float64)
    spread = interval(list(deltas), confidence=confidence)
    return Difference(
        spread.mean,
        spread.low,
        spread.high,
        spread.n,
        p=_randomised(deltas),
        better=int((deltas > 0).sum()),
        worse=int((deltas < 0).sum()),
    )


def holm(p_values: Sequence[float]) -> list[float]:
    """Return the p-values with Holm's correction, in the given order; never smaller, at most 1."""
    order = sorted(range(len(p_values)), key=lambda i: p_values[i])
    corrected = [0.0] * len(p_values)
    highest = 0.0
    for place, i in enumerate(order):
        highest = max(highest, min(1.0, (len(p_values) - place) * p_values[i]))
        corrected[i] = highest
    return corrected


def _batches(n: int) -> Iterator[int]:
    """Yield the sizes of the batches in which the resamples of n numbers are drawn."""
    rows = max(1, _AT_A_TIME // n)
    for start in range(0, RESAMPLES, rows):
        yield min(rows, RESAMPLES - start)


def _resampled_means(sample: Floats) -> Floats:
    random, n = np.random.default_rng(SEED), len(sample)
    return np.concatenate(
        [sample[random.integers(0, n, (count, n))].mean(axis=1) for count in _batches(n)]
    )


def _randomised(deltas: Floats) -> float:
    if not deltas.any():
        return 1.0
    random = np.random.default_rng(SEED)
    seen = abs(deltas.sum()) * (1 - 1e-12)  # sums in another order differ in the last bits
    as_far = 0
    for count in _batches(len(deltas)):
        signs = random.integers(0, 2, (count, len(deltas))) * 2 - 1
        as_far += int((abs(signs @ deltas) >= seen).sum())
    return (as_far + 1) / (RESAMPLES + 1)


class Finding(StrEnum):
    AS_GOOD = "as good"
    WORSE = "worse"
    UNCLEAR = "unclear"  # too few items to tell


@dataclass(frozen=True)
class NonInferiority:
    """The second less the first with its interval, and the number of items that a finding needs."""

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
    """Judge non-inferiority by the bootstrap interval of the differences; `margin` in (0, 1).

    As good: the worse end of the interval is within the margin, and there are `items_needed`.
    Worse: its better end is outside (Piaggio et al., CONSORT extension for non-inferiority, JAMA
    2012, figure 1). Raises ValueError for lists of different lengths.
    """
    measured = difference(first, second, confidence=confidence)
    needed = items_needed(margin, confidence)
    low, high = measured.low, measured.high
    if not is_higher_better:
        low, high = -high, -low
    if measured.n >= needed and low > -margin:
        finding = Finding.AS_GOOD
    elif measured.n and high < -margin:
        finding = Finding.WORSE
    else:
        finding = Finding.UNCLEAR
    return NonInferiority(finding, measured, needed)


def items_needed(margin: float, confidence: float) -> int:
    """Return how many items it takes for one to show a loss that affects a share `margin` of all.

    A bootstrap can't draw what no item showed: of three items without a difference the interval is
    a point. This is the exact bound if nothing was observed, (1 - margin)^n <= (1 - confidence) / 2
    (Clopper and Pearson, Biometrika 1934).
    """
    return math.ceil(math.log((1 - confidence) / 2) / math.log(1 - margin))


def newcombe_interval(first: tuple[int, int], second: tuple[int, int]) -> tuple[float, float]:
    """Return the 95 % bounds of the second share less the first, within [-1, 1].

    Each share is (hits, n), of independent cases; [-1, 1] if neither has a case. Newcombe's hybrid
    of two Wilson intervals without continuity correction: method 10 of R. G. Newcombe, Statistics
    in Medicine 17, 873-890, 1998.
    """
    (low_1, high_1), (low_2, high_2) = (wilson_interval(*each) for each in (first, second))
    if not (first[1] and second[1]):
        return low_2 - high_1, high_2 - low_1
    share_1, share_2 = (hits / n for hits, n in (first, second))
    difference = share_2 - share_1
    return (
        difference - math.hypot(share_2 - low_2, high_1 - share_1),
        difference + math.hypot(high_2 - share_2, share_1 - low_1),
    )
