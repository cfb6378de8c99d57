"""The scores and intervals of a run, and the file that holds them. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bench.datasets.types import Dataset
from bench.runs.child_tasks import ChildResult
from bench.runs.metrics import Scores, scored
from evaluation.metrics.statistics import Interval, interval


@dataclass(frozen=True)
class Measured:
    """A run of one configuration, its scores by query, and their intervals."""

    brought: ChildResult
    recipe: str
    index_fingerprint: str
    scores: Scores
    intervals: Mapping[str, Interval]

    @property
    def name(self) -> str:
        return self.brought.name


def measured(dataset: Dataset, brought: ChildResult, *, recipe: str, index: str) -> Measured:
    ranked = {query: [d for d, _ in entries] for query, entries in brought.run.items()}
    scores = scored(ranked, dataset.qrels, relevant_from=dataset.relevant_from)
    intervals = {name: interval(list(values.values())) for name, values in scores.items()}
    return Measured(brought, recipe, index, scores, intervals)


def metrics_json(dataset: Dataset, result: Measured) -> dict[str, Any]:
    """Return the content of `metrics.json`: each measure, and the facts needed to interpret it."""
    brought = result.brought
    return {
        **{name: interval.as_json() for name, interval in result.intervals.items()},
        "latency_ms": brought.latency_ms,
        "index": brought.index,
        "not_as_configured": {"queries": brought.otherwise, "notes": brought.notes},
        "configuration": {
            "name": brought.name,
            "text": brought.config,
            "fingerprint": brought.fingerprint,
            "recipe": result.recipe,
            "index_fingerprint": result.index_fingerprint,
        },
        "dataset": {
            "name": dataset.name,
            "digest": dataset.digest,
            "documents": len(dataset.documents),
            "queries": len(dataset.queries),
            "judgements": sum(map(len, dataset.qrels.values())),
            "relevant_from_gain": dataset.relevant_from,
            "notes": list(dataset.notes),
        },
    }
