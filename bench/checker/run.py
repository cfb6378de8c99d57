"""Measure verifiers on labelled pairs, and store the results."""

from __future__ import annotations

import datetime
import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.core.exceptions import ImproperlyConfigured
from django.db import transaction
from django.utils import timezone

from bench.checker.measure import Checked, check_pairs
from bench.checker.tables import calibration_json, pair_lines, report_lines
from bench.checker.verifiers import (
    TEACHER,
    measured_fault,
    measured_verifier,
    megabytes,
    teaching,
)
from bench.datasets.pairs import PairSet
from core.errors import MedragError
from core.llm.client import silence_of
from core.progress import Progress
from evaluation.folders import write_lines
from evaluation.models import ItemScore, Kind, Run, TestSet

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
    for name, endpoints in (("llm", settings.MODELS.judge), (TEACHER, teaching())):
        silences = list(map(silence_of, endpoints)) if name in names else []
        if silences and all(silences):  # one that answers is enough
            raise FaultyVerifier(silences[0], hint="Nothing was measured.")


def checker_runs_store(
    pair_set: PairSet,
    results: Sequence[Checked],
    *,
    by: User | None,
    started_at: datetime.datetime,
) -> list[Run]:
    """Store a run for each verifier with its scores by pair, and the test set where that is new."""
    return [checker_run_store(pair_set, each, by=by, started_at=started_at) for each in results]


@transaction.atomic
def checker_run_store(
    pair_set: PairSet, result: Checked, *, by: User | None, started_at: datetime.datetime
) -> Run:
    test_set, _ = TestSet.objects.get_or_create(
        digest=pair_set.digest,
        defaults={
            "name": pair_set.name[:200],
            "form": pair_set.form,
            "documents": len({pair.evidence for pair in pair_set.pairs}),
            "queries": len({pair.claim for pair in pair_set.pairs}),
            "judgements": len(pair_set.pairs),
            "notes": list(pair_set.notes),
        },
    )
    run = Run.objects.create(
        kind=Kind.CHECKER,
        test_set=test_set,
        name=result.name[:200],
        fingerprints={"verifier": result.fingerprint, "pairs": pair_set.digest},
        metrics={name: found.as_json() for name, found in result.intervals.items()},
        latency_ms=_latency_ms(result),
        index=calibration_json(result),
        notes=dict(result.notes),
        started_at=started_at,
        finished_at=timezone.now(),
        by=by,
    )
    ItemScore.objects.bulk_create(
        [
            ItemScore(run=run, query=pair.id[:200], scores=scores)
            for pair, scores in zip(result.pairs, result.per_pair, strict=True)
        ],
        batch_size=1000,
    )
    return run


def _latency_ms(result: Checked) -> dict[str, dict[str, float]]:
    """Return the mean by judged pair; empty where none was judged."""
    return {"pair": {"mean": result.ms_a_pair}} if result.ms_a_pair else {}


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
                **calibration_json(each),
                "fingerprint": each.fingerprint,
                "seconds": each.seconds,
                "megabytes": each.megabytes,
                "tokens": each.tokens,
                "failed": {"pairs": len(each.pairs) - len(each.judged), "notes": dict(each.notes)},
            }
            for each in results
        },
    }
