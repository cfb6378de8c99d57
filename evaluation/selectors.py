"""Read runs, scores and question sets."""

from __future__ import annotations

from django.db.models import Count, QuerySet

from evaluation.measures.patterns import Outcome
from evaluation.metrics import Scores
from evaluation.metrics.comparing import MAIN, NOT_BOTH_SERVED, compared
from evaluation.metrics.statistics import Difference
from evaluation.models import ItemScore, Kind, QuestionSet, Run
from evaluation.question_sets.patterned import Half

MAIN_OF_ANSWERS = f"{Outcome.FULL}, {Half.COUNTED}"


def runs_listed() -> QuerySet[Run]:
    """Return runs with their test set and user, the latest first."""
    return Run.objects.select_related("test_set", "by")


def question_sets_listed() -> QuerySet[QuestionSet]:
    """Return question sets by name, each with its user and its number of questions, `how_many`."""
    sets = QuestionSet.objects.select_related("by").defer("notes")
    return sets.annotate(how_many=Count("questions"))


def run_scores(run: Run) -> Scores:
    """Return a run's scores, measure -> query -> value, in order of query. Runs one query."""
    items = ItemScore.objects.filter(run=run).order_by().values_list("query", "scores")
    scores: Scores = {}
    for query, values in sorted(items, key=lambda item: item[0]):
        for name, value in values.items():
            scores.setdefault(name, {})[query] = value
    return scores


def main_measure(run: Run) -> str:
    """Return the name of the measure by which a run is listed and compared."""
    return MAIN_OF_ANSWERS if run.kind == Kind.ANSWERS else MAIN


def runs_compared(first: Run, second: Run) -> dict[str, Difference]:
    """Return the second run less the first. Runs two queries.

    Raises ValueError for runs over different test sets, or if only one was asked as served.
    """
    if first.test_set_id != second.test_set_id:
        raise ValueError("The two runs are over different test sets.")
    if len({bool(run.fingerprints.get("as_served")) for run in (first, second)}) != 1:
        raise ValueError(NOT_BOTH_SERVED)
    return compared(run_scores(first), run_scores(second))


def queries_that_differ(
    first: Scores, second: Scores, *, measure: str
) -> list[tuple[str, float, float]]:
    """Return each query whose values of `measure` differ, with both, the largest change first."""
    before, after = first.get(measure, {}), second.get(measure, {})
    moved = [(q, value, after[q]) for q, value in before.items() if after.get(q, value) != value]
    return sorted(moved, key=lambda row: (-abs(row[2] - row[1]), row[0]))
