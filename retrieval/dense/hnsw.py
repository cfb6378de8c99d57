"""Decide between exact comparison and the HNSW index, and scan that index."""

from __future__ import annotations

import math
from typing import Any

from core.replica import connection
from retrieval.config import RetrievalConfig
from retrieval.prepared.statements import execute
from retrieval.scope import scope_sql
from retrieval.types import Filters, Query, Rights, Scope

_COUNT_SQL = """
SELECT count(*) FROM (
    SELECT 1 FROM corpus_chunk c JOIN corpus_document d ON d.id = c.document_id
    WHERE {scope}
    LIMIT %(most)s
) AS counted
"""
_SIZE_SQL = "SELECT chunks FROM corpus_indexstatistics WHERE id = 1"
# LOCAL: a setting must not leak into the next use of this connection. Relaxed: the strict order
# throws away what it meets too late, also the nearest. Without sorting the planner has to take the
# index: which way it goes must not depend on when it last counted the rows.
_SETTINGS_SQL = """
SELECT set_config('hnsw.iterative_scan', 'relaxed_order', true),
       set_config('hnsw.ef_search', %(ef_search)s, true),
       set_config('hnsw.max_scan_tuples', %(max_scan_tuples)s, true),
       set_config('enable_sort', 'off', true)
"""
_SORTS_AGAIN = "SELECT set_config('enable_sort', 'on', true)"
# Above `ef_search` of them, one candidate for so many vectors of a graph: docs/scaling.md has the
# curve. pgvector takes 1,000 at most.
_VECTORS_A_CANDIDATE = 1_250
_MOST_CANDIDATES = 1_000
# A scan that gives up hands out what it has put aside, near or not: the index is scanned only where
# the limit is this many times what chance says that it takes.
_SURELY = 2
# What a tuple of the index scan costs, with its joins, in vectors that are looked up and compared:
# 20 and 4 microseconds at a million passages (`bench --chunks`).
_COMPARED_A_TUPLE = 5


def is_small(
    query: Query, config: RetrievalConfig, *, chunks: int | None = None, fetched: int = 0
) -> bool:
    """Tell whether the scope is small enough to compare every chunk instead of using the index.

    True up to `exact_below` chunks, where the index scan would give up before it had `fetched`
    chunks in scope, and where it would take longer than comparing them. `chunks` is the size of the
    whole index, if known. A scope without filters counts as the whole index: counting it would cost
    as much as the search. Runs at most two queries.
    """
    size = index_size() if chunks is None else chunks
    if size <= config.exact_below:
        return True
    is_whole = (
        query.scope is Scope.IN_FORCE
        and query.rights is not Rights.HIDDEN
        and not (query.collections or query.documents)
        and query.filters == Filters()
    )
    few = max(config.exact_below, _SURELY * fetched * size // config.max_scan_tuples)
    if config.exact_below:  # the scan meets one in scope in each size / few
        few = max(few, math.isqrt(_COMPARED_A_TUPLE * fetched * size))
    return not is_whole and _count(query, few + 1) <= few


def candidates_of(config: RetrievalConfig, *, vectors: int) -> int:
    """Return the length of HNSW's list of candidates for a graph of so many vectors."""
    wanted = max(config.ef_search, vectors // _VECTORS_A_CANDIDATE)
    return min(wanted, max(_MOST_CANDIDATES, config.ef_search))


def rows_by_index(
    statement: str, parameters: dict[str, Any], config: RetrievalConfig, *, vectors: int
) -> list[tuple[Any, ...]]:
    """Return the rows of `statement`, found by an iterative scan of the vector index.

    `vectors` is how many its graph holds. Sends the planner's settings and the statement in one
    trip, as a transaction of its own or inside the open one.
    """
    limits = {
        "ef_search": str(candidates_of(config, vectors=vectors)),
        "max_scan_tuples": str(int(config.max_scan_tuples)),
    }
    with connection.cursor() as cursor:
        before, after = f"{_SETTINGS_SQL};", f";{_SORTS_AGAIN}"
        execute(cursor, statement, parameters | limits, before=before, after=after)
        cursor.nextset()
        return list(cursor.fetchall())


def index_size() -> int:
    """Return the number of indexed chunks, whatever the scope."""
    with connection.cursor() as cursor:
        cursor.execute(_SIZE_SQL)
        (chunks,) = cursor.fetchone()
    return int(chunks)


def _count(query: Query, most: int) -> int:
    """Return the number of chunks in scope, counting no further than `most`."""
    scope, parameters = scope_sql(query)
    with connection.cursor() as cursor:
        cursor.execute(_COUNT_SQL.replace("{scope}", scope), parameters | {"most": most})
        (counted,) = cursor.fetchone()
    return int(counted)
