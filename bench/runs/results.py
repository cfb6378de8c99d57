"""The scores and intervals of a run, and the files that hold them. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bench.datasets.types import Dataset
from bench.runs.child_tasks import ChildResult
from evaluation.metrics import Scores, scored
from evaluation.metrics.statistics import Interval, interval


@dataclass(frozen=True)
class Measured:
    """A run of one configuration, its scores by query, and their intervals.

    The scores of a run asked as served include what the gate decided for each query.
    """

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
    scores = scored(ranked, dataset.qrels, relevant_from=dataset.relevant_from) | brought.looked
    return Measured(
        brought=brought,
        recipe=recipe,
        index_fingerprint=index,
        scores=scores,
        intervals={name: interval(list(values.values())) for name, values in scores.items()},
    )


def metrics_json(dataset: Dataset, result: Measured) -> dict[str, Any]:
    """Return the content of `metrics.json`: each measure, and the facts needed to interpret it."""
    brought = result.brought
    begun = {"queries": brought.served, "same_documents": brought.served_same}
    return {
        **{name: interval.as_json() for name, interval in result.intervals.items()},
        "latency_ms": brought.latency_ms,
        "index": brought.index,
        **({"as_served": begun} if brought.served else {}),  # else they were not compared
        "not_as_configured": {"queries": brought.otherwise, "notes": brought.notes},
        "configuration": {
            "name": brought.name,
            "text": brought.config,
            "fingerprint": brought.fingerprint,
            "recipe": result.recipe,
            "index_fingerprint": result.index_fingerprint,
            **asked_as(brought),
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


def asked_as(brought: ChildResult) -> dict[str, Any]:
    """Tell, as JSON, whether a run was asked as served, and through which gate."""
    if not brought.as_served:
        return {"as_served": False}
    return {"as_served": True, "gate": brought.gate}


def per_query(scores: Scores) -> dict[str, dict[str, float]]:
    """Transpose scores to query -> measure -> value, in the order of the queries."""
    queries: Sequence[str] = list(next(iter(scores.values()), {}))
    return {query: {name: scores[name][query] for name in scores} for query in queries}
