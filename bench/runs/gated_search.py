"""Ask every query as the site is asked: through its gate.

Measured are the passages that would be handed on, in the order of the gate, whether it opens or
not; whether it opens is recorded separately. The measures see no more than a reader would get.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils import timezone

from bench.datasets.pooling import Entries, pooled
from bench.datasets.types import Dataset
from bench.runs.child_tasks import (
    LOOKED,
    OPEN,
    OPEN_AND_FOUND,
    PASSAGES,
    ChildResult,
)
from bench.runs.configurations import TIMED, Configuration
from bench.runs.gate import gate_named, gate_read
from bench.runs.search import document_names, index_sizes, notes_counted, percentiles
from chat.gate.decision import Decision, Gate
from chat.pipeline.search import SearchLog, search_and_gate
from corpus.encoders.query_cache import forget_queries
from retrieval.config import RetrievalConfig, config_from
from retrieval.configured import site_config
from retrieval.types import Query, Rights


@dataclass(frozen=True)
class Asked:
    """The result of one query, without its passages."""

    documents: Entries
    duration_ms: float
    looked: Mapping[str, float]
    notes: tuple[str, ...]
    fingerprint: str


def look_all(
    dataset: Dataset,
    configuration: Configuration,
    gate: Mapping[str, Any],
    *,
    on_progress: Callable[[int], None] = lambda done: None,
) -> ChildResult:
    """Return a run of the documents that the site would hand on for each query, and its durations.

    Raises GateUnavailable where there is no gate for the encoder that is searched.
    """
    config = config_from(configuration.text, base=site_config())
    site_gate = gate_read(gate)
    names = document_names(dataset)
    _look(next(iter(dataset.queries.values())), config, site_gate)  # loads models
    forget_queries()  # else the query's vector would come from the cache
    asked: dict[str, Asked] = {}
    for done, (query, text) in enumerate(dataset.queries.items(), start=1):
        gains = dataset.qrels[query].items()
        relevant = frozenset(d for d, gain in gains if gain >= dataset.relevant_from)
        asked[query] = _asked(*_look(text, config, site_gate), names, relevant)
        on_progress(done)
    return _brought(configuration, site_gate, asked)


def _look(text: str, config: RetrievalConfig, gate: Gate) -> tuple[SearchLog, Decision, float]:
    searches, began = SearchLog(config, gate), time.perf_counter()
    query = Query(text, on=timezone.localdate(), rights=Rights.ALL)
    decision = search_and_gate(query, gate, searches)
    return searches, decision, (time.perf_counter() - began) * 1000


def _asked(
    searches: SearchLog,
    decision: Decision,
    duration_ms: float,
    names: Mapping[int, str],
    relevant: frozenset[str],
) -> Asked:
    documents = pooled(decision.passages, names, depth=len(names))
    is_open = decision.reason is None
    is_found = any(document in relevant for document, _ in documents)
    looked = {
        PASSAGES: len(decision.passages),
        OPEN: is_open,
        OPEN_AND_FOUND: is_open and is_found,
    }
    (taken,) = searches.taken
    trace = taken.evidence.trace
    return Asked(
        documents=documents,
        duration_ms=duration_ms,
        looked={name: float(value) for name, value in looked.items()},
        notes=(*searches.notes, *trace.notes),
        fingerprint=trace.fingerprint,
    )


def _brought(configuration: Configuration, gate: Gate, asked: Mapping[str, Asked]) -> ChildResult:
    noted = [each.notes for each in asked.values()]
    timed = [{"whole": each.duration_ms} for each in asked.values()][:TIMED]
    return ChildResult(
        name=configuration.name,
        config=configuration.text,
        fingerprint=next(iter(asked.values())).fingerprint,
        run={query: each.documents for query, each in asked.items()},
        latency_ms=percentiles(timed),
        index=index_sizes(),
        notes=notes_counted(noted),
        otherwise=sum(map(bool, noted)),
        looked={name: {q: each.looked[name] for q, each in asked.items()} for name in LOOKED},
        as_served=True,
        gate=gate_named(gate),
    )
