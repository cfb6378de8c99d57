"""Ours beside the peers on a data set: asked in a child process, measured and tabled here.

Nothing of it is stored with the runs of `evaluate retrieval`: a peer says nothing of this site.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.utils.text import slugify

from evaluation.children import sent
from evaluation.configurations import NAMED, Configuration, Recipe
from evaluation.databases import name_for
from evaluation.datasets.types import Dataset
from evaluation.errands import Source
from evaluation.measured import MAIN, Measured, measured, metrics_json
from evaluation.peers import PEERS, require
from evaluation.peers.turns import SERVED_K, TIMED
from evaluation.services import folder_write
from evaluation.tables import SEMANTICS, ablation_rows, dataset_lines, p_text
from evaluation.trec import write_lines

Say = Callable[[str], None]
OURS = ("default", "lexical", "rrf")  # the served one, and what two of the peers are like


@dataclass(frozen=True)
class Comparison:
    """Ours as served, and all others in the order of the table."""

    baseline: Measured
    results: tuple[Measured, ...]


def peers_run(source: Source, dataset: Dataset, *, rebuild: bool, say: Say) -> Comparison:
    """Raises PeerUnavailable before anything is indexed, and ChildFailed."""
    require(list(PEERS))
    recipe = Recipe()
    found = sent(
        source,
        dataset,
        [Configuration(name, NAMED[name]) for name in OURS],
        peers=list(PEERS),
        recipe=recipe,
        say=say,
        rebuild=rebuild,
    )
    index = name_for(dataset, recipe)
    baseline, *others = (measured(dataset, each, recipe=recipe.name, index=index) for each in found)
    return Comparison(baseline, tuple(others))


def peers_write(out: Path, dataset: Dataset, comparison: Comparison) -> None:
    """`peers.md`, `peers.json`, and below `runs` what `evaluate retrieval` writes of each."""
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
    ]


def _table(comparison: Comparison) -> Iterator[str]:
    yield f"| system | {MAIN} | difference | p (Holm) | Recall@100 | p50 ms | p95 ms | built in s |"
    yield "|---|---|---|---|---|---|---|---|"
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
        f"| {whole['p50']:.1f} | {whole['p95']:.1f} | {built} |"
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
    }
