"""Judge whether a run is fit for release, against a baseline, by the rules in a hospital's file."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

from core.errors import MedragError
from evaluation.measures.concepts import CONCEPT_MEASURES
from evaluation.measures.measure import MEASURES
from evaluation.metrics.statistics import Finding, non_inferiority
from evaluation.models import (
    Question,
    QuestionKind,
    QuestionResult,
    QuestionRun,
    ResultOutcome,
    ResultState,
    RunState,
)
from evaluation.question_runs.comparing import RunsDiffer
from evaluation.question_runs.measuring import unjudged

# Which questions can reveal a dangerous or wrong answer: for the others 0 would mean nothing.
_CAN_TELL: dict[str, Callable[[Question], bool]] = {
    ResultOutcome.DANGEROUS: lambda q: bool(q.patterns.get("dangerous") or q.patterns.get("list")),
    ResultOutcome.WRONG: lambda q: bool(
        q.kind == QuestionKind.UNANSWERABLE or q.patterns.get("decisive") or q.gold_label
    ),
}
_OPEN_UNIT = {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1}
_RULE = {
    "measure": {"type": "string", "minLength": 1},
    "direction": {"enum": ["higher", "lower"]},
    "margin": _OPEN_UNIT,
    "confidence": _OPEN_UNIT,
}
_NEVER = {
    "outcome": {"enum": [str(each) for each in _CAN_TELL]},
    "at_most": {"type": "integer", "minimum": 0},
}


def _table(fields: dict[str, Any], required: list[str]) -> dict[str, Any]:
    of_one = {"type": "object", "properties": fields, "required": required}
    return {"type": "array", "items": {**of_one, "additionalProperties": False}}


_FORM = Draft202012Validator(
    {
        "type": "object",
        "properties": {
            "rule": _table(_RULE, ["measure", "direction", "margin"]),
            "never": _table(_NEVER, ["outcome"]),
        },
        "additionalProperties": False,
        "minProperties": 1,
    }
)


class RulesError(MedragError):
    """The file of rules can't be used. Nothing was judged."""

    hint = "Nothing was judged. docs/evaluating.md shows how to write rules."


@dataclass(frozen=True)
class Rule:
    """The candidate's mean of a measure is at most `margin` worse."""

    measure: str
    direction: str  # which is better, `higher` or `lower`
    margin: float  # (0, 1), in the measure's own unit
    confidence: float = 0.95


@dataclass(frozen=True)
class Never:
    """At most `at_most` answers of the candidate have this outcome."""

    outcome: str
    at_most: int = 0


@dataclass(frozen=True)
class Judged:
    """Whether a rule holds, and a sentence that says why."""

    holds: bool
    sentence: str


def read_rules(path: Path) -> list[Rule | Never]:
    """Read a TOML file of `[[rule]]` and `[[never]]` tables. Raises RulesError."""
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"), parse_float=_finite)
    except OSError as error:
        raise RulesError(f"{path} can't be read: {error.strerror}.") from error
    except ValueError as error:  # no TOML, or not in UTF-8
        raise RulesError(f"{path} is not a file of rules: {error}.") from error
    for fault in _FORM.iter_errors(content):
        place = " ".join(str(part + 1 if isinstance(part, int) else part) for part in fault.path)
        raise RulesError(f"{path}: {place or 'the file'}: {fault.message}.")
    rules = [Rule(**each) for each in content.get("rule", ())]
    nevers = [Never(**each) for each in content.get("never", ())]
    if not rules and not nevers:
        raise RulesError(f"{path} has no rule.")
    return [*rules, *nevers]


def _finite(text: str) -> float:
    if not math.isfinite(value := float(text)):
        raise ValueError(f"{text} is no number that a rule can have")
    return value


