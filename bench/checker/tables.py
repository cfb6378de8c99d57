"""Report verifiers' measures as Markdown and JSON. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from bench.checker.measure import Checked
from bench.datasets.pairs import LABELS, PairSet
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
    "Macro F1: the mean over the labels that occur. By label, precision is over the pairs called "
    "it, recall over those that are it, F1 over both. Calibration is of the score as the "
    f"probability of `supported`: Brier, and ECE over {BINS} bins of equal width. Pairs without a "
    "judgement, where a verifier failed, count in `accuracy, failures wrong` alone, as wrong; in "
    "an answer they are a refusal. Pairs/s: of judged pairs, over the calls that judged them; ms a "
    "pair is its inverse. MB: of a verifier's own files, - where its model is elsewhere. Tokens: "
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
        *(line for result in results for line in _details(result)),
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


def calibration_json(result: Checked) -> dict[str, Any]:
    """Return the measures without an interval: confusion, calibration and speed.

    Null where nothing was judged.
    """
    return {
        "labels": list(LABELS),
        "confusion": [[int(count) for count in row] for row in result.confusion],
        "ECE": result.calibration_error,
        "reliability": [asdict(each) for each in result.bins],
        "pairs_per_s": result.pairs_per_s,
    }


def _headline(results: Sequence[Checked]) -> Iterator[str]:
    columns = (*HEADLINE, "ECE", "without judgement", "pairs/s", "MB", "ms a pair", "tokens")
    yield f"| verifier | {' | '.join(columns)} |"
    yield "|---|" + "---|" * len(columns)
    for result in results:
        figures = " | ".join(_spread(result.intervals[name]) for name in HEADLINE)
        failed = len(result.pairs) - len(result.judged)
        error, speed = result.calibration_error, result.pairs_per_s
        calibrated = "-" if error is None else f"{error:.3f} (n {len(result.judged)})"
        fast = "-" if speed is None else f"{speed:.1f}"
        size = "-" if result.megabytes is None else f"{result.megabytes:.1f}"
        slow = "-" if result.ms_a_pair is None else f"{result.ms_a_pair:.1f}"
        cost = f"{size} | {slow} | {result.tokens}"
        yield f"| {result.name} | {figures} | {calibrated} | {failed} | {fast} | {cost} |"


def _details(result: Checked) -> Iterator[str]:
    yield ""
    yield f"{result.name}: fingerprint {result.fingerprint}"
    yield ""
    yield f"| true | precision | recall | F1 | {' | '.join(f'said {x}' for x in LABELS)} |"
    yield "|---|---|---|---|" + "---|" * len(LABELS)
    for place, label in enumerate(LABELS):
        row = result.confusion[place]
        measured = [
            _spread(result.intervals[f"{name}, {label}"]) for name in ("precision", "recall", "F1")
        ]
        counts = " | ".join(str(int(count)) for count in row)
        yield f"| {label} | {' | '.join(measured)} | {counts} |"
    if not result.bins:
        return
    yield ""
    yield "| mean score of a tenth of the scale | pairs | of them supported |"
    yield "|---|---|---|"
    for each in result.bins:
        yield f"| {each.mean:.3f} | {each.count} | {each.share:.3f} |"


def _spread(found: Interval) -> str:
    if not found.n:
        return "-"
    return f"{found.mean:.3f} ({found.low:.3f} to {found.high:.3f}, n {found.n})"


def _count(pair_set: PairSet, label: str) -> int:
    return sum(pair.label.value == label for pair in pair_set.pairs)
