"""Compare two runs of the same questions, item by item."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.text import Truncator

from core.errors import MedragError
from evaluation.measures.claims import CLAIM_MEASURES
from evaluation.measures.concepts import CONCEPT_MEASURES
from evaluation.measures.ragas_judge import RAGAS, RAGAS_MEASURES
from evaluation.metrics.statistics import Difference, difference
from evaluation.models import QuestionRun, ResultState
from evaluation.question_runs.result_card import in_order
from evaluation.tables import comparison_table

# Keys of `frozen` that explain no difference of scores, or are digests of others.
_NOT_TOLD = ("items", "items_digest", "measures", "budget", "configuration")
MAX_CHARS = 80  # of a value that is named
SEMANTICS = (
    "Two-sided paired randomisation test, not corrected for the number of rows; 95 % percentile "
    "bootstrap over items. Both are seeded. Above 0 the second has more of it."
)
SAME_SETTINGS = "They were started with the same settings, guidelines and models."


class RunsDiffer(MedragError):
    """The two runs have nothing to compare."""


@dataclass(frozen=True)
class Compared:
    """The second run less the first, by measure, and the items whose outcome changed.

    `left_out` maps a reason to measures that can't be compared, of either run.
    """

    differences: dict[str, Difference]
    left_out: Mapping[str, Sequence[str]]
    items: int  # the number that both asked
    started_otherwise: tuple[OtherSetting, ...]
    moved: tuple[tuple[str, str, str], ...]  # key of the question, outcome before and after


def runs_of_questions_compared(first: QuestionRun, second: QuestionRun) -> Compared:
    """Compare the items that both runs asked. Runs two queries. Raises RunsDiffer."""
    if first.question_set_id != second.question_set_id:
        raise RunsDiffer("The two runs are of different question sets.")
    before, after = _results(first), _results(second)
    both = sorted(before.keys() & after.keys())
    if not both:
        raise RunsDiffer("No question was asked in both runs.")
    names = {name for key in both for name in before[key].scores.keys() & after[key].scores.keys()}
    left_out = _left_out(names, both, before, after)
    if first.frozen.get("concepts") != second.frozen.get("concepts"):
        left_out["measured by other concepts in each run"] = in_order(names & {*CONCEPT_MEASURES})
    names -= {name for measures in left_out.values() for name in measures}
    return Compared(
        differences={name: _difference(name, both, before, after) for name in in_order(names)},
        left_out={why: measures for why, measures in left_out.items() if measures},
        items=len(both),
        started_otherwise=started_otherwise(first, second),
        moved=tuple(
            (key, before[key].outcome, after[key].outcome)
            for key in both
            if before[key].outcome != after[key].outcome
        ),
    )


@dataclass(frozen=True)
class OtherSetting:
    """A setting, named as in `frozen` with dots, and its value in each of two runs."""

    name: str
    first: str
    second: str

    def __str__(self) -> str:
        return f"{self.name}: {self.first}, then {self.second}"


def started_otherwise(first: QuestionRun, second: QuestionRun) -> tuple[OtherSetting, ...]:
    """Return the settings whose values differ between the two runs."""
    before, after = dict(_settings(first.frozen)), dict(_settings(second.frozen))
    return tuple(
        OtherSetting(name, before.get(name, "none"), after.get(name, "none"))
        for name in sorted(before.keys() | after.keys())
        if before.get(name) != after.get(name)
    )


def _settings(frozen: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield each setting with its value; that of a mapping is each of its own."""
    for name, value in frozen.items():
        if name in _NOT_TOLD:
            continue
        if isinstance(value, dict):
            yield from ((f"{name}.{below}", inner) for below, inner in _settings(value))
        else:
            yield name, Truncator(str(value)).chars(MAX_CHARS)


@dataclass(frozen=True)
class _Result:
    outcome: str
    scores: Mapping[str, float]
    judged_by: Sequence[Mapping[str, str]]


_Results = dict[str, _Result]  # by key of the question


def _results(run: QuestionRun) -> _Results:
    done = run.results.filter(state=ResultState.DONE)
    rows = done.values_list("question__key", "outcome", "scores", "detail__judged_by")
    return {key: _Result(outcome, scores, judges or ()) for key, outcome, scores, judges in rows}


def _left_out(
    names: set[str], keys: Sequence[str], before: _Results, after: _Results
) -> dict[str, list[str]]:
    """Return the measures that different judges judged, and those that only one run has."""
    of_first, of_second = (
        {name for key in keys for name in results[key].scores} for results in (before, after)
    )
    by_others = [
        name
        for measures, is_of_ragas in ((CLAIM_MEASURES, False), (RAGAS_MEASURES, True))
        if _judges(keys, before, is_of_ragas=is_of_ragas)
        != _judges(keys, after, is_of_ragas=is_of_ragas)
        for name in measures
        if name in names
    ]
    return {
        "judged by another judge in each run": in_order(by_others),
        "without a value in the second run": in_order(of_first - of_second),
        "without a value in the first run": in_order(of_second - of_first),
    }


def _judges(keys: Sequence[str], results: _Results, *, is_of_ragas: bool) -> set[str]:
    judges = (judge for key in keys for judge in results[key].judged_by)
    return {each["fingerprint"] for each in judges if (each["name"] == RAGAS) is is_of_ragas}


def _difference(name: str, keys: list[str], before: _Results, after: _Results) -> Difference:
    """Compare a measure over the items with a value in both runs."""
    pairs = [
        (before[key].scores[name], after[key].scores[name])
        for key in keys
        if name in before[key].scores and name in after[key].scores
    ]
    return difference([a for a, _ in pairs], [b for _, b in pairs])


def comparison_lines(compared: Compared) -> Iterator[str]:
    """Yield the comparison in Markdown, the differences first."""
    yield f"Differences are second minus first, over the {compared.items} items that both asked."
    yield ""
    yield from comparison_table(compared.differences)
    yield ""
    if compared.started_otherwise:
        yield "They were started with different settings:"
        yield ""
        yield from (f"- {setting}" for setting in compared.started_otherwise)
    else:
        yield SAME_SETTINGS
    yield ""
    if compared.left_out:
        yield from (f"- Left out, {why}: {', '.join(n)}" for why, n in compared.left_out.items())
        yield ""
    for key, before, after in compared.moved:
        yield f"- {key}: {before}, then {after}"
    if compared.moved:
        yield ""
    yield SEMANTICS
