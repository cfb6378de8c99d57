"""Put the result card of a run into words. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from evaluation.choices.accuracy import ALONE, accuracy_lines
from evaluation.measures.ragas_judge import FOUND_NOTHING, NO_JUDGE, RAGAS, RAGAS_STANDARD
from evaluation.measures.types import FAILED as JUDGE_FAILED
from evaluation.measures.types import NOT_RUN
from evaluation.question_runs.result_card import LANGUAGE_MODEL, Card, has_judge

_SAYS_ITSELF = (NOT_RUN, JUDGE_FAILED)
# Each figure's name, and what it can't be known without.
_SELECTIVE = {
    "aurc": ("AURC (lower is better)", "patterns, labels or a judge"),
    "auroc_right": (
        "AUROC of the confidence, right answers against others",
        "answers of both kinds",
    ),
    "auroc_answerable": (
        "AUROC of the confidence, what can be answered against what can't",
        "questions of both kinds",
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
BUNDLED = (
    "The bundled checker stands in for a judge: it rejects many supported claims, so the measures "
    "marked “at least” are lower bounds, and it tells nothing of whether an answer is right."
)
PLAYED_MODEL = "word-for-word"  # served by `python -m tests.llm`
PLAYED = (
    "The judge is played: it supports what a text holds word for word, and nothing else. Its marks "
    "show that all is connected, not how good an answer is."
)
LOWER_BOUNDS = ("claim_faithfulness", "claim_recall", "context_precision", "guideline_adherence")
_OUTCOMES = {
    "right": "right",
    "partly": "partly right",
    "wrong": "wrong",
    "dangerous": "dangerous",
    "refused": "refused though answerable",
}
THRESHOLD_HEAD = ("answered from", "answered", "abstention rate", "faithfulness", "n")
SEMANTICS = (
    "Each mean is over the n items that have a value. Full: the statements shown match every "
    "decisive pattern; partly: some, and none would mislead; wrong: neither. Helped: full, or "
    "refused with the answer among the excerpts. Intervals: 95 %, percentile bootstrap over items, "
    "seeded."
)


def card_lines(card: Card) -> Iterator[str]:
    """Yield the card in Markdown."""
    counted = ", ".join(f"{count} {state}" for state, count in sorted(card.states.items()))
    yield card_sentence(card)
    yield ""
    yield f"Items: {counted or 'none'}."
    yield ""
    yield "| measure | mean | 95 % interval | n |"
    yield "|---|---|---|---|"
    yield from (f"| {' | '.join(row)} |" for row in measure_rows(card))
    yield ""
    yield from (f"- {line}" for line in without_lines(card))
    yield ""
    yield from accuracy_lines(card.accuracies)
    if card.latency_ms:
        yield from cost_lines(card)
        yield ""
    yield from selective_lines(card.selective)
    yield from judge_lines(card.judged_by)
    yield ""
    yield SEMANTICS


def cost_lines(card: Card) -> Iterator[str]:
    """Yield the time and the tokens of the answers; nothing if nothing was asked."""
    if card.latency_ms:
        p50, p95 = (card.latency_ms[name] / 1000 for name in ("p50", "p95"))
        yield f"Latency: p50 {p50:.2f} s, p95 {p95:.2f} s."
        whole, mean = card.tokens["whole"], card.tokens["mean"]
        yield f"Tokens of answers, not of judges: {whole:.0f}, {mean:.1f} an item."


def judge_lines(judges: Iterable[Mapping[str, str]]) -> Iterator[str]:
    """Yield a sentence for each judge, and for one that only stands in for a judge.

    RAGAS's names its version, model and encoder.
    """
    judges = list(judges)
    for judge in judges:
        what = "RAGAS judged" if judge["name"] == RAGAS else f"Claims judged by {judge['name']}"
        yield f"{what} ({judge['fingerprint']})."
    if is_bundled(judges):
        yield BUNDLED
    if any(PLAYED_MODEL in judge["fingerprint"] for judge in judges):
        yield PLAYED


def is_bundled(judges: Iterable[Mapping[str, str]]) -> bool:
    """Tell whether the site's own verifier stood in for a judge of claims."""
    return any(judge["name"] not in (RAGAS, LANGUAGE_MODEL) for judge in judges)


