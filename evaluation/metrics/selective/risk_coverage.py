from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Point:
    """Of what is answered where `threshold` is the least confidence: its share, its mean loss."""

    threshold: float
    coverage: float  # (0, 1]
    risk: float  # [0, 1], lower is better


def risk_coverage(
    confidences: Sequence[float], losses: Sequence[float], *, total: int | None = None
) -> list[Point]:
    """Return the risk-coverage curve, the surest first, one point for each confidence that occurs.

    Geifman and El-Yaniv, NeurIPS 2017, section 2: coverage is what is answered of `total` items
    (all that are given, unless some were refused whatever the threshold), selective risk the mean
    loss of what is answered. Empty for none. Raises ValueError for lists of other lengths.
    """
    if len(confidences) != len(losses):
        raise ValueError("each confidence needs a loss")
    whole = len(losses) if total is None else total
    sure, loss = np.asarray(confidences, dtype=np.float64), np.asarray(losses, dtype=np.float64)
    return [
        Point(float(least), int(kept.sum()) / whole, float(loss[kept].mean()))
        for least in np.unique(sure)[::-1]
        for kept in [sure >= least]
    ]
