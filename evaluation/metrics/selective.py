"""Measures of a system that may refuse. Pure.

A loss is the cost of an answer, [0, 1], 0 for a right one; a higher confidence means a more
probably right answer. Items of the same confidence are accepted or refused together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Point:
    """The share of items answered with at least the confidence `threshold`, and their mean loss."""

    threshold: float
    coverage: float  # (0, 1]
    risk: float  # [0, 1], lower is better


def risk_coverage(
    confidences: Sequence[float], losses: Sequence[float], *, total: int | None = None
) -> list[Point]:
    """Return the risk-coverage curve, a point for each distinct confidence, the highest first.

    Geifman and El-Yaniv, NeurIPS 2017, section 2: coverage is the share of `total` items that are
    answered (by default all that are given; more if some were refused whatever the threshold),
    selective risk the mean loss of the answered. Empty without items.
    """
    whole = len(losses) if total is None else total
    sure, loss = np.asarray(confidences, dtype=np.float64), np.asarray(losses, dtype=np.float64)
    return [
        Point(float(least), int(kept.sum()) / whole, float(loss[kept].mean()))
        for least in np.unique(sure)[::-1]
        for kept in [sure >= least]
    ]


def aurc(confidences: Sequence[float], losses: Sequence[float]) -> float | None:
    """Return the area under the risk-coverage curve, [0, 1], lower is better.

    The mean of the selective risk over the coverages 1/n, 2/n, ..., 1 (Geifman, Uziel and El-Yaniv,
    ICLR 2019, equation 2). No threshold lies within a tie: the risk at its end counts for each of
    its items, so that their order does not matter. None without items.
    """
    area = reached = 0.0
    for point in risk_coverage(confidences, losses):
        area += (point.coverage - reached) * point.risk
        reached = point.coverage
    return area if reached else None


def auroc(confidences: Sequence[float], is_positive: Sequence[bool]) -> float | None:
    """Return the probability that a positive has a higher confidence than a negative, [0, 1].

    Higher is better, 0.5 is chance; a tie counts half. The Mann-Whitney statistic by mean ranks
    (Hanley and McNeil, Radiology 1982). None unless there are both.
    """
    positive = np.asarray(is_positive, dtype=bool)
    positives, negatives = int(positive.sum()), int((~positive).sum())
    if not positives or not negatives:
        return None
    _, place, count = np.unique(
        np.asarray(confidences, dtype=np.float64), return_inverse=True, return_counts=True
    )
    ranks = (np.cumsum(count) - (count - 1) / 2)[place]  # 1-based, the mean of those tied
    above = ranks[positive].sum() - positives * (positives + 1) / 2
    return float(above / (positives * negatives))
