"""Scores to probabilities: Platt's regression and isotonic regression. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]

# The strength of L2, for features within [0, 1]. It only matters where questions are so few that
# the smoothed targets alone would let a weight run away.
L2 = 1 / 30
STEPS = 100  # Newton needs fewer than 20; a loss that is flat is left as it is


def smoothed_targets(labels: Bools) -> Floats:
    """Return `(N+ + 1) / (N+ + 2)` for what holds and `1 / (N- + 2)` for what does not.

    Platt, Advances in Large Margin Classifiers, 1999: no certainty from finitely many examples, so
    that kinds which do not overlap still give finite weights.
    """
    positive = int(labels.sum())
    negative = len(labels) - positive
    return np.where(labels, (positive + 1) / (positive + 2), 1 / (negative + 2))


def platt(features: Floats, labels: Bools, *, l2: float = L2) -> tuple[float, Floats]:
    """Intercept and weights of a logistic regression on smoothed targets; no weight below 0.

    `features` is `(n, d)`. Minimises the log loss plus `l2 / 2` times the squared weights, as in
    Lin, Lin and Weng, Machine Learning 68, 2007. A feature whose weight would be negative is left
    out with 0: that more likeness counts against a passage is noise of a small sample.
    """
    targets = smoothed_targets(labels)
    used = list(range(features.shape[1]))
    while True:
        intercept, weights = _newton(features[:, used], targets, l2=l2)
        if not used or weights.min() >= 0:
            break
        used.pop(int(weights.argmin()))
    whole = np.zeros(features.shape[1])
    whole[used] = weights
    return intercept, whole


def _newton(features: Floats, targets: Floats, *, l2: float) -> tuple[float, Floats]:
    design = np.column_stack([np.ones(len(targets)), features])
    penalty = np.diag([0.0] + [l2] * features.shape[1])
    beta = np.zeros(design.shape[1])
    loss = _loss(design, targets, beta, penalty)
    for _ in range(STEPS):
        found = np.exp(-np.logaddexp(0.0, -(design @ beta)))
        gradient = design.T @ (found - targets) + penalty @ beta
        curvature = (design.T * (found * (1 - found))) @ design + penalty
        step = np.linalg.solve(curvature + 1e-12 * np.eye(len(beta)), gradient)
        scale = 1.0
        while scale > 1e-10 and _loss(design, targets, beta - scale * step, penalty) > loss:
            scale /= 2
        beta, before = beta - scale * step, loss
        loss = _loss(design, targets, beta, penalty)
        if before - loss <= 1e-14 * max(1.0, abs(before)):
            break
    return float(beta[0]), beta[1:]


def _loss(design: Floats, targets: Floats, beta: Floats, penalty: Floats) -> float:
    z = design @ beta
    log_loss = np.logaddexp(0.0, z) - targets * z
    return float(log_loss.sum() + 0.5 * beta @ penalty @ beta)


def isotonic(scores: Sequence[float], labels: Bools) -> tuple[tuple[float, float], ...]:
    """Knots (score, probability) of the best rising step function, by pooling violators.

    Ayer et al., Annals of Mathematical Statistics 26, 1955, on smoothed targets, so that no knot is
    0 or 1. Equal scores are one point. Both columns ascend; a block is its one or two ends.
    """
    points, place = np.unique(np.asarray(scores, dtype=np.float64), return_inverse=True)
    sums = np.bincount(place, weights=smoothed_targets(labels))
    blocks: list[_Block] = []
    for point, total, count in zip(points, sums, np.bincount(place), strict=True):
        block = _Block(float(point), float(point), float(total), int(count))
        while blocks and blocks[-1].mean >= block.mean:
            block = blocks.pop().joined(block)
        blocks.append(block)
    return tuple((end, block.mean) for block in blocks for end in block.ends)


@dataclass(frozen=True)
class _Block:
    first: float
    last: float
    total: float
    count: int

    @property
    def mean(self) -> float:
        return self.total / self.count

    @property
    def ends(self) -> tuple[float, ...]:
        return (self.first,) if self.first == self.last else (self.first, self.last)

    def joined(self, later: _Block) -> _Block:
        total, count = self.total + later.total, self.count + later.count
        return _Block(self.first, later.last, total, count)
