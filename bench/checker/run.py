"""Measure verifiers on labelled pairs, and write the results."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from bench.checker.measure import Checked, check_pairs
from bench.checker.tables import pair_lines, report_lines
from bench.checker.verifiers import measured_fault, measured_verifier, megabytes
from bench.datasets.pairs import LABELS, PairSet
from core.errors import MedragError
from core.llm.client import silence_of
from core.progress import Progress
from evaluation.folders import write_lines

Say = Callable[[str], None]


class FaultyVerifier(MedragError):
    """A verifier that this site does not have, or that can't work."""


def verifiers_check(pair_set: PairSet, names: Sequence[str], *, say: Say) -> list[Checked]:
    """Measure each verifier in order. Raises FaultyVerifier before anything is judged."""
    refuse_faulty(names)
    found: list[Checked] = []
    for name in dict.fromkeys(names):
        with Progress(name, len(pair_set.pairs), "pairs") as progress:
            result = check_pairs(
                pair_set,
                measured_verifier(name),
                timeout_s=settings.ANSWER_TIMEOUT_S,
                on_progress=progress.at,
            )
            result = replace(result, megabytes=megabytes(name))
        say(f"{name}: {len(result.judged)} pairs judged ({result.seconds:.0f} s)")
        found.append(result)
    return found


def refuse_faulty(names: Sequence[str]) -> None:
    """Raise FaultyVerifier for the first that settings or files fault. Loads and calls nothing."""
    for name in names:
        if fault := measured_fault(name):
            raise FaultyVerifier(fault, hint="Nothing was measured.")


def refuse_unusable(names: Sequence[str]) -> None:
    """Load each model and call each endpoint once, before hours of judging by the first verifier.

    Raises FaultyVerifier.
    """
    refuse_faulty(names)
    try:
        for name in names:
            measured_verifier(name)
    except ImproperlyConfigured as error:
        raise FaultyVerifier(str(error), hint="Nothing was measured.") from error
    silences = list(map(silence_of, settings.MODELS.judge)) if "llm" in names else []
    if silences and all(silences):  # one that answers is enough
        raise FaultyVerifier(silences[0], hint="Nothing was measured.")


def checker_folder_write(out: Path, pair_set: PairSet, results: Sequence[Checked]) -> None:
    """Write `metrics.json`, `judgements.jsonl` (by pair, without texts) and `report.md`."""
    out.mkdir(parents=True, exist_ok=True)
    write_lines(out / "metrics.json", [json.dumps(_metrics_json(pair_set, results), indent=2)])
    write_lines(out / "judgements.jsonl", pair_lines(results))
    write_lines(out / "report.md", report_lines(pair_set, results))


def _metrics_json(pair_set: PairSet, results: Sequence[Checked]) -> dict[str, Any]:
    return {
        "pairs": {
            "name": pair_set.name,
            "digest": pair_set.digest,
            "count": len(pair_set.pairs),
            "notes": list(pair_set.notes),
        },
        "verifiers": {
            each.name: {
                **{name: interval.as_json() for name, interval in each.intervals.items()},
                "labels": list(LABELS),
                "confusion": [[int(count) for count in row] for row in each.confusion],
                "ECE": each.calibration_error,
                "fingerprint": each.fingerprint,
                "ms_a_pair": each.ms_a_pair,
                "megabytes": each.megabytes,
                "tokens": each.tokens,
                "failed": {"pairs": len(each.pairs) - len(each.judged), "notes": dict(each.notes)},
            }
            for each in results
        },
    }
