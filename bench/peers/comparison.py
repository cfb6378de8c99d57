"""Compare our search with its peers on a data set: asked in a child process, measured here.

Results are not stored with the runs of `evaluate retrieval`: a peer says nothing about this site.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.utils.text import slugify

from bench.datasets.types import Dataset
from bench.peers import PEERS, require
from bench.peers.turns import SERVED_K
from bench.runs.child_process import ChildFailed, Task, sent
from bench.runs.child_tasks import Failed, Source
from bench.runs.configurations import NAMED, TIMED, Configuration, Recipe
from bench.runs.databases import name_for
from bench.runs.results import Measured, measured, metrics_json
from bench.services import folder_write
from bench.tables import SEMANTICS, ablation_rows, dataset_lines, note_lines
from evaluation.folders import write_lines
from evaluation.metrics.comparing import MAIN
from evaluation.tables import p_text

Say = Callable[[str], None]
OURS = ("default", "lexical", "rrf")  # as served, and the methods of two of the peers


@dataclass(frozen=True)
class Comparison:
    """Our search as served, all other systems in table order, and those that failed."""

    baseline: Measured
    results: tuple[Measured, ...]
    failed: tuple[Failed, ...] = ()


def peers_run(source: Source, dataset: Dataset, *, rebuild: bool, say: Say) -> Comparison:
    """Search a data set by OURS and all peers, and measure each.

    Raises PeerUnavailable before anything is indexed, and ChildFailed, also where the baseline
    fails. Another system that fails is listed in `failed`.
    """
    require(list(PEERS))
    recipe = Recipe()
    ours = tuple(Configuration(name, NAMED[name]) for name in OURS)
    task = Task(source, dataset, ours, recipe, peers=tuple(PEERS))
    first, *others = sent(task, say=say, rebuild=rebuild)
    if isinstance(first, Failed):
        raise ChildFailed(f"{first.name} failed, with which the others are compared: {first.why}")
    index = name_for(dataset, recipe)
    baseline, *results = (
        measured(dataset, each, recipe=recipe.name, index=index)
        for each in (first, *others)
        if not isinstance(each, Failed)
    )
    failed = tuple(each for each in others if isinstance(each, Failed))
    return Comparison(baseline, tuple(results), failed)


def peers_write(out: Path, dataset: Dataset, comparison: Comparison) -> None:
    """Write `peers.md`, `peers.json`, and below `runs` a folder for each measured system."""
    out.mkdir(parents=True, exist_ok=True)
    for number, result in enumerate((comparison.baseline, *comparison.results)):
        folder_write(out / "runs" / f"{number:02d}-{slugify(result.name)}", dataset, result)
    write_lines(out / "peers.json", [json.dumps(_json(dataset, comparison), indent=2)])
    write_lines(out / "peers.md", peers_lines(dataset, comparison))


def peers_lines(dataset: Dataset, comparison: Comparison) -> list[str]:
    results = (comparison.baseline, *comparison.results)
    timed = min(TIMED, len(dataset.queries))
    return [
        *dataset_lines(dataset),
        "",
        *_table(comparison),
        "",
        *(f"{result.name}: {result.brought.config}." for result in results),
        "",
        f"Difference in {MAIN} from {comparison.baseline.name}, with its 95 % interval; "
        f"p corrected by Holm for {len(comparison.results)} comparisons.",
        f"ms: {timed} queries for {SERVED_K} passages, one after another, each by all systems in "
        "turn, with the encoding of the query by the same encoder wherever vectors are searched. "
        "Ours asks a database server and brings passages with their sources and trace, as far as "
        "the reader's rights go; the others hold the corpus in one process and bring keys.",
        SEMANTICS,
        *(line for result in results for line in note_lines(result)),
        *(f"{each.name} failed, and was not measured: {each.why}" for each in comparison.failed),
    ]


def _table(comparison: Comparison) -> Iterator[str]:
    header = (
        f"| system | {MAIN} | difference | p (Holm) | Recall@100 | p50 ms | p95 ms | built in s "
    )
    yield f"{header}| not as configured |"
    yield "|---|---|---|---|---|---|---|---|---|"
    yield _row(comparison.baseline, "", "")
    rows = ablation_rows(comparison.baseline.scores, comparison.results)
    for result, (found, p) in zip(comparison.results, rows, strict=True):
        spread = f"{found.mean:+.4f} ({found.low:+.4f} to {found.high:+.4f})"
        yield _row(result, spread, p_text(p))


def _row(result: Measured, spread: str, p: str) -> str:
    means = {name: f"{found.mean:.4f}" for name, found in result.intervals.items()}
    whole = result.brought.latency_ms["whole"]
    seconds = result.brought.index.get("build_s")
    built = "" if seconds is None else f"{seconds:.1f}"
    return (
        f"| {result.name} | {means[MAIN]} | {spread} | {p} | {means['Recall@100']} "
        f"| {whole['p50']:.1f} | {whole['p95']:.1f} | {built} "
        f"| {result.brought.otherwise or ''} |"
    )


def _json(dataset: Dataset, comparison: Comparison) -> dict[str, Any]:
    rows = ablation_rows(comparison.baseline.scores, comparison.results)
    return {
        "baseline": metrics_json(dataset, comparison.baseline),
        "systems": [
            {
                **metrics_json(dataset, result),
                "difference": {**vars(found), "p_holm": p, "measure": MAIN},
            }
            for result, (found, p) in zip(comparison.results, rows, strict=True)
        ],
        "failed": {each.name: each.why for each in comparison.failed},
    }
