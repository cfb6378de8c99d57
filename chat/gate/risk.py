"""Fit probabilities, set thresholds with a guarantee and measure both. Pure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]

BINS = 10  # of equal width, as in Guo et al., ICML 2017
_SLACK = 1e-9  # so that 0.05 * 20 counts as 1


def needed_unanswerable(risk: float) -> int:
    """Return the fewest unanswerable questions that can guarantee `risk`: `1 / risk - 1`.

    With fewer, not even a threshold above all of them is known to stop the next one.
    """
    return max(1, math.ceil(1 / risk - 1 - _SLACK))


def smallest_risk(unanswerable: int) -> float:
    """Return the lowest risk that this many unanswerable questions can guarantee."""
    return 1 / (unanswerable + 1)


def conformal_threshold(unanswerable: Sequence[float], risk: float) -> float:
    """Return the lowest threshold that lets at most `risk` of unanswerable questions through.

    Conformal risk control (Angelopoulos et al., 2022, theorem 1) for the loss "an unanswerable
    question opens the gate": the lowest t with `(opened(t) + 1) / (n + 1) <= risk`. If the next
    unanswerable question is exchangeable with these, and the scores were not fitted on these, it
    opens the gate with a probability of at most `risk`, over the draw of all of them. Assumes
    nothing about the scores. Raises ValueError for fewer than `needed_unanswerable(risk)`.
    """
    allowed = math.floor(risk * (len(unanswerable) + 1) + _SLACK) - 1
    if allowed < 0:
        raise ValueError(f"{needed_unanswerable(risk)} unanswerable questions are needed")
    if allowed >= len(unanswerable):
        return 0.0
    highest = sorted(unanswerable, reverse=True)
    return math.nextafter(highest[allowed], math.inf)


def auroc(probabilities: Floats, labels: Bools) -> float:
    """Return how often an answerable question scores above an unanswerable one; ties count half.

    Mann and Whitney, 1947. In [0, 1], 0.5 is chance; NaN if one kind is missing.
    """
    high, low = probabilities[labels], probabilities[~labels]
    if not len(high) or not len(low):
        return math.nan
    above = (high[:, None] > low[None, :]).mean()
    return float(above + 0.5 * (high[:, None] == low[None, :]).mean())


def brier(probabilities: Floats, labels: Bools) -> float:
    """Return the mean squared error of the probabilities, in [0, 1], lower is better.

    Brier, 1950.
    """
    return float(np.mean((probabilities - labels) ** 2))


@dataclass(frozen=True)
class Bin:
    """Questions of similar probability: their count, mean probability and share answerable."""

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
    """Return the ECE: mean distance between probability and true share of the bins, by count.

    Naeini et al., AAAI 2015. In [0, 1], lower is better.
    """
    bins = reliability(probabilities, labels)
    return sum(b.count * abs(b.mean - b.share) for b in bins) / len(labels)


def opened_rates(probabilities: Floats, labels: Bools, threshold: float) -> dict[str, float | None]:
    """Return the shares of both kinds that open at `threshold`, and the unanswerable among them.

    None for a share of no questions.
    """
    opened = probabilities >= threshold
    return {
        "answerable_opened": _share(opened[labels]),
        "unanswerable_opened": _share(opened[~labels]),
        "wrong_among_opened": _share(~labels[opened]),
    }


def risk_coverage(probabilities: Floats, labels: Bools) -> tuple[tuple[float, float], ...]:
    """Return (share of questions opened, share of these that are unanswerable) by threshold.

    Thresholds fall; equal probabilities open together. El-Yaniv and Wiener, JMLR 11, 2010.
    """
    thresholds = np.unique(probabilities)[::-1]
    return tuple(
        (float(opened.mean()), float((~labels[opened]).mean()))
        for opened in (probabilities >= threshold for threshold in thresholds)
    )


def described(probabilities: Floats, labels: Bools, threshold: float) -> dict[str, Any]:
    """Return every metric of a calibration record, to four decimals; None for undefined ones."""
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


def smoothed_targets(labels: Bools) -> Floats:
    """Return `(N+ + 1) / (N+ + 2)` for positive labels and `1 / (N- + 2)` for negative ones.

    Platt, Advances in Large Margin Classifiers, 1999: finitely many examples give no certainty, and
    kinds that do not overlap still give a finite slope.
    """
    positive = int(labels.sum())
    negative = len(labels) - positive
    return np.where(labels, (positive + 1) / (positive + 2), 1 / (negative + 2))


def platt(odds: Floats, labels: Bools) -> tuple[float, float]:
    """Return slope and intercept of the logistic regression of smoothed targets on `odds` `(n,)`.

    Lin, Lin and Weng, Machine Learning 68, 2007.
    """
    from sklearn.linear_model import LogisticRegression  # late: it takes half a second

    # A target between 0 and 1 is an example of both kinds, by its share of each.
    targets = smoothed_targets(labels)
    shares = np.concatenate([targets, 1 - targets])
    kinds = np.repeat([True, False], len(targets))
    model = LogisticRegression(C=np.inf, solver="newton-cholesky", tol=1e-10)
    model.fit(np.tile(odds, 2)[:, None], kinds, sample_weight=shares)
    return float(model.coef_[0, 0]), float(model.intercept_[0])
