"""Scores to probabilities, thresholds with a guarantee, and what describes scores. Pure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]

BINS = 10  # of equal width, as in Guo et al., ICML 2017
_SLACK = 1e-9  # so that 0.05 * 20 counts as 1


def needed_unanswerable(risk: float) -> int:
    """Return the fewest unanswerable questions that can hold a threshold to `risk`: `1 / risk - 1`.

    With fewer, not even a threshold above all of them is known to keep the next one out.
    """
    return max(1, math.ceil(1 / risk - 1 - _SLACK))


def smallest_risk(unanswerable: int) -> float:
    """Return the least risk that so many unanswerable questions can promise."""
    return 1 / (unanswerable + 1)


def conformal_threshold(unanswerable: Sequence[float], risk: float) -> float:
    """Return the lowest threshold that lets at most `risk` of unanswerable questions through.

    Conformal risk control (Angelopoulos et al., 2022, theorem 1) for the loss "an unanswerable
    question opens the gate": the lowest t with `(opened(t) + 1) / (n + 1) <= risk`. If the next
    unanswerable question is exchangeable with these, and these had no part in the scores'
    making, it opens the gate with a probability of at most `risk`, over the draw of all of them.
    No assumption on the scores. Raises ValueError for fewer than `needed_unanswerable(risk)`.
    """
    allowed = math.floor(risk * (len(unanswerable) + 1) + _SLACK) - 1
    if allowed < 0:
        raise ValueError(f"{needed_unanswerable(risk)} unanswerable questions are needed")
    if allowed >= len(unanswerable):
        return 0.0
    highest = sorted(unanswerable, reverse=True)
    return math.nextafter(highest[allowed], math.inf)


def auroc(probabilities: Floats, labels: Bools) -> float:
    """Return how often an answerable question stands above an unanswerable one; ties count half.

    Mann and Whitney, 1947. In [0, 1], 0.5 is chance; NaN where one kind is missing.
    """
    high, low = probabilities[labels], probabilities[~labels]
    if not len(high) or not len(low):
        return math.nan
    above = (high[:, None] > low[None, :]).mean()
    return float(above + 0.5 * (high[:, None] == low[None, :]).mean())


def brier(probabilities: Floats, labels: Bools) -> float:
    """Return mean squared distance to what was true, in [0, 1], lower is better. Brier, 1950."""
    return float(np.mean((probabilities - labels) ** 2))


@dataclass(frozen=True)
class Bin:
    """Questions of like probability: how many, what was said of them, and how many held."""

    count: int
    mean: float
    share: float


def reliability(probabilities: Floats, labels: Bools) -> tuple[Bin, ...]:
    """Return the bins that are not empty, lowest first; 1.0 belongs to the last."""
    place = np.minimum((probabilities * BINS).astype(int), BINS - 1)
    return tuple(
        Bin(int(held.sum()), float(probabilities[held].mean()), float(labels[held].mean()))
        for held in (place == number for number in range(BINS))
        if held.any()
    )


def calibration_error(probabilities: Floats, labels: Bools) -> float:
    """ECE: the mean distance between said and true share of each bin, weighted by its count.

    Naeini et al., AAAI 2015. In [0, 1], lower is better.
    """
    bins = reliability(probabilities, labels)
    return sum(b.count * abs(b.mean - b.share) for b in bins) / len(labels)


def opened_rates(probabilities: Floats, labels: Bools, threshold: float) -> dict[str, float | None]:
    """Return what opens at `threshold`, of each kind, and how much of it should not have."""
    opened = probabilities >= threshold
    return {
        "answerable_opened": _share(opened[labels]),
        "unanswerable_opened": _share(opened[~labels]),
        "wrong_among_opened": _share(~labels[opened]),
    }


def risk_coverage(probabilities: Floats, labels: Bools) -> tuple[tuple[float, float], ...]:
    """(share of questions opened, share of those that are unanswerable), by falling threshold.

    El-Yaniv and Wiener, JMLR 11, 2010. Equal probabilities open together.
    """
    thresholds = np.unique(probabilities)[::-1]
    return tuple(
        (float(opened.mean()), float((~labels[opened]).mean()))
        for opened in (probabilities >= threshold for threshold in thresholds)
    )


def described(probabilities: Floats, labels: Bools, threshold: float) -> dict[str, Any]:
    """Return every figure of a calibration record, rounded to what so many questions can tell."""
    values = {
        "auroc": auroc(probabilities, labels),
        "brier": brier(probabilities, labels),
        "ece": calibration_error(probabilities, labels),
        **opened_rates(probabilities, labels, threshold),
    }
    return {
        name: None if value is None or math.isnan(value) else round(value, 4)
        for name, value in values.items()
    }


def _share(held: Bools) -> float | None:
    return float(held.mean()) if len(held) else None


# The strength of L2, for features within [0, 1]. It only matters where questions are so few that
# the smoothed targets alone would let a weight run away.
L2 = 1 / 30


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
    from sklearn.linear_model import LogisticRegression  # late: it takes half a second

    # A target between 0 and 1 is an example of both kinds, by its share of each.
    targets = smoothed_targets(labels)
    shares = np.concatenate([targets, 1 - targets])
    kinds = np.repeat([True, False], len(targets))
    weights, used = np.zeros(features.shape[1]), list(range(features.shape[1]))
    while used:
        model = LogisticRegression(C=1 / l2, solver="newton-cholesky", tol=1e-10)
        model.fit(np.tile(features[:, used], (2, 1)), kinds, sample_weight=shares)
        (found,) = model.coef_
        if found.min() >= 0:
            weights[used] = found
            return float(model.intercept_[0]), weights
        used.pop(int(found.argmin()))
    mean = float(targets.mean())
    return math.log(mean / (1 - mean)), weights


def isotonic(scores: Sequence[float], labels: Bools) -> tuple[tuple[float, float], ...]:
    """Knots (score, probability) of the best rising step function, by pooling violators.

    Ayer et al., Annals of Mathematical Statistics 26, 1955, on smoothed targets, so that no knot is
    0 or 1. Equal scores are one point. Both columns ascend; a block is its one or two ends.
    """
    from scipy.optimize import isotonic_regression  # late: only so many questions need it

    points, place, counts = np.unique(
        np.asarray(scores, dtype=np.float64), return_inverse=True, return_counts=True
    )
    means = np.bincount(place, weights=smoothed_targets(labels)) / counts
    found = isotonic_regression(means, weights=counts)
    return tuple(
        (float(points[end]), float(found.x[end]))
        for first, after in pairwise(found.blocks)
        for end in sorted({first, after - 1})
    )
