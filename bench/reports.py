"""Measure retrieval in a child process, and write what was measured as files and tables."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from bench.datasets.trec import qrels_lines, run_lines
from bench.datasets.types import Dataset
from bench.runs.child_process import sent
from bench.runs.child_tasks import Failed, Outcome, Source
from bench.runs.configurations import Configuration, Recipe
from bench.runs.databases import name_for
from bench.runs.metrics import Scores
from bench.runs.results import Measured, measured, metrics_json
from evaluation.folders import write_lines
from evaluation.metrics.statistics import Difference, difference, holm
from evaluation.tables import p_text

Say = Callable[[str], None]
MAIN = "nDCG@10"  # the main measure
SEMANTICS = (
    "Measures as trec_eval has them: linear gains; a query that is missing from a run scores 0. "
    "Documents of one score are in order of their ids, ascending; trec_eval turns them round, but "
    "run.trec has no equal scores, so that it measures the same. Intervals: 95 %, percentile "
    "bootstrap over queries, 10,000 resamples; p: two-sided paired randomisation test, "
    "10,000 permutations; both seeded."
)


@dataclass(frozen=True)
class Order:
    """The source to measure on, and whether its index is made again."""

    source: Source
    rebuild: bool = False


def runs_measure(
    order: Order,
    dataset: Dataset,
    configurations: Sequence[Configuration],
    *,
    recipe: Recipe,
    say: Say,
    keep: Callable[[Measured | Failed], None] = lambda result: None,
) -> list[Measured | Failed]:
    """Search a data set by each configuration in a child process.

    `keep` is called with each result, in order. A configuration that failed does not stop the
    others. Raises FaultyConfiguration, and ChildFailed where the process died.
    """
    index = name_for(dataset, recipe)
    results: list[Measured | Failed] = []

    def take(outcome: Outcome) -> None:
        if isinstance(outcome, Failed):
            results.append(outcome)
        else:
            results.append(measured(dataset, outcome, recipe=recipe.name, index=index))
        keep(results[-1])

    sent(order.source, dataset, configurations, recipe, say=say, rebuild=order.rebuild, keep=take)
    return results


def folder_write(out: Path, dataset: Dataset, result: Measured) -> None:
    """Write `run.trec`, `qrels.trec`, `metrics.json`, `scores.json` and `report.md` to a folder."""
    out.mkdir(parents=True, exist_ok=True)
    write_lines(out / "run.trec", run_lines(result.brought.run, tag="medrag"))
    write_lines(out / "qrels.trec", qrels_lines(dataset.qrels))
    write_lines(out / "metrics.json", [json.dumps(metrics_json(dataset, result), indent=2)])
    write_lines(out / "scores.json", [json.dumps(result.scores)])
    write_lines(out / "report.md", report_lines(dataset, result))


def report_lines(dataset: Dataset, result: Measured) -> Iterator[str]:
    brought = result.brought
    configured = f"`{brought.config}`" if brought.config else "as set for this site"
    yield from dataset_lines(dataset)
    yield f"Configuration {result.name}: {configured}; fingerprint {brought.fingerprint}."
    yield from ("", "| measure | mean | 95 % interval | n |", "|---|---|---|---|")
    for name, found in result.intervals.items():
        yield f"| {name} | {found.mean:.4f} | {found.low:.4f} to {found.high:.4f} | {found.n} |"
    yield from ("", "| stage, ms | p50 | p95 | p99 |", "|---|---|---|---|")
    for stage, values in brought.latency_ms.items():
        yield f"| {stage} | {values['p50']:.1f} | {values['p95']:.1f} | {values['p99']:.1f} |"
    yield ""
    yield from note_lines(result)
    yield SEMANTICS


def dataset_lines(dataset: Dataset) -> Iterator[str]:
    judged = sum(map(len, dataset.qrels.values()))
    yield (
        f"{dataset.name}: {len(dataset.documents)} documents, {len(dataset.queries)} queries, "
        f"{judged} judgements, digest {dataset.digest[:16]}"
    )
    yield from dataset.notes
    yield ""


def note_lines(result: Measured) -> Iterator[str]:
    """Yield a line for each deviation from the configuration, with its number of queries."""
    queries = len(result.brought.run)
    for note, count in result.brought.notes.items():
        yield f"{result.name}, {count} of {queries} queries not as configured: {note}"


def ablation_rows(baseline: Scores, results: Sequence[Measured]) -> list[tuple[Difference, float]]:
    """Return each result's difference from the baseline in MAIN, with its p corrected by Holm."""
    before = tuple(baseline[MAIN].values())
    differences = [
        _difference(before, tuple(result.scores[MAIN][query] for query in baseline[MAIN]))
        for result in results
    ]
    corrected = holm([d.p for d in differences])
    return list(zip(differences, corrected, strict=True))


# Cached, since an ablation rewrites its table after each index, and again as JSON.
_difference = lru_cache(maxsize=256)(difference)


def ablation_table(baseline: Measured | None, results: Sequence[Measured]) -> Iterator[str]:
    """Yield a table with one row for each configuration; p is corrected for the number of rows.

    Without a baseline, because it failed, nothing is compared.
    """
    yield (
        f"| configuration | index | {MAIN} | difference | p (Holm) | Recall@20 | Recall@100 | MRR "
        "| p95 ms | MB | not as configured |"
    )
    yield "|---|---|---|---|---|---|---|---|---|---|---|"
    if baseline is None:
        yield from (_row(result, "", "") for result in results)
        return
    yield _row(baseline, "", "")
    rows = ablation_rows(baseline.scores, results)
    for result, (d, p) in zip(results, rows, strict=True):
        yield _row(result, f"{d.mean:+.4f} ({d.low:+.4f} to {d.high:+.4f})", p_text(p))


def _row(result: Measured, spread: str, p: str) -> str:
    means = {name: f"{found.mean:.4f}" for name, found in result.intervals.items()}
    brought = result.brought
    return (
        f"| {result.name} | {result.recipe} | {means[MAIN]} | {spread} | {p} "
        f"| {means['Recall@20']} | {means['Recall@100']} | {means['MRR']} "
        f"| {brought.latency_ms['whole']['p95']:.1f} "
        f"| {brought.index['bytes_in_all'] / 1e6:.1f} | {brought.otherwise or ''} |"
    )
