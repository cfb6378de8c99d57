"""The result card of a run: every measure with its n and interval, and why another has none. Pure.

Values are means over the items that have one; an item without a value is never counted as 0.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from evaluation.metrics.statistics import Interval, interval

# In this order; what other measures there are follows by name.
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
    "label accuracy, refused as wrong",
    "confidence",
    "a part failed",
)
# Counts, and what says the same again: kept with an item, no row of a card.
_NO_ROW = ("statements", "beside")
SEMANTICS = (
    "Each mean is over the n items that have a value. Full: the statements shown match every "
    "decisive pattern; partly: some, and none would mislead; wrong: neither. Helped: full, or "
    "refused with the answer among the excerpts. Intervals: 95 %, percentile bootstrap over items, "
    "seeded."
)


@dataclass(frozen=True)
class Row:
    """One item that was asked: its values, and of what has none why."""

    scores: Mapping[str, float]
    outcome: str
    duration_ms: int
    tokens: int
    not_run: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Card:
    """What a run found. `not_run` is measure -> reason -> number of items."""

    states: Mapping[str, int]
    outcomes: Mapping[str, int]
    measures: Mapping[str, Interval]
    latency_ms: Mapping[str, float]  # p50 and p95; empty where nothing was asked
    tokens: Mapping[str, float]  # whole, and mean of an item
    not_run: Mapping[str, Mapping[str, int]]

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def read_card(stored: Mapping[str, Any]) -> Card:
    """What `as_json` wrote."""
    found = stored["measures"]
    measures = {name: Interval(**found[name]) for name in in_order(found)}
    return Card(**{**stored, "measures": measures})


def card_of(rows: Iterable[Row], states: Mapping[str, int]) -> Card:
    """The card of the items that were asked; `states` counts all items by state."""
    values: dict[str, list[float]] = {}
    reasons: dict[str, Counter[str]] = {}
    outcomes: Counter[str] = Counter()
    durations: list[int] = []
    tokens: list[int] = []
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
    )


def in_order(names: Collection[str]) -> list[str]:
    """Those of `FIRST` in its order, the others after them by name; no row for what is a count."""
    others = sorted(name for name in names if name not in (*FIRST, *_NO_ROW))
    return [*(name for name in FIRST if name in names), *others]


def _latency(durations: list[int]) -> dict[str, float]:
    if not durations:
        return {}
    p50, p95 = np.percentile(durations, [50, 95])
    return {"p50": float(p50), "p95": float(p95)}


def card_lines(card: Card) -> Iterator[str]:
    """The card in Markdown."""
    counted = ", ".join(f"{count} {state}" for state, count in sorted(card.states.items()))
    yield f"Items: {counted or 'none'}."
    yield ""
    yield "| measure | mean | 95 % interval | n |"
    yield "|---|---|---|---|"
    for name, found in card.measures.items():
        yield f"| {name} | {found.mean:.4f} | {found.low:.4f} to {found.high:.4f} | {found.n} |"
    for line in not_run_lines(card):
        name, _, why = line.partition(": ")
        yield f"| {name} | {why} | | |"
    yield ""
    if card.latency_ms:
        p50, p95 = (card.latency_ms[name] / 1000 for name in ("p50", "p95"))
        yield f"Latency: p50 {p50:.2f} s, p95 {p95:.2f} s."
        whole, mean = card.tokens["whole"], card.tokens["mean"]
        yield f"Tokens: {whole:.0f}, {mean:.1f} an item."
        yield ""
    yield SEMANTICS


def not_run_lines(card: Card) -> Iterator[str]:
    """`measure: not run: why (n items)`, a line for each reason."""
    for name, reasons in card.not_run.items():
        for why, count in sorted(reasons.items()):
            yield f"{name}: not run: {why} ({count} item{'s' if count != 1 else ''})"
