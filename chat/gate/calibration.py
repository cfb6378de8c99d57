"""Calibrate the gate on labelled questions: scale the learned log-odds, set a threshold. Pure.

The scale is increasing, so a threshold lets the same questions through whatever the scale: the
guarantee is that of the log-odds, which were learned elsewhere, and holds though scale and
threshold are of the same questions.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from chat.gate.risk import (
    Bools,
    Floats,
    conformal_threshold,
    described,
    needed_unanswerable,
    platt,
    smallest_risk,
)
from chat.gate.scorers import Scale
from core.errors import MedragError

# Two numbers are fitted, and five questions of the rarer kind for each are enough:
# Vittinghoff and McCulloch, American Journal of Epidemiology 165, 2007.
FIT_AT_LEAST = 10
# Even where the risk allows less: a passage that more likely is no answer never opens the gate.
LOWEST_THRESHOLD = 0.5
DIGITS = 6  # decimals of slope, intercept and threshold


class CalibrationError(MedragError):
    """The questions are not sufficient. Nothing was stored or changed."""


@dataclass(frozen=True)
class Example:
    """A question with the learned log-odds that the gate reads, and whether it is answered."""

    question: str
    odds: float | None  # None: no statement was found
    answerable: bool


@dataclass(frozen=True)
class Fitted:
    """A calibration with its threshold and metrics."""

    scale: Scale  # without a version and an encoder
    risk: float
    probabilities: Floats  # of the questions, in their alphabetical order
    labels: Bools
    counts: Mapping[str, int]
    metrics: Mapping[str, Any]


def calibrate(examples: Sequence[Example], risk: float) -> Fitted:
    """Scale the log-odds and set the threshold. Deterministic, in any order of the examples.

    Raises `CalibrationError` with numbers if there are too few questions for the risk, or if the
    log-odds don't separate the two kinds.
    """
    ordered = sorted(examples, key=lambda example: example.question)
    labels = np.array([example.answerable for example in ordered], dtype=bool)
    refuse_too_few_answerable(int(labels.sum()))
    _refuse_too_few_unanswerable(int((~labels).sum()), risk)
    scale = _scaled([example.odds for example in ordered], labels)
    probabilities = np.array([scale.probability(example.odds) for example in ordered])
    lowest = conformal_threshold(probabilities[~labels].tolist(), risk)
    threshold = max(math.ceil(lowest * 10**DIGITS) / 10**DIGITS, LOWEST_THRESHOLD)
    return Fitted(
        scale=replace(scale, threshold=threshold),
        risk=risk,
        probabilities=probabilities,
        labels=labels,
        counts={"questions": len(labels), "answerable": int(labels.sum())},
        metrics=described(probabilities, labels, threshold),
    )


def refuse_too_few_answerable(count: int) -> None:
    """Raise `CalibrationError`; also of use before the search, which only makes them fewer."""
    if count < FIT_AT_LEAST:
        raise CalibrationError(
            f"{count} answerable questions are too few to calibrate the gate.",
            hint=f"Nothing was changed. Use at least {FIT_AT_LEAST}.",
        )


def _refuse_too_few_unanswerable(count: int, risk: float) -> None:
    need = max(FIT_AT_LEAST, needed_unanswerable(risk))
    if count < need:
        promise = f" They allow none below {smallest_risk(count):.3f}." if count else ""
        raise CalibrationError(
            f"{count} unanswerable questions can't guarantee a risk of {risk:g}: that needs {need}."
            + promise,
            hint="Nothing was changed. Add questions that no guideline answers, or allow a higher "
            "--risk.",
        )


def _scaled(log_odds: Sequence[float | None], labels: Bools) -> Scale:
    """Fit a scale to the questions for which statements were found."""
    odds = np.array(log_odds, dtype=np.float64)  # NaN for None
    read = ~np.isnan(odds)
    if labels[read].all() or not labels[read].any():
        raise CalibrationError(
            "Statements were found only for answerable or only for unanswerable questions.",
            hint="Check that the guidelines of the questions are published and indexed.",
        )
    slope, intercept = platt(odds[read], labels[read])
    scale = Scale("", 0.0, "", round(slope, DIGITS), round(intercept, DIGITS))
    if scale.slope <= 0:
        raise CalibrationError(
            "The gate's log-odds don't separate the answerable questions from the others.",
            hint="Check the labels, and that the guidelines of the questions are published.",
        )
    return scale
