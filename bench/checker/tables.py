"""Tables of a report on verifiers, and which claims only the exact checks stop."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from bench.checker.measure import Checked
from bench.datasets.pairs import LABELS, PairSet
from chat.checks.claims import STOPPED
from chat.evidence.judgements import Evidence, Label
from chat.gate.risk import BINS
from evaluation.metrics.statistics import RESAMPLES, Interval

HEADLINE = (
    "accuracy",
    "accuracy, failures wrong",
    "macro F1",
    "unsupported passed",
    "supported stopped",
    "Brier",
)
SEMANTICS = (
    "Each figure is followed by its 95 % interval and n, the pairs that it is a share of; - where "
    "there is none. Unsupported passed: of the pairs that are contradicted or not found, the share "
    "called supported. Supported stopped: of those that are supported, the share called otherwise. "
    "Macro F1: the mean over the labels that occur. Calibration is of the score as the "
    f"probability of `supported`: Brier, and ECE over {BINS} bins of equal width. Pairs without a "
    "judgement, where a verifier failed, count in `accuracy, failures wrong` alone, as wrong; in "
    "an answer they are a refusal. Ms a pair: of judged pairs, over the calls that judged them. "
    "MB: of a verifier's own files, - where its model is elsewhere. Tokens: "
    "what language models took, as their servers say. "
    "Intervals: percentile bootstrap over those n pairs, "
    f"{RESAMPLES:,} resamples, seeded; where something happened in none of n pairs they are empty, "
    "and up to 3 / n is possible (Hanley and Lippman-Hand, JAMA 1983)."
)


def report_lines(pair_set: PairSet, results: Sequence[Checked]) -> list[str]:
    held = ", ".join(f"{_count(pair_set, label)} {label}" for label in LABELS)
    return [
        f"{pair_set.name}: {len(pair_set.pairs)} pairs ({held}), digest {pair_set.digest[:16]}",
        *pair_set.notes,
        "",
        *_headline(results),
        *(line for result in results for line in _confusion(result)),
        "",
        SEMANTICS,
        *(
            f"{result.name}, {count} of {len(result.pairs)} pairs without a judgement: {note}"
            for result in results
            for note, count in result.notes.items()
        ),
    ]


def pair_lines(results: Sequence[Checked]) -> Iterator[str]:
    """Yield a line for each pair: its id, its label, and each verifier's judgement or null."""
    for place, pair in enumerate(results[0].pairs if results else ()):
        said = {
            result.name: judgement
            and {
                "label": judgement.label.value,
                "score": judgement.score,
                "contradiction": judgement.contradiction,
            }
            for result in results
            for judgement in [result.judgements[place]]
        }
        yield json.dumps({"pair": pair.id, "label": pair.label.value, "said": said})


def _headline(results: Sequence[Checked]) -> Iterator[str]:
    columns = (*HEADLINE, "ECE", "without judgement", "MB", "ms a pair", "tokens")
    yield f"| verifier | {' | '.join(columns)} |"
    yield "|---|" + "---|" * len(columns)
    for result in results:
        cells = [_spread(result.intervals[name]) for name in HEADLINE]
        cells += [_number(result.calibration_error, 3), str(len(result.pairs) - len(result.judged))]
        cells += [_number(result.megabytes), _number(result.ms_a_pair), str(result.tokens)]
        yield f"| {result.name} | {' | '.join(cells)} |"


def _number(value: float | None, places: int = 1) -> str:
    return "-" if value is None else f"{value:.{places}f}"


def _confusion(result: Checked) -> Iterator[str]:
    yield ""
    yield f"{result.name}: fingerprint {result.fingerprint}"
    yield ""
    yield f"| true | {' | '.join(f'said {x}' for x in LABELS)} |"
    yield "|---|" + "---|" * len(LABELS)
    for label, row in zip(LABELS, result.confusion, strict=True):
        yield f"| {label} | {' | '.join(str(int(count)) for count in row)} |"


def _spread(found: Interval) -> str:
    if not found.n:
        return "-"
    return f"{found.mean:.3f} ({found.low:.3f} to {found.high:.3f}, n {found.n})"


def _count(pair_set: PairSet, label: str) -> int:
    return sum(pair.label.value == label for pair in pair_set.pairs)


def claim_lines(checked: Checked) -> list[str]:
    """Return a table in Markdown of what the checks of claims stop that the verifier passes.

    `alone`: no other check stops it.
    """
    passed = [(pair, j) for pair, j in checked.judged if j.label is Label.SUPPORTED]
    stopped = {
        pair.id: [
            check.name
            for check in STOPPED
            if check(pair.claim, Evidence((pair.evidence,), pair.context))
        ]
        for pair, _ in passed
    }
    true = {pair.id: pair.label is Label.SUPPORTED for pair, _ in passed}
    lines = [
        f"Of {len(checked.pairs)} pairs the verifier passes {sum(true.values())} true claims and "
        f"{len(true) - sum(true.values())} others; the checks stop:",
        "",
        "| check | not supported | alone | supported | alone |",
        "|---|---|---|---|---|",
    ]
    for check in STOPPED:
        cells = [check.name]
        for wanted in (False, True):
            by = [names for key, names in stopped.items() if true[key] is wanted]
            cells.append(str(sum(check.name in names for names in by)))
            cells.append(str(sum(names == [check.name] for names in by)))
        lines.append(f"| {' | '.join(cells)} |")
    return lines
