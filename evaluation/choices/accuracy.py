"""Measure how often the right label is given, with retrieval and by the model alone. Pure.

If the model was asked alone, both are measured over the questions with a value in both.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evaluation.metrics.statistics import Difference, Interval, difference, interval
from evaluation.tables import p_text

WITH, ALONE = "label accuracy, refused as wrong", "label accuracy, model alone"
FAILED = "a part failed"
WHOLE = "all"
HEAD = ("set", "with retrieval", "model alone", "difference", "95 % interval", "p", "n", "left out")
SEMANTICS = (
    "Accuracy: the share of questions that are given their right option or label; refused is "
    "wrong. Difference: with retrieval less the model alone, over the same questions; two-sided "
    "paired randomisation test, not corrected for the number of sets. Left out: one of the two has "
    "no value, because a part or an endpoint failed, or no label could be read."
)


@dataclass(frozen=True)
class Labelled:
    """A question with a gold label; `part` is its category, such as one of MIRAGE's data sets."""

    part: str
    scores: Mapping[str, float]

    @property
    def with_retrieval(self) -> float | None:
        """1 or 0; None if a part of the site failed, or no label could be read."""
        return None if self.scores.get(FAILED) else self.scores.get(WITH)

    @property
    def alone(self) -> float | None:
        return self.scores.get(ALONE)


@dataclass(frozen=True)
class SetAccuracy:
    """A set's accuracies, and their difference if the model was also asked alone."""

    name: str
    with_retrieval: Interval
    alone: Interval | None
    difference: Difference | None  # with retrieval less alone
    left_out: int

    @property
    def cells(self) -> tuple[str, ...]:
        """The cells of a row under `HEAD`; a dash for a missing value."""
        difference, n = self.difference, self.with_retrieval.n
        compared = ("-", "-", "-")
        if difference and n:
            spread = f"{difference.low:+.4f} to {difference.high:+.4f}"
            compared = (f"{difference.mean:+.4f}", spread, p_text(difference.p))
        means = (_mean(self.with_retrieval), _mean(self.alone))
        return (self.name, *means, *compared, str(n), str(self.left_out))


def set_accuracies(items: Iterable[Labelled]) -> tuple[SetAccuracy, ...]:
    """Return the accuracies of all items, then of each part by name if there are several.

    If the model was asked alone, each figure is over the items with both values. Empty without
    items.
    """
    items = list(items)
    if not items:
        return ()
    is_compared = any(item.alone is not None for item in items)
    parts: dict[str, list[Labelled]] = {}
    for item in items:
        parts.setdefault(item.part, []).append(item)
    several = sorted(parts.items()) if len(parts) > 1 else []
    return tuple(
        _accuracy(name or "-", labelled, is_compared=is_compared)
        for name, labelled in [(WHOLE, items), *several]
    )


def read_accuracies(stored: Iterable[Mapping[str, Any]]) -> tuple[SetAccuracy, ...]:
    """Rebuild accuracies from the mappings that `asdict` made."""
    return tuple(
        SetAccuracy(
            name=each["name"],
            with_retrieval=Interval(**each["with_retrieval"]),
            alone=Interval(**each["alone"]) if each["alone"] else None,
            difference=Difference(**each["difference"]) if each["difference"] else None,
            left_out=each["left_out"],
        )
        for each in stored
    )


def accuracy_lines(accuracies: Sequence[SetAccuracy]) -> Iterator[str]:
    """Yield the accuracies as a Markdown table; nothing if there are none."""
    if not accuracies:
        return
    yield f"| {' | '.join(HEAD)} |"
    yield f"|{'---|' * len(HEAD)}"
    yield from (f"| {' | '.join(each.cells)} |" for each in accuracies)
    yield ""
    yield SEMANTICS
    yield ""


def _accuracy(name: str, items: Sequence[Labelled], *, is_compared: bool) -> SetAccuracy:
    known = [(item.with_retrieval, item.alone) for item in items]
    if not is_compared:
        values = [value for value, _ in known if value is not None]
        return SetAccuracy(name, interval(values), None, None, len(items) - len(values))
    pairs = [(a, b) for a, b in known if a is not None and b is not None]
    retrieved, alone = [a for a, _ in pairs], [b for _, b in pairs]
    return SetAccuracy(
        name,
        interval(retrieved),
        interval(alone),
        difference(alone, retrieved),
        len(items) - len(pairs),
    )


def _mean(interval: Interval | None) -> str:
    return f"{interval.mean:.4f}" if interval and interval.n else "-"
