"""The result card of a run: every measure with n and interval, or why it has no value. Pure.

A mean is over the items with a value; a missing value never counts as 0.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np

from evaluation.choices.accuracy import (
    ALONE,
    FAILED,
    WITH,
    Labelled,
    SetAccuracy,
    read_accuracies,
    set_accuracies,
)
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
LANGUAGE_MODEL = "llm"  # the name of a judge of claims
_KNOWN = {"right": 1.0, "partly": 0.0, "wrong": 0.0, "dangerous": 0.0}


def has_judge(judges: Iterable[Mapping[str, str]]) -> bool:
    """Tell whether a language model judged claims, not the bundled checker in its place."""
    return any(judge["name"] == LANGUAGE_MODEL for judge in judges)


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
        """1 for a right answer and 0 for another; if neither is known, the faithfulness or None.

        Only a language model's: the bundled checker finds verbatim statements faithful, always.
        """
        if self.outcome in _KNOWN:
            return _KNOWN[self.outcome]
        return self.scores.get(FAITHFULNESS) if has_judge(self.judged_by) else None

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

    def asked(self, name: str) -> int:
        """Return how many items were to be judged: those with a value, and those without a judge's.

        More than the n of a mean where a judge failed or was missing: then it is no mean of all.
        """
        lacking = self.not_run.get(name, {}).items()
        unjudged = sum(count for why, count in lacking if why.startswith((JUDGE_FAILED, NOT_RUN)))
        return self.measures[name].n + unjudged

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def read_card(stored: Mapping[str, Any]) -> Card:
    """Rebuild a card from the mapping that `as_json` made."""
    means = stored["measures"]
    measures = {name: Interval(**means[name]) for name in in_order(means)}
    accuracies = read_accuracies(stored.get("accuracies") or ())
    return Card(**{**stored, "measures": measures, "accuracies": accuracies})


def card_of(rows: Iterable[Row], states: Mapping[str, int]) -> Card:
    """Build the card of the items that were asked; `states` counts all items by state."""
    values: defaultdict[str, list[float]] = defaultdict(list)
    reasons: defaultdict[str, Counter[str]] = defaultdict(Counter)
    rows = list(rows)
    for row in rows:
        for name, value in row.scores.items():
            values[name].append(value)
        for name, why in row.not_run.items():
            reasons[name][why] += 1
    outcomes, tokens = Counter(row.outcome for row in rows), [row.tokens for row in rows]
    return Card(
        states=dict(states),
        outcomes=dict(sorted(outcomes.items())),
        measures={name: interval(values[name]) for name in in_order(values)},
        latency_ms=_latency([row.duration_ms for row in rows]),
        tokens={"whole": sum(tokens), "mean": sum(tokens) / len(tokens)} if tokens else {},
        not_run={name: dict(counts) for name, counts in sorted(reasons.items())},
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
    figures = asdict(replace(by_right, thresholds=by_faithfulness.thresholds))
    return {**figures, **{name: list(figures[name]) for name in ("curve", "thresholds")}}


def _judges(rows: Sequence[Row]) -> list[dict[str, str]]:
    """Return each judge once, in the order of items."""
    judges = {(judge["name"], judge["fingerprint"]): None for r in rows for judge in r.judged_by}
    return [{"name": name, "fingerprint": fingerprint} for name, fingerprint in judges]


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
