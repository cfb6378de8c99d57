"""What a run of answers is worth: measures by half, with intervals. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from evaluation.answers.asked import Asked
from evaluation.answers.judging import Outcome
from evaluation.answers.questions import Half, Question
from evaluation.stats import Interval, interval, interval_of_ratio

# Shares: of the questions that the documents answer, of those that were answered, or of statements.
OF_ANSWERABLE = (*map(str, Outcome), "right passage in 3", "right passage in 10")
OF_ANSWERED = ("first statement right", "misleading")
OF_UNANSWERABLE = ("unanswerable refused",)
BESIDE = "statements beside the point"
MEASURES = (*OF_ANSWERABLE, *OF_ANSWERED, BESIDE, *OF_UNANSWERABLE)
MAIN = f"{Outcome.FULL}, {Half.COUNTED}"


def scores_of(question: Question, asked: Asked) -> dict[str, float]:
    """Measure -> value of one question; the names carry no half."""
    found = asked.verdict.scores(question)
    if question.is_answerable:
        for depth in (3, 10):
            is_there = asked.rank is not None and asked.rank <= depth
            found[f"right passage in {depth}"] = float(is_there)
    return found


def measured(questions: Sequence[Question], asked: Mapping[str, Asked]) -> dict[str, Interval]:
    """`measure, half` -> mean and 95 % interval; a half without questions has none."""
    found: dict[str, Interval] = {}
    for half in Half:
        scores = [scores_of(q, asked[q.id]) for q in questions if q.half is half]
        if scores:
            found |= {f"{name}, {half}": spread for name, spread in _of_half(scores).items()}
    return found


def _of_half(scores: Sequence[Mapping[str, float]]) -> dict[str, Interval]:
    def over(name: str) -> Interval:
        if name == BESIDE:
            shown = [each for each in scores if "statements" in each]
            return interval_of_ratio(
                [each["beside"] for each in shown], [each["statements"] for each in shown]
            )
        return interval([each[name] for each in scores if name in each])

    return {name: over(name) for name in MEASURES}
