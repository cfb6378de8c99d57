"""Measures of a run of answers, by half, with intervals. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bench.answers.asked import Asked
from evaluation.measures.patterns import Outcome
from evaluation.metrics.statistics import Interval, interval, interval_of_ratio
from evaluation.question_sets.patterned import Half, Question

# Names of measures, by the questions that each is a share of; BESIDE is a share of statements.
OF_ALL = ("dangerous",)
OF_ANSWERABLE = (*map(str, Outcome), "helped", "right passage in 3", "right passage in 10")
OF_ANSWERED = ("first statement right", "misleading")
OF_UNANSWERABLE = ("unanswerable refused",)
BESIDE = "statements beside the point"
MEASURES = (*OF_ALL, *OF_ANSWERABLE, *OF_ANSWERED, BESIDE, *OF_UNANSWERABLE)


def scores_of(question: Question, asked: Asked) -> dict[str, float]:
    """Return `measure, half` -> value for one question."""
    found = asked.verdict.scores(question)
    if question.is_answerable:
        for depth in (3, 10):
            is_there = asked.rank is not None and asked.rank <= depth
            found[f"right passage in {depth}"] = float(is_there)
    return {f"{name}, {question.half}": value for name, value in found.items()}


def measured(questions: Sequence[Question], asked: Mapping[str, Asked]) -> dict[str, Interval]:
    """Return `measure, half` -> mean and 95 % interval; without measures of no question."""
    values: dict[str, list[float]] = {}
    for question in questions:
        for name, value in scores_of(question, asked[question.id]).items():
            values.setdefault(name, []).append(value)
    found: dict[str, Interval] = {}
    for half in Half:
        names = {f"{name}, {half}": values.get(f"{name}, {half}") for name in MEASURES}
        found |= {name: interval(each) for name, each in names.items() if each}
        if shown := values.get(f"statements, {half}"):
            found[f"{BESIDE}, {half}"] = interval_of_ratio(values[f"beside, {half}"], shown)
    return found
