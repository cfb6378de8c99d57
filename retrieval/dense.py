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
from retrieval.scope import group_sql, scope_sql
from retrieval.types import Query, Ranked, Ranking

_SQL = """
WITH nearest AS MATERIALIZED (
    SELECT c.id, c.key, {group} AS twins, d.effective_from,
           c.embedding <=> %(vector)s::vector AS distance
    FROM corpus_chunk c JOIN corpus_document d ON d.id = c.document_id
    WHERE c.embedding IS NOT NULL AND {scope}
    ORDER BY {order}
    LIMIT %(fetched)s
), told_apart AS (
    SELECT *, row_number() OVER (
        PARTITION BY twins ORDER BY distance, effective_from DESC NULLS LAST, key) AS place
    FROM nearest
)
SELECT id, key, twins, 1 - distance, (SELECT count(*) FROM nearest)
FROM told_apart WHERE place = 1
ORDER BY distance, key LIMIT %(limit)s
"""
_COUNT_SQL = """
SELECT count(*) FROM (
    SELECT 1 FROM corpus_chunk c JOIN corpus_document d ON d.id = c.document_id
    WHERE c.embedding IS NOT NULL AND {scope}
    LIMIT %(most)s
) AS counted
"""
# The index gives roughly the nearest first, and twins stand for one: of this many times the limit
# the nearest are kept. Where that is too few, this many times as many again are looked at.
_OVERFETCH = 2
_WIDEN = 4


def search_dense(query: Query, vector: Sequence[float], config: RetrievalConfig) -> Ranking:
    """Rank the chunks in scope by cosine similarity to `vector`, a unit vector."""
    started = time.perf_counter()
    with transaction.atomic():
        in_scope = _count(query, config.exact_below + 1)
        rows = _distinct(query, vector, config, exact=in_scope <= config.exact_below)
    entries = tuple(
        Ranked(chunk_id=chunk_id, key=key, rank=rank, score=float(score), group=group)
        for rank, (chunk_id, key, group, score) in enumerate(rows, start=1)
    )
    return Ranking("dense", entries, (time.perf_counter() - started) * 1000)


def _count(query: Query, most: int) -> int:
    """How many chunks are in scope, counted up to `most`."""
    scope, parameters = scope_sql(query)
    with connection.cursor() as cursor:
        cursor.execute(_COUNT_SQL.replace("{scope}", scope), parameters | {"most": most})
        (counted,) = cursor.fetchone()
    return int(counted)


def _distinct(
    query: Query, vector: Sequence[float], config: RetrievalConfig, *, exact: bool
) -> list[tuple[int, str, str, float]]:
    """As many groups as are wanted, or all there are: one search, or more where it fell short.

    It falls short where the scan of the index gave up, and where twins crowd out the others.
    """
    fetched = config.dense_candidates * _OVERFETCH
    while True:
        rows = _nearest(query, vector, config, fetched, exact=exact)
        met = rows[0][-1] if rows else 0
        if len(rows) >= config.dense_candidates or (exact and met < fetched):
            return [row[:-1] for row in rows]
        if met == fetched:
            fetched *= _WIDEN
        else:
            exact = True


def _nearest(
    query: Query, vector: Sequence[float], config: RetrievalConfig, fetched: int, *, exact: bool
) -> list[tuple[int, str, str, float, int]]:
    scope, parameters = scope_sql(query)
    parameters |= {
        "vector": "[" + ",".join(repr(float(x)) for x in vector) + "]",
        "limit": config.dense_candidates,
        "fetched": fetched,
    }
    # An expression over the distance keeps the planner off the index: that is the exact search.
    distance = "c.embedding <=> %(vector)s::vector"
    order = f"({distance}) + 0, c.key" if exact else distance
    group = group_sql(collapse_twins=config.collapse_twins)
    statement = _SQL.replace("{scope}", scope).replace("{order}", order).replace("{group}", group)
    with connection.cursor() as cursor:
        if not exact:
            # LOCAL: a setting must not leak into the next use of this connection. Relaxed: the
            # strict order throws away what it meets too late, also the nearest.
            cursor.execute("SET LOCAL hnsw.iterative_scan = relaxed_order")
            cursor.execute(f"SET LOCAL hnsw.ef_search = {int(config.ef_search)}")
            cursor.execute(f"SET LOCAL hnsw.max_scan_tuples = {int(config.max_scan_tuples)}")
        cursor.execute(statement, parameters)
        return list(cursor.fetchall())
