"""Measure how well a system refuses, over all items of a run. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from evaluation.measures.types import AnsweredItem
from evaluation.metrics.selective import Point, aurc, auroc, risk_coverage

THRESHOLDS = (0.50, 0.60, 0.75)


@dataclass(frozen=True)
class Selective:
    """The answers and refusals of a run. A figure without a value is None."""

    n: int
    answered: int
    refused: int
    answerable: int  # questions that can be answered
    unanswerable: int  # questions that can't
    wrongly_answered: int  # of the questions that can't be answered
    wrongly_refused: int  # of the questions that can be answered
    unlabelled: int  # questions that the set does not say this of
    judged: int  # answered, with a confidence and a loss: the items of the curve
    curve: tuple[Point, ...]  # coverage of all items
    aurc: float | None  # of the judged ones
    auroc_right: float | None  # of the confidence, for right answers against others
    auroc_answerable: float | None  # of the confidence, for answerable questions against others
    thresholds: tuple[Threshold, ...]


@dataclass(frozen=True)
class Threshold:
    """The figures of a run if only confidences from this threshold on were answered."""

    threshold: float
    answered: int
    abstention_rate: float | None  # of all items; None for no item
    faithfulness: float | None  # the mean over `n` of those answered
    n: int


def loss_of(item: AnsweredItem, faithfulness: float | None) -> float | None:
    """Return the loss of an answer, [0, 1]: 1 - faithfulness, or 1 for an unanswerable question.

    None for a refused question, and if the faithfulness is unknown.
    """
    if item.is_refused:
        return None
    if item.is_answerable is False:
        return 1.0
    return None if faithfulness is None else 1.0 - faithfulness


def selective(items: Sequence[AnsweredItem], faithfulness: Sequence[float | None]) -> Selective:
    """Measure all items of a run; `faithfulness` has a value or None for each.

    A refused question lowers the coverage, whatever its confidence. An answer without any loss is
    right.
    """
    losses = [loss_of(item, faith) for item, faith in zip(items, faithfulness, strict=True)]
    judged = [
        (item.confidence, loss)
        for item, loss in zip(items, losses, strict=True)
        if item.confidence is not None and loss is not None
    ]
    sure, loss = [pair[0] for pair in judged], [pair[1] for pair in judged]
    labelled = [
        each for each in items if each.confidence is not None and each.is_answerable is not None
    ]
    refused = sum(item.is_refused for item in items)
    return Selective(
        n=len(items),
        answered=len(items) - refused,
        refused=refused,
        answerable=sum(item.is_answerable is True for item in items),
        unanswerable=sum(item.is_answerable is False for item in items),
        wrongly_answered=sum(not item.is_refused and item.is_answerable is False for item in items),
        wrongly_refused=sum(item.is_refused and item.is_answerable is True for item in items),
        unlabelled=sum(item.is_answerable is None for item in items),
        judged=len(judged),
        curve=tuple(risk_coverage(sure, loss, total=len(items))),
        aurc=aurc(sure, loss),
        auroc_right=auroc(sure, [each == 0 for each in loss]),
        auroc_answerable=auroc(
            [each.confidence or 0.0 for each in labelled],
            [bool(each.is_answerable) for each in labelled],
        ),
        thresholds=tuple(_at(threshold, items, faithfulness) for threshold in THRESHOLDS),
    )


def _at(
    threshold: float, items: Sequence[AnsweredItem], faithfulness: Sequence[float | None]
) -> Threshold:
    kept = [
        faith
        for item, faith in zip(items, faithfulness, strict=True)
        if not item.is_refused and item.confidence is not None and item.confidence >= threshold
    ]
    known = [faith for faith in kept if faith is not None]
    return Threshold(
        threshold,
        len(kept),
        1 - len(kept) / len(items) if items else None,
        float(np.mean(known)) if known else None,
        len(known),
    )
