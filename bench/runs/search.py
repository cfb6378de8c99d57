"""Ask every query of a data set, by one configuration, in the database of this process."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from typing import Any

import numpy as np
from django.db import connection
from django.utils import timezone

from bench.datasets.trec import Run
from bench.datasets.types import Dataset
from bench.runs.child_tasks import ChildResult
from bench.runs.configurations import DEPTH, TIMED, Configuration, deepened
from corpus.encoders.query_cache import forget_queries
from corpus.models import Chunk, Document
from retrieval.config import RetrievalConfig, config_from
from retrieval.configured import site_config
from retrieval.pipeline import retrieve
from retrieval.types import Evidence, Hit, Query, Rights

SHOWN = 0.01  # share of all bytes; smaller relations are not listed
_SIZES = """
WITH held AS (
    SELECT c.oid, c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = 'public' AND c.relkind = 'r' AND c.relname LIKE 'corpus%'
), sized AS (
    SELECT relname AS name, pg_table_size(oid) AS bytes FROM held
    UNION ALL
    SELECT x.relname, pg_relation_size(x.oid)
    FROM held JOIN pg_index i ON i.indrelid = held.oid JOIN pg_class x ON x.oid = i.indexrelid
)
SELECT name, bytes FROM sized WHERE bytes > 0 ORDER BY bytes DESC, name
"""


def search_all(
    dataset: Dataset,
    configuration: Configuration,
    *,
    depth: int = DEPTH,
    on_progress: Callable[[int], None] = lambda done: None,
) -> ChildResult:
    """Return a run of `depth` documents for each query, and durations of the same search as served.

    The durations are those of the first TIMED queries, asked with the configuration's own list
    lengths and number of passages. Notes of a trace, such as a reranker that fell back, are counted
    over the run.
    """
    config = config_from(configuration.text, base=site_config())
    deep = deepened(config, depth)
    names = document_names(dataset)
    fingerprint, timed = _as_served(dataset, config)  # first, before a model's rewrites are cached
    run: Run = {}
    noted: list[tuple[str, ...]] = []
    for done, (query, text) in enumerate(dataset.queries.items(), start=1):
        evidence = ask(text, deep)
        run[query] = pooled(evidence.hits, names, depth=depth)
        noted.append(evidence.trace.notes)
        on_progress(done)
    return ChildResult(
        name=configuration.name,
        config=configuration.text,
        fingerprint=fingerprint,
        run=run,
        latency_ms=percentiles(timed),
        index=index_sizes(),
        notes=notes_counted(noted),
        otherwise=sum(map(bool, noted)),
    )


def notes_counted(noted: Iterable[Sequence[str]]) -> dict[str, int]:
    """Count the queries that have each note, the most frequent note first, then by its words."""
    counted = Counter(note for notes in noted for note in dict.fromkeys(notes))
    return dict(sorted(counted.items(), key=lambda entry: (-entry[1], entry[0])))


def percentiles(timed: Iterable[Mapping[str, float]]) -> dict[str, dict[str, float]]:
    """Return p50, p95 and p99 of each stage in milliseconds, over the queries that have it."""
    stages: dict[str, list[float]] = {}
    for durations in timed:
        for stage, value in durations.items():
            stages.setdefault(stage, []).append(value)
    return {
        stage: dict(
            zip(("p50", "p95", "p99"), map(float, np.percentile(v, [50, 95, 99])), strict=True)
        )
        for stage, v in stages.items()
    }


def index_sizes() -> dict[str, Any]:
    """Count documents, passages, and bytes of the corpus' tables and indexes, largest first.

    Relations with less than SHOWN of all bytes are not listed.
    """
    with connection.cursor() as cursor:
        cursor.execute(_SIZES)
        sizes: dict[str, int] = dict(cursor.fetchall())
    in_all = sum(sizes.values())
    return {
        "documents": Document.objects.count(),
        "passages": Chunk.objects.count(),
        "bytes": {name: size for name, size in sizes.items() if size >= SHOWN * in_all},
        "bytes_in_all": in_all,
    }


def document_names(dataset: Dataset) -> dict[int, str]:
    """Return the data set's document ids by primary key in this database. Runs one query."""
    ids = {document.sha256: document.id for document in dataset.documents}
    rows = Document.objects.values_list("pk", "sha256")
    return {pk: ids[sha256] for pk, sha256 in rows if sha256 in ids}


def ask(text: str, config: RetrievalConfig) -> Evidence:
    """Retrieve as the system does, with the right to every document of this database."""
    return retrieve(Query(text, on=timezone.localdate(), rights=Rights.ALL), config)


def _as_served(dataset: Dataset, config: RetrievalConfig) -> tuple[str, list[Mapping[str, float]]]:
    """Return the search's fingerprint, and the milliseconds of each stage for each query."""
    texts = list(islice(dataset.queries.values(), TIMED))
    fingerprint = ask(texts[0], config).trace.fingerprint  # loads the models first
    forget_queries()  # else the query's vector would come from the cache
    timed: list[Mapping[str, float]] = []
    for text in texts:
        started = time.perf_counter()
        evidence = ask(text, config)
        whole_ms = (time.perf_counter() - started) * 1000
        timed.append({**evidence.trace.durations_ms, "whole": whole_ms})
    return fingerprint, timed


Entries = tuple[tuple[str, float], ...]


def pooled(hits: Iterable[Hit], names: Mapping[int, str], *, depth: int) -> Entries:
    """Return the documents of these passages by their best rank, at most `depth`, each once.

    `names` maps primary keys to the data set's ids. The documents of a passage's twins follow its
    own, ordered by id: readers are told of them, and the choice of one passage to represent its
    twins has nothing to do with relevance.
    """
    found: dict[str, float] = {}
    for hit in hits:
        twins = sorted(names[other.document_id] for other in hit.also_in)
        for document in (names[hit.document_id], *twins):
            found.setdefault(document, hit.score)
    return tuple(found.items())[:depth]
