"""Nearest vectors by cosine: one query over pgvector.

Up to `exact_below` chunks every vector is compared. Above, the HNSW index is scanned
iteratively, so that a narrow scope does not starve the list; when it still comes back short
although more is there, the exact search runs after all.
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
    LIMIT %(limit)s
)
SELECT id, key, 1 - distance FROM nearest ORDER BY distance, key
"""
_CHUNKS_SQL = "SELECT chunks FROM corpus_indexstatistics WHERE id = 1"


def search_dense(query: Query, vector: Sequence[float], config: RetrievalConfig) -> Ranking:
    """Rank the chunks in scope by cosine similarity to `vector`, a unit vector."""
    started = time.perf_counter()
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(_CHUNKS_SQL)
        (chunks,) = cursor.fetchone()
        exact = chunks <= config.exact_below
        rows = _nearest(query, vector, config, exact=exact)
        if not exact and len(rows) < min(config.dense_candidates, chunks):
            rows = _nearest(query, vector, config, exact=True)
    entries = tuple(
        Ranked(chunk_id=chunk_id, key=key, rank=rank, score=float(score))
        for rank, (chunk_id, key, score) in enumerate(rows, start=1)
    )
    return Ranking("dense", entries, (time.perf_counter() - started) * 1000)


def _nearest(
    query: Query, vector: Sequence[float], config: RetrievalConfig, *, exact: bool
) -> list[tuple[int, str, float]]:
    scope, parameters = scope_sql(query)
    parameters |= {
        "vector": "[" + ",".join(repr(float(x)) for x in vector) + "]",
        "limit": config.dense_candidates,
    }
    # An expression over the distance keeps the planner off the index: that is the exact search.
    distance = "c.embedding <=> %(vector)s::vector"
    order = f"({distance}) + 0, c.key" if exact else distance
    statement = _SQL.replace("{scope}", scope).replace("{order}", order)
    with connection.cursor() as cursor:
        if not exact:
            # LOCAL: a setting must not leak into the next use of this connection.
            cursor.execute("SET LOCAL hnsw.iterative_scan = strict_order")
            cursor.execute(f"SET LOCAL hnsw.ef_search = {int(config.ef_search)}")
            cursor.execute(f"SET LOCAL hnsw.max_scan_tuples = {int(config.max_scan_tuples)}")
        cursor.execute(statement, parameters)
        return list(cursor.fetchall())
