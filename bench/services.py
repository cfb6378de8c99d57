"""Measure retrieval and store the results: the only writers of test sets, runs and scores."""

from __future__ import annotations

import datetime
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from bench.datasets.trec import qrels_lines, run_lines
from bench.datasets.types import Dataset
from bench.runs.child_process import Task, sent
from bench.runs.child_tasks import Failed, Outcome, Source
from bench.runs.configurations import Configuration, Recipe
from bench.runs.databases import name_for
from bench.runs.results import Measured, asked_as, measured, metrics_json, per_query
from bench.tables import (
    SEMANTICS,
    dataset_lines,
    gate_lines,
    latency_table,
    metrics_table,
    note_lines,
    served_lines,
)
from evaluation.folders import write_lines
from evaluation.models import ItemScore, Kind, Run, TestSet

Say = Callable[[str], None]


@dataclass(frozen=True)
class Order:
    """Who ordered a measurement, of which kind, and from which source."""

    source: Source
    kind: Kind
    by: User | None
    rebuild: bool = False


def runs_measure(
    order: Order,
    dataset: Dataset,
    configurations: Sequence[Configuration],
    *,
    recipe: Recipe,
    say: Say,
    gate: Mapping[str, Any] | None = None,
    keep: Callable[[Measured | Failed], None] = lambda result: None,
) -> list[Measured | Failed]:
    """Search a data set by each configuration in a child process, and store each finished run.

    `keep` is called with each result, in order, after it is stored. A configuration that failed has
    no run and does not stop the others. `gate` is what `gate_written` returns, for the
    configurations that are asked as served. Raises FaultyConfiguration, and ChildFailed where
    nothing could be searched.
    """
    started = timezone.now()
    index = name_for(dataset, recipe)
    results: list[Measured | Failed] = []

    def take(outcome: Outcome) -> None:
        if isinstance(outcome, Failed):
            results.append(outcome)
        else:
            result = measured(dataset, outcome, recipe=recipe.name, index=index)
            run_store(order, dataset, result, started_at=started)
            results.append(result)
        keep(results[-1])

    task = Task(order.source, dataset, tuple(configurations), recipe, gate=gate or {})
    sent(task, say=say, rebuild=order.rebuild, keep=take)
    return results


@transaction.atomic
def run_store(
    order: Order, dataset: Dataset, result: Measured, *, started_at: datetime.datetime
) -> Run:
    """Store a run with its scores by query, and its test set where that is new."""
    test_set, _ = TestSet.objects.get_or_create(
        digest=dataset.digest,
        defaults={
            "name": dataset.name[:200],
            "form": order.source.form,
            "documents": len(dataset.documents),
            "queries": len(dataset.queries),
            "judgements": sum(map(len, dataset.qrels.values())),
            "notes": list(dataset.notes),
        },
    )
    brought = result.brought
    run = Run.objects.create(
        kind=order.kind,
        test_set=test_set,
        name=brought.name[:200],
        configuration=brought.config,
        recipe=result.recipe[:200],
        fingerprints={
            "retrieval": brought.fingerprint,
            "index": result.index_fingerprint,
            **asked_as(brought),
        },
        metrics={name: found.as_json() for name, found in result.intervals.items()},
        latency_ms=brought.latency_ms,
        index=brought.index,
        notes=brought.notes,
        started_at=started_at,
        finished_at=timezone.now(),
        by=order.by,
    )
    ItemScore.objects.bulk_create(
        ItemScore(run=run, query=query[:200], scores=scores)
        for query, scores in per_query(result.scores).items()
    )
    return run


def folder_write(out: Path, dataset: Dataset, result: Measured) -> None:
    """Write `run.trec`, `qrels.trec`, `metrics.json`, `scores.json` and `report.md` to a folder."""
    out.mkdir(parents=True, exist_ok=True)
    write_lines(out / "run.trec", run_lines(result.brought.run, tag="medrag"))
    write_lines(out / "qrels.trec", qrels_lines(dataset.qrels))
    write_lines(out / "metrics.json", [json.dumps(metrics_json(dataset, result), indent=2)])
    write_lines(out / "scores.json", [json.dumps(result.scores)])
    write_lines(out / "report.md", report_lines(dataset, result))


def report_lines(dataset: Dataset, result: Measured) -> list[str]:
    configured = f"`{result.brought.config}`" if result.brought.config else "as set for this site"
    return [
        *dataset_lines(dataset),
        "",
        f"Configuration {result.name}: {configured}; fingerprint {result.brought.fingerprint}.",
        *gate_lines(result),
        "",
        *metrics_table(result),
        "",
        *latency_table(result),
        "",
        *served_lines(result),
        *note_lines(result),
        SEMANTICS,
    ]
