"""Calibrate the gate on labelled questions: split, fit, threshold, metrics. Pure.

The guarantee depends on this order: scores are fitted on one part of the questions, the threshold
is set on the other, and no question is in both.
"""

from __future__ import annotations

import hashlib
import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from chat.gate.risk import (
    Bools,
    Floats,
    conformal_threshold,
    described,
    isotonic,
    needed_unanswerable,
    platt,
    smallest_risk,
)
from chat.gate.scorers import Calibration
from core.errors import MedragError

ROUNDS = 20  # the best passage depends on the weights, so choosing and fitting alternate

# Two weights are fitted, and five questions of the rarer kind per weight are enough:
# Vittinghoff and McCulloch, American Journal of Epidemiology 165, 2007.
FIT_AT_LEAST = 10
# Isotonic regression overfits below about 1,000 examples: Niculescu-Mizil and Caruana, ICML 2005.
ISOTONIC_FROM = 1000
ISOTONIC_FROM_RARER = 100
# Even where the risk allows less: a passage that more likely is no answer never opens the gate.
LOWEST_THRESHOLD = 0.5

METHODS = ("auto", "platt", "isotonic")


class CalibrationError(MedragError):
    """The questions are not sufficient for the plan. Nothing was stored or changed."""


@dataclass(frozen=True)
class Example:
    """The features of a question's passages, and whether one of them answers the question.

    `is_extra` marks a further example of a question, such as one with documents out of date:
    weights are fitted on it too, but it is not used for the guarantee or the metrics.
    """

    question: str
    features: tuple[tuple[float, float], ...]  # (cosine, coverage) of each; empty: none found
    answerable: bool
    is_extra: bool = False


@dataclass(frozen=True)
class Plan:
    """How to calibrate. `folds` 0 splits once; 2 or more cross-fits, without a guarantee."""

    risk: float = 0.05
    method: str = "auto"
    folds: int = 0
    seed: int = 0


@dataclass(frozen=True)
class Judged:
    """A question that the scores were not fitted on, with its probability and label."""

    question: str
    probability: float
    answerable: bool


@dataclass(frozen=True)
class Fitted:
    """A calibration with its threshold, guarantee and metrics."""

    calibration: Calibration
    method: str
    risk: float
    guarantee: str  # `conformal`, or `none` after cross-fitting
    conformal_threshold: float  # before LOWEST_THRESHOLD
    judged: tuple[Judged, ...]  # by question
    counts: Mapping[str, int]
    metrics: Mapping[str, Any] = field(default_factory=dict)

    @property
    def probabilities(self) -> Floats:
        return np.array([judged.probability for judged in self.judged])

    @property
    def labels(self) -> Bools:
        return np.array([judged.answerable for judged in self.judged], dtype=bool)


def calibrate(examples: Sequence[Example], plan: Plan) -> Fitted:
    """Fit a calibration and set its threshold. Deterministic, in any order of the examples.

    Raises `CalibrationError` with numbers if the examples are too few for the plan, if the features
    don't separate the two kinds of questions, or if no threshold keeps the risk.
    """
    ordered = sorted(examples, key=lambda e: (_digest(e.question, plan.seed), e.is_extra))
    questions = [example for example in ordered if not example.is_extra]
    if plan.folds:
        calibration, method, judged = _cross_fitted(ordered, questions, plan)
    else:
        calibration, method, judged = _split(ordered, questions, plan)
    unanswerable = [j.probability for j in judged if not j.answerable]
    lowest = conformal_threshold(unanswerable, plan.risk)
    threshold = max(lowest, LOWEST_THRESHOLD)
    if threshold > 1:
        raise CalibrationError(
            "Unanswerable questions reach the highest probability, so no threshold keeps the risk.",
            hint="Nothing was changed. Use --method platt, or check whether a guideline "
            "answers those questions.",
        )
    fitted = Fitted(
        calibration=replace(calibration, threshold=threshold),
        method=method,
        risk=plan.risk,
        guarantee="none" if plan.folds else "conformal",
        conformal_threshold=lowest,
        judged=tuple(sorted(judged, key=lambda j: j.question)),
        counts={
            "questions": len(questions),
            "answerable": sum(q.answerable for q in questions),
            "judged": len(judged),
            "judged_unanswerable": len(unanswerable),
        },
    )
    return replace(fitted, metrics=described(fitted.probabilities, fitted.labels, threshold))


