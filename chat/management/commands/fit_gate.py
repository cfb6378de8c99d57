"""Fit the gate's logistic regression on labelled questions, and print the weights."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from chat.models import Reason
from retrieval.pipeline import retrieve
from retrieval.types import Query, Scope

ROUNDS = 20  # the best passage depends on the weights, so choosing and fitting take turns


@dataclass(frozen=True)
class Example:
    """The features of a question's passages, and whether one of them answers it."""

    features: tuple[tuple[float, float], ...]  # (cosine, coverage) of each
    answerable: bool


class Command(BaseCommand):
    help = "Fit the gate on a JSON list of questions (see tests/golden) about what is indexed."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("questions", type=Path)
        parser.add_argument("--c", type=float, default=30.0, help="inverse L2 regularisation")

    def handle(self, *args: Any, questions: Path, c: float, **options: Any) -> None:
        examples = [
            example
            for question in json.loads(questions.read_text())
            for example in examples_of(question)
        ]
        if len({example.answerable for example in examples}) < 2:
            raise CommandError("Both answerable and unanswerable questions are needed.")
        self.stdout.write(json.dumps(fit(examples, c=c), indent=2))


def examples_of(question: dict[str, Any]) -> list[Example]:
    """In force, and among what has ended where the question is not answerable in force."""
    examples = [_example(question, Scope.IN_FORCE, answerable=question["answerable"])]
    if not question["answerable"]:
        ended = question["reason"] == Reason.ONLY_OUT_OF_DATE
        examples.append(_example(question, Scope.OUT_OF_DATE, answerable=ended))
    return [example for example in examples if example.features]


def fit(examples: Sequence[Example], *, c: float) -> dict[str, Any]:
    """Weights, the number of examples, and how far the two kinds lie apart."""
    from sklearn.linear_model import LogisticRegression  # late: nothing else needs it

    labels = np.array([example.answerable for example in examples])
    weights = np.array([1.0, 1.0])
    for _ in range(ROUNDS):
        best = np.array([_best(example, weights) for example in examples])
        model = LogisticRegression(C=c, max_iter=1000).fit(best, labels)
        weights = model.coef_[0]
    probability = model.predict_proba(best)[:, 1]
    return {
        "intercept": round(float(model.intercept_[0]), 2),
        "cosine": round(float(weights[0]), 2),
        "coverage": round(float(weights[1]), 2),
        "examples": len(examples),
        "answerable": int(labels.sum()),
        "lowest_answerable": round(float(probability[labels].min()), 3),
        "highest_unanswerable": round(float(probability[~labels].max()), 3),
    }


def _example(question: dict[str, Any], scope: Scope, *, answerable: bool) -> Example:
    query = Query(question["question"], on=timezone.localdate(), scope=scope)
    hits = retrieve(query).hits
    return Example(tuple((hit.cosine, hit.coverage) for hit in hits), answerable)


def _best(example: Example, weights: Any) -> tuple[float, float]:
    return max(example.features, key=lambda pair: float(weights @ np.array(pair)))
