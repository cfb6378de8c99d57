"""When vectors are compared one and all, and how their index is scanned where they are not."""

from __future__ import annotations

from typing import Any

from django.db import connection

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
_LIMITS = ("ef_search", "max_scan_tuples")
# A scan that gives up hands out what it has put aside, near or not: the index is scanned only where
# the limit is this many times what chance says that it takes.
_SURELY = 2


def is_small(
    query: Query, config: RetrievalConfig, *, chunks: int | None = None, fetched: int = 0
) -> bool:
    """Tell whether so few chunks are in scope that each is compared.

    Up to `exact_below`, or so few that the scan of the index would give up before it has `fetched`
    of them. `chunks` is the size of the index, where it is known. A scope that nothing narrows is
    nearly the whole index; to count it would cost as much as to search it. One that is so, of a
    large index, is still found in full: the scan of the index goes on until it has enough. At
    most two queries.
    """
    size = _size() if chunks is None else chunks
    if size <= config.exact_below:
        return True
    is_whole = (
        query.scope is Scope.IN_FORCE
        and query.rights is not Rights.HIDDEN
        and not query.collections
        and query.filters == Filters()
    )
    few = max(config.exact_below, _SURELY * fetched * size // config.max_scan_tuples)
    return not is_whole and _count(query, few + 1) <= few


def rows_by_index(
    statement: str, parameters: dict[str, Any], config: RetrievalConfig
) -> list[tuple[Any, ...]]:
    """Return the rows of `statement`, which finds vectors by their index, scanned iteratively.

    One trip to the database: with the settings before it and sorting allowed again behind it, it is
    a transaction of its own, or a part of the one that is open.
    """
    limits = {name: str(int(getattr(config, name))) for name in _LIMITS}
    with connection.cursor() as cursor:
        before, after = f"{_SETTINGS_SQL};", f";{_SORTS_AGAIN}"
        execute(cursor, statement, parameters | limits, before=before, after=after)
        cursor.nextset()
        return list(cursor.fetchall())


def _size() -> int:
    """Return how many chunks are indexed, whatever the scope."""
    with connection.cursor() as cursor:
        cursor.execute(_SIZE_SQL)
        (chunks,) = cursor.fetchone()
    return int(chunks)


def _count(query: Query, most: int) -> int:
    """Return how many chunks are in scope, counted up to `most`."""
    scope, parameters = scope_sql(query)
    with connection.cursor() as cursor:
        cursor.execute(_COUNT_SQL.replace("{scope}", scope), parameters | {"most": most})
        (counted,) = cursor.fetchone()
    return int(counted)
