"""Reads of what was measured."""

from __future__ import annotations

from django.db.models import QuerySet

from evaluation.measured import MAIN, NOT_BOTH_SERVED, compared
from evaluation.metrics import MEASURES, Scores
from evaluation.models import ItemScore, Run
from evaluation.stats import Difference


def runs_listed() -> QuerySet[Run]:
    """The latest first, with what a list shows of each."""
    return Run.objects.select_related("test_set", "by")


def run_scores(run: Run) -> Scores:
    """Measure -> query -> value, queries in order. One query."""
    items = ItemScore.objects.filter(run=run).order_by().values_list("query", "scores")
    scores: Scores = {}
    for query, values in sorted(items, key=lambda item: item[0]):
        for name in MEASURES:
            if name in values:
                scores.setdefault(name, {})[query] = values[name]
    return scores


def runs_compared(first: Run, second: Run) -> dict[str, Difference]:
    """The second less the first. Two queries.

    Raises ValueError for runs over other queries, and where one alone was asked as served.
    """
    if first.test_set_id != second.test_set_id:
        raise ValueError("The two runs are over different test sets.")
    if len({bool(run.fingerprints.get("as_served")) for run in (first, second)}) != 1:
        raise ValueError(NOT_BOTH_SERVED)
    return compared(run_scores(first), run_scores(second))


def queries_that_differ(first: Scores, second: Scores) -> list[tuple[str, float, float]]:
    """Each query with its two values of MAIN where they differ, the largest change first."""
    before, after = first.get(MAIN, {}), second.get(MAIN, {})
    moved = [(q, value, after[q]) for q, value in before.items() if after.get(q, value) != value]
    return sorted(moved, key=lambda row: (-abs(row[2] - row[1]), row[0]))
