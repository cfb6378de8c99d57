"""The result card of a run: every measure with n and interval, or why it has no value. Pure.

A mean is over the items with a value; a missing value never counts as 0.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np

from evaluation.choices.accuracy import (
    ALONE,
    FAILED,
    WITH,
    Labelled,
    SetAccuracy,
    accuracy_lines,
    read_accuracies,
    set_accuracies,
)
from evaluation.measures.ragas_judge import FOUND_NOTHING, NO_JUDGE, RAGAS
from evaluation.measures.selective import selective
from evaluation.measures.types import FAILED as JUDGE_FAILED
from evaluation.measures.types import NOT_RUN, AnsweredItem
from evaluation.metrics.statistics import Interval, interval

# The first measures of a card, in order; others follow by name.
FIRST = (
    "answered",
    "refused",
    "full",
    "partly",
    "wrong",
    "helped",
    "dangerous",
    "first statement right",
    "misleading",
    "unanswerable refused",
    "label accuracy, answered",
    WITH,
    ALONE,
    "confidence",
    FAILED,
)
# Counts, which are stored with an item but are no row of a card.
_NO_ROW = ("statements", "beside")
FAITHFULNESS = "claim_faithfulness"
_KNOWN = {"right": 1.0, "partly": 0.0, "wrong": 0.0, "dangerous": 0.0}
_SAYS_ITSELF = (NOT_RUN, JUDGE_FAILED)
# Each figure's name, and the reason if it has no value.
_SELECTIVE = {
    "aurc": ("AURC (lower is better)", "of no answer is it known whether it is right"),
    "auroc_right": (
        "AUROC of the confidence, right answers against others",
        "it takes both",
    ),
    "auroc_answerable": (
        "AUROC of the confidence, what can be answered against what can't",
        "it takes both",
    ),
}
_NOTHING_JUDGED = f"{JUDGE_FAILED}{FOUND_NOTHING}"  # a judge that works may say this too
_JUDGE_FAILED = (
    "Where a judge failed, the answer is stored and in no mean of that measure. Once [judge] of "
    "MEDRAG_MODELS answers, measure the run again: nothing is asked anew."
)
_JUDGE_LACKING = (
    "To have these too, name a judge by [judge] in the file of MEDRAG_MODELS, start the site again "
    "and measure the run again: nothing is asked anew."
)
THRESHOLD_HEAD = ("answered from", "answered", "abstention rate", "faithfulness", "n")
SEMANTICS = (
    "Each mean is over the n items that have a value. Full: the statements shown match every "
    "decisive pattern; partly: some, and none would mislead; wrong: neither. Helped: full, or "
    "refused with the answer among the excerpts. Intervals: 95 %, percentile bootstrap over items, "
    "seeded."
)


@dataclass(frozen=True)
class Row:
    """One item that was asked: its values, and the reasons of missing ones."""

    scores: Mapping[str, float]
    outcome: str
    duration_ms: int
    tokens: int
    not_run: Mapping[str, str] = field(default_factory=dict)
    confidence: float | None = None
    is_answerable: bool | None = None  # None: the set does not say
    judged_by: Sequence[Mapping[str, str]] = ()  # name and fingerprint of each judge
    part: str | None = None  # the category of a question with a gold label

    @property
    def right(self) -> float | None:
        """1 for a right answer and 0 for another; if neither is known, the faithfulness or None."""
        if self.outcome in _KNOWN:
            return _KNOWN[self.outcome]
        return self.scores.get(FAITHFULNESS)

    @property
    def answered(self) -> AnsweredItem:
        """The item in the type that `selective` takes."""
        return AnsweredItem(
            question="",
            confidence=self.confidence,
            is_refused=not self.scores.get("answered", 0.0),
            is_answerable=self.is_answerable,
        )


@dataclass(frozen=True)
class Card:
    """The results of a run. `not_run` is measure -> reason -> number of items."""

    states: Mapping[str, int]
    outcomes: Mapping[str, int]
    measures: Mapping[str, Interval]
    latency_ms: Mapping[str, float]  # p50 and p95; empty if nothing was asked
    tokens: Mapping[str, float]  # `whole`, and `mean` per item
    not_run: Mapping[str, Mapping[str, int]]
    selective: Mapping[str, Any] = field(default_factory=dict)  # `evaluation.measures.selective`
    judged_by: Sequence[Mapping[str, str]] = ()  # of several, values are not comparable
    accuracies: Sequence[SetAccuracy] = ()  # of questions with a label, by set

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def read_card(stored: Mapping[str, Any]) -> Card:
    """Rebuild a card from the mapping that `as_json` made."""
    found = stored["measures"]
    measures = {name: Interval(**found[name]) for name in in_order(found)}
    accuracies = read_accuracies(stored.get("accuracies") or ())
    return Card(**{**stored, "measures": measures, "accuracies": accuracies})


def card_of(rows: Iterable[Row], states: Mapping[str, int]) -> Card:
    """Build the card of the items that were asked; `states` counts all items by state."""
    values: dict[str, list[float]] = {}
    reasons: dict[str, Counter[str]] = {}
    outcomes: Counter[str] = Counter()
    durations: list[int] = []
    tokens: list[int] = []
    rows = list(rows)
    for row in rows:
        outcomes[row.outcome] += 1
        durations.append(row.duration_ms)
        tokens.append(row.tokens)
        for name, value in row.scores.items():
            values.setdefault(name, []).append(value)
        for name, why in row.not_run.items():
            reasons.setdefault(name, Counter())[why] += 1
    return Card(
        states=dict(states),
        outcomes=dict(sorted(outcomes.items())),
        measures={name: interval(values[name]) for name in in_order(values)},
        latency_ms=_latency(durations),
        tokens={"whole": sum(tokens), "mean": sum(tokens) / len(tokens)} if tokens else {},
        not_run={name: dict(found) for name, found in sorted(reasons.items())},
        selective=_selective(rows),
        judged_by=_judges(rows),
        accuracies=set_accuracies(
            Labelled(row.part, row.scores) for row in rows if row.part is not None
        ),
    )


def _selective(rows: Sequence[Row]) -> dict[str, Any]:
    """Measure refusals: the curve by right answers, the thresholds by faithfulness."""
    items = [row.answered for row in rows]
    by_right = selective(items, [row.right for row in rows])
    by_faithfulness = selective(items, [row.scores.get(FAITHFULNESS) for row in rows])
    found = replace(by_right, thresholds=by_faithfulness.thresholds).as_json()
    return {**found, **{name: list(found[name]) for name in ("curve", "thresholds")}}


def _judges(rows: Sequence[Row]) -> list[dict[str, str]]:
    """Return each judge once, in the order of items."""
    found = {(judge["name"], judge["fingerprint"]): None for r in rows for judge in r.judged_by}
    return [{"name": name, "fingerprint": fingerprint} for name, fingerprint in found]


def in_order(names: Collection[str]) -> list[str]:
    """Return the measures in the order of a card, without counts.

    Those of `FIRST` come first, in its order, the others after them by name.
    """
    others = sorted(name for name in names if name not in (*FIRST, *_NO_ROW))
    return [*(name for name in FIRST if name in names), *others]


def _latency(durations: list[int]) -> dict[str, float]:
    if not durations:
        return {}
    p50, p95 = np.percentile(durations, [50, 95])
    return {"p50": float(p50), "p95": float(p95)}


def card_lines(card: Card) -> Iterator[str]:
    """Yield the card in Markdown."""
    counted = ", ".join(f"{count} {state}" for state, count in sorted(card.states.items()))
    yield f"Items: {counted or 'none'}."
    yield ""
    yield "| measure | mean | 95 % interval | n |"
    yield "|---|---|---|---|"
    for name, found in card.measures.items():
        spread = f"{found.low:.4f} to {found.high:.4f}"
        yield f"| {in_words(name)} | {found.mean:.4f} | {spread} | {found.n} |"
    yield ""
    yield from (f"- {line}" for line in without_lines(card))
    yield ""
    yield from accuracy_lines(card.accuracies)
    if card.latency_ms:
        p50, p95 = (card.latency_ms[name] / 1000 for name in ("p50", "p95"))
        yield f"Latency: p50 {p50:.2f} s, p95 {p95:.2f} s."
        whole, mean = card.tokens["whole"], card.tokens["mean"]
        yield f"Tokens of answers, not of judges: {whole:.0f}, {mean:.1f} an item."
        yield ""
    yield from selective_lines(card.selective)
    yield from judge_lines(card.judged_by)
    yield ""
    yield SEMANTICS


def judge_lines(judges: Iterable[Mapping[str, str]]) -> Iterator[str]:
    """Yield a sentence for each judge; RAGAS's names its version, model and encoder."""
    for judge in judges:
        what = "RAGAS judged" if judge["name"] == RAGAS else f"Claims judged by {judge['name']}"
        yield f"{what} ({judge['fingerprint']})."


