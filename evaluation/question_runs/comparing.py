"""Two runs of the same questions, item by item."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from core.errors import MedragError
from evaluation.metrics.statistics import Difference, difference
from evaluation.models import QuestionRun, ResultState
from evaluation.question_runs.result_card import in_order
from evaluation.tables import comparison_table

# What was started otherwise is named, since it may be why they differ.
_TOLD = ("configuration", "corpus", "version", "seed")
SEMANTICS = (
    "Two-sided paired randomisation test, not corrected for the number of rows; 95 % percentile "
    "bootstrap over items. Both are seeded. Above 0 the second has more of it."
)


class RunsDiffer(MedragError):
    """Two runs that have nothing to compare."""


@dataclass(frozen=True)
class Compared:
    """The second less the first: by measure, and the items whose outcome is another now."""

    differences: dict[str, Difference]
    items: int  # that both asked
    started_otherwise: tuple[str, ...]
    moved: tuple[tuple[str, str, str], ...]  # key of the question, outcome before and after


def runs_of_questions_compared(first: QuestionRun, second: QuestionRun) -> Compared:
    """Pair the items that both asked. Two queries. Raises RunsDiffer."""
    if first.question_set_id != second.question_set_id:
        raise RunsDiffer("The two runs are of different question sets.")
    before, after = _results(first), _results(second)
    both = sorted(before.keys() & after.keys())
    if not both:
        raise RunsDiffer("No question was asked in both runs.")
    names = {name for key in both for name in before[key][1].keys() & after[key][1].keys()}
    return Compared(
        differences={name: _difference(name, both, before, after) for name in in_order(names)},
        items=len(both),
        started_otherwise=started_otherwise(first, second),
        moved=tuple(
            (key, before[key][0], after[key][0]) for key in both if before[key][0] != after[key][0]
        ),
    )


def started_otherwise(first: QuestionRun, second: QuestionRun) -> tuple[str, ...]:
    """Name what the two were not started alike with."""
    return tuple(name for name in _TOLD if first.frozen.get(name) != second.frozen.get(name))


_Results = dict[str, tuple[str, dict[str, float]]]  # by key of the question: outcome and scores


def _results(run: QuestionRun) -> _Results:
    done = run.results.filter(state=ResultState.DONE)
    rows = done.values_list("question__key", "outcome", "scores")
    return {key: (outcome, scores) for key, outcome, scores in rows}


def _difference(name: str, keys: list[str], before: _Results, after: _Results) -> Difference:
    """Over the items that have a value in both."""
    pairs = [
        (before[key][1][name], after[key][1][name])
        for key in keys
        if name in before[key][1] and name in after[key][1]
    ]
    return difference([a for a, _ in pairs], [b for _, b in pairs])


def comparison_lines(found: Compared) -> Iterator[str]:
    """In Markdown, the differences first."""
    yield f"Second less first, over the {found.items} items that both asked."
    yield ""
    yield from comparison_table(found.differences)
    yield ""
    if found.started_otherwise:
        yield f"They were started otherwise: {', '.join(found.started_otherwise)}."
        yield ""
    for key, before, after in found.moved:
        yield f"- {key}: {before}, then {after}"
    if found.moved:
        yield ""
    yield SEMANTICS
