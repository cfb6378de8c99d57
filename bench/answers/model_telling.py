"""Report a run with a language model that knows the answers, in Markdown. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from bench.answers.model_asking import ModelAsked, ModelOrder
from evaluation.metrics.statistics import interval
from evaluation.question_sets.patterned import Half

_SHOWN = 300  # characters of a claim that the list shows


def model_lines(asked: Sequence[ModelAsked], order: ModelOrder) -> list[str]:
    """Return shares and failed checks by half of the documents, and claims of the looked-at half.

    No claim of the counted half is shown.
    """
    return [
        f"mode {order.mode}, gate {'open' if order.is_gate_open else 'as shipped'}"
        + (", a judge that is right" if order.is_judged else ""),
        "",
        *_shares(asked),
        "",
        *_stops(asked),
        "",
        *_looked_at(asked),
    ]


def _shares(asked: Sequence[ModelAsked]) -> Iterator[str]:
    yield f"| share | {' | '.join(Half)} |"
    yield "|---|" + "---|" * len(Half)
    answerable = [each for each in asked if each.is_answerable]
    others = [each for each in asked if not each.is_answerable]
    rows: list[tuple[str, Sequence[ModelAsked], Callable[[ModelAsked], bool]]] = [
        ("reached the model, of answerable", answerable, lambda each: each.calls > 0),
        ("answered, of answerable", answerable, lambda each: each.shown > 0),
        ("shown, of those whose answer was there", _there(asked), lambda each: each.shown > 0),
        ("shown whole, of the same", _there(asked), lambda e: e.shown > 0 and not e.stopped_by),
        ("refused, of unanswerable", others, lambda each: not each.shown),
    ]
    for name, of, test in rows:
        cells = [_cell([test(each) for each in of if each.half == half]) for half in Half]
        yield f"| {name} | {' | '.join(cells)} |"


def _there(asked: Sequence[ModelAsked]) -> list[ModelAsked]:
    """Return the results for which the model found an answer among its passages."""
    return [each for each in asked if each.stretches]


def _cell(values: Sequence[bool]) -> str:
    if not values:
        return "-"
    found = interval([float(value) for value in values])
    return f"{sum(values)} of {len(values)}, {found.mean:.1%} ({found.low:.1%} to {found.high:.1%})"


def _stops(asked: Sequence[ModelAsked]) -> Iterator[str]:
    yield f"| stopped by | {' | '.join(Half)} |"
    yield "|---|" + "---|" * len(Half)
    counts = Counter((why, each.half) for each in asked for why in _why(each))
    for name in sorted({why for why, _ in counts}):
        yield f"| {name} | {' | '.join(str(counts[name, half]) for half in Half)} |"


def _why(each: ModelAsked) -> list[str]:
    """Return the checks that stopped claims, or the refusal's reason where nothing was claimed."""
    if each.stopped_by:
        return [why.partition(":")[0] for why in each.stopped_by]
    return [] if each.shown or not each.is_answerable else [f"no claim ({each.reason})"]


def _looked_at(asked: Sequence[ModelAsked]) -> Iterator[str]:
    for each in asked:
        if each.half == Half.LOOKED_AT and each.is_answerable:
            state = "shown" if each.shown else f"not shown ({each.reason})"
            kind = f" ({each.kind})" if each.kind else ""
            yield f"- {each.id}{kind}: {state}. {each.said[:_SHOWN]}"
            yield from (f"  - {why[:_SHOWN]}" for why in each.stopped_by)