def selective_lines(found: Mapping[str, Any]) -> Iterator[str]:
    """Yield the figures of refusing in Markdown; nothing if nothing was asked."""
    rows = selective_rows(found)
    if rows is None:
        return
    yield from rows.said
    yield ""
    yield f"| {' | '.join(THRESHOLD_HEAD)} |"
    yield "|---|---|---|---|---|"
    yield from (f"| {' | '.join(row)} |" for row in rows.thresholds)
    yield ""


@dataclass(frozen=True)
class SelectiveRows:
    """The figures of refusing, as sentences, and as a table by thresholds of confidence."""

    said: tuple[str, ...]
    thresholds: tuple[tuple[str, ...], ...]
    head: tuple[str, ...] = THRESHOLD_HEAD


def selective_rows(found: Mapping[str, Any]) -> SelectiveRows | None:
    """Format the figures of refusing; None if nothing was asked."""
    if not found.get("n"):
        return None
    counts = (
        f"Refusing: {found['answered']} answered and {found['refused']} refused of {found['n']}; "
        f"{found['wrongly_answered']} wrongly answered, {found['wrongly_refused']} wrongly refused."
    )
    figures = (_figure(words, found[name], why) for name, (words, why) in _SELECTIVE.items())
    return SelectiveRows(
        (counts, *figures),
        tuple(
            (
                f"{each['threshold']:.2f}",
                str(each["answered"]),
                _number(each["abstention_rate"]),
                _number(each["faithfulness"]),
                str(each["n"]),
            )
            for each in found["thresholds"]
        ),
    )


