"""Report how a real model fared, in Markdown. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from statistics import mean

from bench.real_model.asked import RealAsked

_SHOWN = 200  # characters of a statement that the list shows


def real_lines(asked: Sequence[RealAsked], model: str) -> list[str]:
    """Return the shares, the checks that withheld claims, RAGAS's measures, and each question."""
    return [
        f"{model}, {len(asked)} questions",
        "",
        *_totals(asked),
        "",
        *_counted("refused", Counter(each.reason for each in asked if each.reason)),
        *_counted("withheld by", Counter(check for e in asked for check, _, _ in e.withheld)),
        "",
        *_ragas([each for each in asked if each.measures]),
        "",
        *(line for each in asked for line in _question(each)),
    ]


def _totals(asked: Sequence[RealAsked]) -> Iterator[str]:
    answered = sum(not each.reason for each in asked)
    shown, withheld = (sum(len(e.shown) for e in asked), sum(len(e.withheld) for e in asked))
    tokens = [sum(e.prompt_tokens for e in asked), sum(e.completion_tokens for e in asked)]
    seconds = sum(each.seconds for each in asked)
    yield f"- answered {answered} of {len(asked)}, refused {len(asked) - answered}"
    yield f"- claims: {shown} shown ({sum(e.found for e in asked)} with another citation), {withheld} withheld"  # noqa: E501  # fmt: skip
    yield f"- {sum(e.calls for e in asked)} calls, {tokens[0]} tokens read, {tokens[1]} written"
    yield f"- {seconds / 60:.1f} minutes, {seconds / max(1, len(asked)):.0f} s a question"


def _counted(what: str, counts: Counter[str]) -> Iterator[str]:
    if counts:
        yield f"- {what}: {', '.join(f'{name} {n}' for name, n in counts.most_common())}"


def _ragas(judged: Sequence[RealAsked]) -> Iterator[str]:
    if not judged:
        return
    minutes = sum(each.judged_seconds for each in judged) / 60
    yield f"RAGAS on {len(judged)} answers, judged by the model itself, {minutes:.1f} minutes:"
    yield ""
    for name in judged[0].measures:
        values = [v for e in judged if isinstance(v := e.measures[name], float)]
        whys = Counter(v for e in judged if isinstance(v := e.measures[name], str))
        scored = f"{mean(values):.2f} (n={len(values)})" if values else "no value"
        yield "; ".join([f"- {name}: {scored}", *(f"{why} ({n})" for why, n in whys.items())])


def _question(each: RealAsked) -> Iterator[str]:
    outcome = each.reason or f"answered, {len(each.shown)} shown"
    yield (
        f"- {each.number}. {each.question} {outcome}; {each.passages} passages, "
        f"{each.prompt_tokens} + {each.completion_tokens} tokens, {each.seconds:.0f} s"
    )
    yield from (f"  - shown: {text[:_SHOWN]}" for text in each.shown)
    for check, detail, text in each.withheld:
        yield f"  - withheld ({check}: {detail[:_SHOWN]}): {text[:_SHOWN]}"
    yield from (f"  - {why[:_SHOWN]}" for why in each.why)