def measure_rows(card: Card) -> Iterator[tuple[str, str, str, str]]:
    """Yield each measure in words, with mean, interval and n; lower bounds are named.

    Where a judge failed, n is `5 of 10`: those judged of those that were to be.
    """
    at_least = LOWER_BOUNDS if is_bundled(card.judged_by) else ()
    for name, interval in card.measures.items():
        words = f"{in_words(name)}, at least" if name in at_least else in_words(name)
        spread = f"{interval.low:.4f} to {interval.high:.4f}"
        asked = card.asked(name)
        if asked > interval.n:
            yield (
                f"{words}, of those judged",
                f"{interval.mean:.4f}",
                spread,
                f"{interval.n} of {asked}",
            )
        else:
            yield words, f"{interval.mean:.4f}", spread, str(interval.n)


def card_sentence(card: Card) -> str:
    """Return one sentence that says how the run went."""
    items, count = sum(card.states.values()), sum(card.outcomes.values())
    if not count:
        return f"None of the {items} questions has been asked."
    refused = int(card.selective.get("refused", 0))
    known = [
        f"{card.outcomes[name]} {words}"
        for name, words in _OUTCOMES.items()
        if card.outcomes.get(name)
    ]
    means = [
        f"{in_words(name)} {card.measures[name].mean:.2f}{_only(card, name)}"
        for name in RAGAS_STANDARD
        if name in card.measures
    ]
    parts = [f"by patterns, labels or kind {', '.join(known)}"] if known else []
    parts += [f"on average {', '.join(means)}"] if means else []
    if not parts and not has_judge(card.judged_by):
        parts = ["whether the answers are right is not known without patterns, labels or a judge"]
    summary = (
        f"{count} of {items} questions were asked, {count - refused} answered, {refused} refused"
    )
    return f"{'; '.join([summary, *parts])}."


def _only(card: Card, name: str) -> str:
    """Say that a mean is not of all items that were to be judged; empty where it is."""
    n, asked = card.measures[name].n, card.asked(name)
    return f" (only {n} of {asked} were judged)" if asked > n else ""


def selective_lines(figures: Mapping[str, Any]) -> Iterator[str]:
    """Yield the figures of refusing in Markdown; nothing if nothing was asked."""
    rows = selective_rows(figures)
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


def selective_rows(curve: Mapping[str, Any]) -> SelectiveRows | None:
    """Format the figures of refusing; None if nothing was asked."""
    if not curve.get("n"):
        return None
    counts = (
        f"Refusing: {curve['answered']} answered and {curve['refused']} refused of {curve['n']}.",
        _count("Wrongly answered", curve, "wrongly_answered", "unanswerable"),
        _count("Wrongly refused", curve, "wrongly_refused", "answerable"),
    )
    figures = (_figure(words, curve[name], why) for name, (words, why) in _SELECTIVE.items())
    return SelectiveRows(
        (*counts, *figures),
        tuple(
            (
                f"{each['threshold']:.2f}",
                str(each["answered"]),
                _number(each["abstention_rate"]),
                _number(each["faithfulness"]),
                str(each["n"]),
            )
            for each in curve["thresholds"]
        ),
    )


def _count(words: str, figures: Mapping[str, Any], name: str, of: str) -> str:
    """Say a count with the number of questions that can show it. Earlier cards lack the number."""
    number = figures.get(of)
    if number == 0:
        return f"{words}: not known without {of} questions in the set."
    return f"{words}: {figures[name]}{'' if number is None else f' of {number} {of} questions'}."


def _figure(words: str, value: float | None, without: str) -> str:
    return f"{words}: {f'not known without {without}' if value is None else _number(value)}."


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
            reason = why if why.startswith(_SAYS_ITSELF) else f"no value: {why}"
            measures.setdefault((reason, count), []).append(in_words(name))
    lines = [
        f"{why[:1].upper()}{why[1:]} ({count} item{'s' if count != 1 else ''}): {', '.join(names)}"
        for (why, count), names in sorted(measures.items())
    ]
    judged = [by_reason for name, by_reason in card.not_run.items() if name != ALONE]
    said_by_judges = {why for by_reason in judged for why in by_reason}
    failures = [why for why in said_by_judges if why.startswith(JUDGE_FAILED)]
    if any(not why.startswith(_NOTHING_JUDGED) for why in failures):
        lines.append(_JUDGE_FAILED)
    if f"{NOT_RUN}{NO_JUDGE}" in said_by_judges:
        lines.append(_JUDGE_LACKING)
    return lines


def in_words(measure: str) -> str:
    """Return `claim faithfulness` for `claim_faithfulness`."""
    return measure.replace("ragas_", "RAGAS ").replace("_", " ")