def _figure(words: str, value: float | None, why_none: str) -> str:
    return f"{words}: {f'none, {why_none}' if value is None else _number(value)}."


def _number(value: float | None) -> str:
    return "none" if value is None else f"{value:.4f}"


def without_lines(card: Card) -> list[str]:
    """Return a line for each reason of missing values: `No value: why (n items): measure, measure`.

    A line begins with `Not run:` or `Failed:` if the reason does. The last lines say what to do
    about a judge that failed or is missing.
    """
    measures: dict[tuple[str, int], list[str]] = {}
    for name, reasons in card.not_run.items():
        for why, count in reasons.items():
            said = why if why.startswith(_SAYS_ITSELF) else f"no value: {why}"
            measures.setdefault((said, count), []).append(in_words(name))
    lines = [
        f"{why[:1].upper()}{why[1:]} ({count} item{'s' if count != 1 else ''}): {', '.join(names)}"
        for (why, count), names in sorted(measures.items())
    ]
    judged = [found for name, found in card.not_run.items() if name != ALONE]
    said_by_judges = {why for found in judged for why in found}
    failures = [why for why in said_by_judges if why.startswith(JUDGE_FAILED)]
    if any(not why.startswith(_NOTHING_JUDGED) for why in failures):
        lines.append(_JUDGE_FAILED)
    if f"{NOT_RUN}{NO_JUDGE}" in said_by_judges:
        lines.append(_JUDGE_LACKING)
    return lines


def in_words(measure: str) -> str:
    """Return `claim faithfulness` for `claim_faithfulness`."""
    return measure.replace("ragas_", "RAGAS ").replace("_", " ")