def release_judged(
    baseline: QuestionRun, candidate: QuestionRun, rules: Sequence[Rule | Never]
) -> list[Judged]:
    """Judge each rule, in order; the candidate is fit for release if all hold. Runs two queries.

    Since all must hold, no correction for their number is needed (Berger, Technometrics 1982).
    Raises RunsDiffer unless both runs asked the same items, all of them.
    """
    if baseline.pk == candidate.pk:
        raise RunsDiffer("A run can't be its own baseline.")
    if baseline.question_set_id != candidate.question_set_id:
        raise RunsDiffer("The two runs are of different question sets.")
    before, after = _finished(baseline), _finished(candidate)
    if before.keys() != after.keys():
        raise RunsDiffer("Nothing was judged: the two runs asked different questions of the set.")
    pairs = [(before[pk], after[pk]) for pk in sorted(before)]
    return [
        _judged(rule, pairs) if isinstance(rule, Rule) else _counted(rule, list(after.values()))
        for rule in rules
    ]


def _finished(run: QuestionRun) -> dict[int, QuestionResult]:
    """Return each result by its question. Raises RunsDiffer if the run is unfinished."""
    results = list(run.results.select_related("question").order_by("place"))
    unfinished = sum(result.state != ResultState.DONE for result in results)
    if run.state != RunState.DONE or unfinished or not results:
        raise RunsDiffer(
            f"Run {run.pk} is unfinished: {unfinished} of {len(results)} questions have no result.",
            hint=f"manage.py evaluate run --resume {run.pk} continues a run that was ended.",
        )
    return {result.question_id: result for result in results}


def _judged(rule: Rule, pairs: Sequence[tuple[QuestionResult, QuestionResult]]) -> Judged:
    name = rule.measure
    for place, run in enumerate(("baseline", "candidate")):
        if not any(name in pair[place].scores for pair in pairs):
            return Judged(False, f"Fails: {name} was not computed in the {run}.")
    for place, run in enumerate(("candidate", "baseline")):
        results = [pair[1 - place] for pair in pairs]
        count = sum(bool(unjudged(each.detail.get("not_run") or {}, [name])) for each in results)
        if count:
            pk = results[0].run_id
            return Judged(
                False,
                f"Fails: {name} of {count} of {len(pairs)} items of the {run} was not judged, so "
                f"how good they are is not known. Once the judge answers: manage.py evaluate run "
                f"--measure-again {pk}.",
            )
    if name in CONCEPT_MEASURES:
        if len({result.run.frozen.get("concepts") for result in pairs[0]}) > 1:
            return Judged(False, f"Fails: {name} was measured by other concepts in each run.")
    elif name in MEASURES and _judges(a for a, _ in pairs) != _judges(b for _, b in pairs):
        return Judged(False, f"Fails: {name} was judged by another judge in each run.")
    both = [
        (a.scores[name], b.scores[name]) for a, b in pairs if name in a.scores.keys() & b.scores
    ]
    tested = non_inferiority(
        [a for a, _ in both],
        [b for _, b in both],
        margin=rule.margin,
        confidence=rule.confidence,
        is_higher_better=rule.direction == "higher",
    )
    d = tested.difference
    seen = (
        f"{name} ({rule.direction} is better): {d.mean:+.4f}, {rule.confidence:.4g} interval "
        f"{d.low:+.4f} to {d.high:+.4f}, {d.n} of {len(pairs)} items"
    )
    sentences = {
        Finding.AS_GOOD: f"Holds: {seen}; not worse by {rule.margin:g} or more.",
        Finding.WORSE: f"Fails: {seen}; worse by more than {rule.margin:g}.",
        Finding.UNCLEAR: f"Fails: {seen}; too few items to rule out that it is worse by "
        f"{rule.margin:g} (at least {tested.needed} are needed).",
    }
    return Judged(tested.finding is Finding.AS_GOOD, sentences[tested.finding])


def _judges(results: Iterable[QuestionResult]) -> set[tuple[str, str]]:
    judges = (judge for each in results for judge in each.detail.get("judged_by") or ())
    return {(judge["name"], judge["fingerprint"]) for judge in judges}


def _counted(rule: Never, results: Sequence[QuestionResult]) -> Judged:
    of = sum(_CAN_TELL[rule.outcome](result.question) for result in results)
    if not of:
        return Judged(
            False, f"Fails: no question of the run can tell whether one is {rule.outcome}."
        )
    count = sum(result.outcome == rule.outcome for result in results)
    holds = count <= rule.at_most
    return Judged(
        holds,
        f"{'Holds' if holds else 'Fails'}: {count} {rule.outcome} of the {of} items that can tell, "
        f"{rule.at_most} allowed.",
    )
