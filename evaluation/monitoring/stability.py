"""Test whether counts, or values, still have the same distribution. Pure."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

SOME, LARGE = 0.1, 0.25  # as PSI is read: N. Siddiqi, Credit Risk Scorecards, 2006
SMOOTHING = 0.5  # added to each bin, so that an empty one has a logarithm


def population_stability(before: Sequence[int], now: Sequence[int]) -> tuple[float, float]:
    """Return the population stability index of two counts over the same bins, and its p.

    PSI = sum of (now - before) x ln(now / before) over shares of bins: 0 for equal shares, without
    an upper bound. A half is added to each bin of both; bins that are empty in both are left out.
    Without a change PSI / (1/n + 1/m) is about chi-squared with bins - 1 degrees of freedom (B.
    Yurdakul, Statistical Properties of Population Stability Index, dissertation, Western Michigan
    University, 2018). (0, 1) for fewer than two bins.
    """
    from scipy.stats import chi2  # late: it takes seconds

    counts = np.asarray([before, now], dtype=np.float64)
    counts = counts[:, counts.any(axis=0)]
    bins = counts.shape[1]
    if bins < 2:
        return 0.0, 1.0
    first, second = (row / row.sum() for row in counts + SMOOTHING)
    index = float(((second - first) * np.log(second / first)).sum())
    spread = float((1 / np.maximum(counts.sum(axis=1), 1)).sum())
    return index, float(chi2.sf(index / spread, bins - 1))


def kolmogorov_smirnov(before: Sequence[float], now: Sequence[float]) -> tuple[float, float]:
    """Return the largest distance of the two distribution functions, in [0, 1], and its p.

    Two-sided, asymptotic: Hodges, Arkiv för Matematik 3, 1958, as implemented by scipy.
    """
    from scipy.stats import ks_2samp  # late: it takes seconds

    result = ks_2samp(before, now, method="asymp")
    return float(result.statistic), float(result.pvalue)
