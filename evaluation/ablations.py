"""Run an ablation: the default, then each switch, grouped by the index that they need."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.utils.text import slugify

from corpus.encoders.registry import encoder_facts
from corpus.recipe import chunk_settings
from evaluation.ablation import AS_SET, Switch, switches
from evaluation.configurations import NAMED, Configuration
from evaluation.datasets.types import Dataset
from evaluation.encoders import configured
from evaluation.measured import MAIN, Measured, metrics_json
from evaluation.services import Order, folder_write, runs_measure
from evaluation.tables import SEMANTICS, ablation_rows, ablation_table, dataset_lines, note_lines
from evaluation.trec import write_lines
from retrieval.configured import site_config

Say = Callable[[str], None]


@dataclass(frozen=True)
class Ablation:
    """The default, each switch in the order of the table, and what could not be measured here."""

    baseline: Measured
    results: tuple[Measured, ...]
    left_out: tuple[Switch, ...]


def ablation_run(order: Order, dataset: Dataset, *, say: Say) -> Ablation:
    """Raises FaultyConfiguration and ChildFailed; the runs that were finished before are stored."""
    sizes = chunk_settings(encoder_facts())
    wanted, left_out = switches(
        site_config(),
        available(),
        chunk_tokens=sizes.max_tokens,
        overlap_tokens=sizes.overlap_tokens,
    )
    default = Switch(Configuration("default", NAMED["default"]))
    found: dict[str, Measured] = {}
    for recipe in dict.fromkeys([AS_SET, *(switch.recipe for switch in wanted)]):
        of_recipe = [switch for switch in (default, *wanted) if switch.recipe == recipe]
        configurations = [switch.configuration for switch in of_recipe]
        for result in runs_measure(order, dataset, configurations, recipe=recipe, say=say):
            found[result.name] = result
    return Ablation(
        baseline=found[default.name],
        results=tuple(found[switch.name] for switch in wanted),
        left_out=tuple(left_out),
    )


def available() -> set[str]:
    """What of models and endpoints is configured for this site."""
    found = {"rewrite"} if settings.REWRITE_LLM_URL else set()
    if settings.RERANK_URL:  # its protocol shows in the address alone
        found.add("http" if "rerank" in urlsplit(settings.RERANK_URL).path else "llm")
    elif settings.RERANK_MODEL:
        found.add("cross-encoder")
    if any(spec.storage == "vector" for spec in configured()):
        found.add("vector")
    if settings.SUMMARIES != "none":
        found.add("summaries")
    return found


def ablation_write(out: Path, dataset: Dataset, ablation: Ablation) -> None:
    """`ablation.md`, `ablation.json`, and below `runs` what `evaluate retrieval` writes of each."""
    out.mkdir(parents=True, exist_ok=True)
    results = (ablation.baseline, *ablation.results)
    for number, result in enumerate(results):
        folder_write(out / "runs" / f"{number:02d}-{slugify(result.name)}", dataset, result)
    content = json.dumps(_json(dataset, ablation), indent=2)
    write_lines(out / "ablation.json", [content])
    write_lines(out / "ablation.md", ablation_lines(dataset, ablation))


def ablation_lines(dataset: Dataset, ablation: Ablation) -> list[str]:
    lines = [
        *dataset_lines(dataset),
        "",
        *ablation_table(ablation.baseline, ablation.results),
        "",
        f"Difference in {MAIN} from the default, with its 95 % interval; p corrected by Holm for "
        f"{len(ablation.results)} comparisons. MB: tables and indexes. Not as configured: "
        "queries in which a model or an endpoint failed, so that the search went on without it.",
        SEMANTICS,
    ]
    for result in (ablation.baseline, *ablation.results):
        lines += note_lines(result)
    if ablation.left_out:
        lines += ["", "Not configured here and left out: " + _names(ablation.left_out) + "."]
    return lines


def _names(switches: Sequence[Switch]) -> str:
    return ", ".join(switch.name for switch in switches)


def _json(dataset: Dataset, ablation: Ablation) -> dict[str, Any]:
    rows = ablation_rows(ablation.baseline.scores, ablation.results)
    return {
        "default": metrics_json(dataset, ablation.baseline),
        "switches": [
            {
                **metrics_json(dataset, result),
                "difference": {**vars(found), "p_holm": p, "measure": MAIN},
            }
            for result, (found, p) in zip(ablation.results, rows, strict=True)
        ],
        "left_out": [switch.name for switch in ablation.left_out],
    }