def refuse_too_few_answerable(count: int, plan: Plan) -> None:
    """Raise `CalibrationError` if the labels alone show too few answerable questions.

    Checked before the search, which can only reduce their number.
    """
    kept_back = math.ceil(count / plan.folds) if plan.folds else max(count // 2, 1)
    if count - kept_back < FIT_AT_LEAST:
        raise _too_few(count, answerable=True, risk=plan.risk, folds=plan.folds)


def _split(
    examples: Sequence[Example], questions: Sequence[Example], plan: Plan
) -> tuple[Calibration, str, list[Judged]]:
    held_out = _held_out(questions, plan.risk)
    rest = [example for example in examples if example.question not in held_out]
    calibration, method = fit(rest, plan.method)
    judged = [_judged(calibration, q) for q in questions if q.question in held_out]
    return calibration, method, judged


def _held_out(questions: Sequence[Example], risk: float) -> set[str]:
    """Return half of the questions of each kind, or as many unanswerable ones as the risk needs."""
    need = needed_unanswerable(risk)
    held: set[str] = set()
    for answerable, at_least in ((False, need), (True, 1)):
        kind = [q.question for q in questions if q.answerable == answerable]
        share = max(len(kind) // 2, at_least)
        if len(kind) - share < FIT_AT_LEAST:
            raise _too_few(len(kind), answerable=answerable, risk=risk)
        held.update(kind[:share])
    return held


def _cross_fitted(
    examples: Sequence[Example], questions: Sequence[Example], plan: Plan
) -> tuple[Calibration, str, list[Judged]]:
    """Judge each question by weights fitted on the other folds; return a calibration of all.

    The threshold is then set on scores of other weights than those in use, so nothing is
    guaranteed.
    """
    folds = _folds(questions, plan.folds)
    for answerable in (False, True):
        kind = [q for q in questions if q.answerable == answerable]
        need = 0 if answerable else needed_unanswerable(plan.risk)
        left = len(kind) - math.ceil(len(kind) / plan.folds)
        if len(kind) < need or left < FIT_AT_LEAST:
            raise _too_few(len(kind), answerable=answerable, risk=plan.risk, folds=plan.folds)
    judged: list[Judged] = []
    for fold in range(plan.folds):
        rest = [example for example in examples if folds[example.question] != fold]
        calibration, _ = fit(rest, plan.method)
        judged += [_judged(calibration, q) for q in questions if folds[q.question] == fold]
    whole, method = fit(examples, plan.method)
    return whole, method, judged


def _folds(questions: Iterable[Example], count: int) -> dict[str, int]:
    """Assign the questions of each kind to folds in turn."""
    dealt: dict[bool, int] = defaultdict(int)
    folds: dict[str, int] = {}
    for question in questions:
        folds[question.question] = dealt[question.answerable] % count
        dealt[question.answerable] += 1
    return folds


def fit(examples: Sequence[Example], method: str) -> tuple[Calibration, str]:
    """Fit a calibration without a threshold; return it with the method that was used."""
    found = [example for example in examples if example.features]
    labels = np.array([example.answerable for example in found], dtype=bool)
    if labels.all() or not labels.any():
        raise CalibrationError(
            "Passages were found only for answerable or only for unanswerable questions.",
            hint="Check that the guidelines of the questions are published and indexed.",
        )
    weights = np.array([1.0, 1.0])
    intercept = 0.0
    for _ in range(ROUNDS):
        best = np.array([_best(example, weights) for example in found])
        intercept, after = platt(best, labels)
        if np.array_equal(after, weights):
            break
        weights = after
    if not weights.any():
        raise CalibrationError(
            "Neither cosine nor coverage separates the answerable questions from the others.",
            hint="Check the labels, and that the guidelines of the questions are published.",
        )
    method = _method(method, labels)
    scores = [max(intercept + float(np.dot(weights, pair)) for pair in e.features) for e in found]
    knots = isotonic(scores, labels) if method == "isotonic" else ()
    cosine, coverage = (float(weight) for weight in weights)
    return Calibration(intercept, cosine, coverage, version="", encoder="", knots=knots), method


def _method(wanted: str, labels: Bools) -> str:
    """Return the method to use: isotonic regression only with enough questions.

    Raises CalibrationError if it was asked for and there are too few.
    """
    rarer = int(min(labels.sum(), (~labels).sum()))
    enough = len(labels) >= ISOTONIC_FROM and rarer >= ISOTONIC_FROM_RARER
    if wanted == "isotonic" and not enough:
        raise CalibrationError(
            f"Isotonic regression overfits on {len(labels)} examples, {rarer} of the rarer kind; "
            f"it takes {ISOTONIC_FROM:,} and {ISOTONIC_FROM_RARER}.",
            hint="Use --method platt.",
        )
    if wanted == "auto":
        return "isotonic" if enough else "platt"
    return wanted


def _best(example: Example, weights: Floats) -> tuple[float, float]:
    return max(example.features, key=lambda pair: (float(weights @ np.array(pair)), pair))


def _judged(calibration: Calibration, example: Example) -> Judged:
    """Judge a question as the gate does: by its best passage, 0 without passages."""
    scores = [calibration.score_at(*pair) for pair in example.features]
    probability = calibration.probability_at(max(scores)) if scores else 0.0
    return Judged(example.question, probability, example.answerable)


def _too_few(count: int, *, answerable: bool, risk: float, folds: int = 0) -> CalibrationError:
    if answerable:
        return CalibrationError(
            f"{count} answerable questions are too few to fit and to judge the gate.",
            hint=f"Nothing was changed. Use at least {2 * FIT_AT_LEAST}.",
        )
    need = needed_unanswerable(risk)
    wanted = need + FIT_AT_LEAST
    if folds:
        wanted = max(need, math.ceil(FIT_AT_LEAST * folds / (folds - 1)))
    left = count - FIT_AT_LEAST
    promise = f" These allow no guarantee below {smallest_risk(left):.3f}." if left > 0 else ""
    return CalibrationError(
        f"{count} unanswerable questions can't guarantee a risk of {risk:g}: that needs {wanted}."
        + promise,
        hint="Nothing was changed. Add questions that no guideline answers, or allow a higher "
        "--risk.",
    )


def _digest(question: str, seed: int) -> str:
    """Return a key to shuffle by that depends on question and seed, not on the file's order."""
    return hashlib.sha256(f"{seed}\0{question}".encode()).hexdigest()
