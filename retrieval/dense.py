"""Nearest vectors by cosine: one query over pgvector.

Up to `exact_below` chunks in scope every vector is compared, however large the index is, so that
a narrow scope is never starved. Above, the HNSW index is scanned iteratively; when it still comes
back short although more is there, the exact search runs after all.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from django.db import connection, transaction

from retrieval.config import RetrievalConfig
from retrieval.scope import scope_sql
from retrieval.types import Query, Ranked, Ranking

_SQL = """
WITH nearest AS MATERIALIZED (
    SELECT c.id, c.key, c.embedding <=> %(vector)s::vector AS distance
    FROM corpus_chunk c JOIN corpus_document d ON d.id = c.document_id
    WHERE c.embedding IS NOT NULL AND {scope}
    ORDER BY {order}
    LIMIT %(fetched)s
)
SELECT id, key, 1 - distance FROM nearest ORDER BY distance, key LIMIT %(limit)s
"""
_COUNT_SQL = """
SELECT count(*) FROM (
    SELECT 1 FROM corpus_chunk c JOIN corpus_document d ON d.id = c.document_id
    WHERE c.embedding IS NOT NULL AND {scope}
    LIMIT %(most)s
) AS counted
"""
# The index gives roughly the nearest first; of this many times the limit the nearest are kept.
_OVERFETCH = 2


def search_dense(query: Query, vector: Sequence[float], config: RetrievalConfig) -> Ranking:
    """Rank the chunks in scope by cosine similarity to `vector`, a unit vector."""
    started = time.perf_counter()
    with transaction.atomic():
        in_scope = _count(query, max(config.exact_below, config.dense_candidates) + 1)
        exact = in_scope <= config.exact_below
        rows = _nearest(query, vector, config, exact=exact)
        if not exact and len(rows) < min(config.dense_candidates, in_scope):
            rows = _nearest(query, vector, config, exact=True)
    entries = tuple(
        Ranked(chunk_id=chunk_id, key=key, rank=rank, score=float(score))
        for rank, (chunk_id, key, score) in enumerate(rows, start=1)
    )
    return Ranking("dense", entries, (time.perf_counter() - started) * 1000)


def _count(query: Query, most: int) -> int:
    """How many chunks are in scope, counted up to `most`."""
    scope, parameters = scope_sql(query)
    with connection.cursor() as cursor:
        cursor.execute(_COUNT_SQL.replace("{scope}", scope), parameters | {"most": most})
        (counted,) = cursor.fetchone()
    return int(counted)


def _nearest(
    query: Query, vector: Sequence[float], config: RetrievalConfig, *, exact: bool
) -> list[tuple[int, str, float]]:
    scope, parameters = scope_sql(query)
    parameters |= {
        "vector": "[" + ",".join(repr(float(x)) for x in vector) + "]",
        "limit": config.dense_candidates,
        "fetched": config.dense_candidates * (1 if exact else _OVERFETCH),
    }
    # An expression over the distance keeps the planner off the index: that is the exact search.
    distance = "c.embedding <=> %(vector)s::vector"
    order = f"({distance}) + 0, c.key" if exact else distance
    statement = _SQL.replace("{scope}", scope).replace("{order}", order)
    with connection.cursor() as cursor:
        if not exact:
            # LOCAL: a setting must not leak into the next use of this connection. Relaxed: the
            # strict order throws away what it meets too late, also the nearest.
            cursor.execute("SET LOCAL hnsw.iterative_scan = relaxed_order")
            cursor.execute(f"SET LOCAL hnsw.ef_search = {int(config.ef_search)}")
            cursor.execute(f"SET LOCAL hnsw.max_scan_tuples = {int(config.max_scan_tuples)}")
        cursor.execute(statement, parameters)
        return list(cursor.fetchall())
