"""When vectors are compared one and all, and how their index is scanned where they are not."""

from __future__ import annotations

from django.db import connection

from retrieval.config import RetrievalConfig
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
_SORTS_AGAIN = "SET LOCAL enable_sort = on"
_LIMITS = ("ef_search", "max_scan_tuples")


def is_small(query: Query, exact_below: int) -> bool:
    """Whether so few chunks are in scope that each is compared.

    A scope that nothing narrows is nearly the whole index, whose size is known; to count it would
    cost as much as to search it. One that is so, of a large index, is still found in full: the
    scan of the index goes on until it has enough.
    """
    if _size() <= exact_below:
        return True
    is_whole = (
        query.scope is Scope.IN_FORCE
        and query.rights is not Rights.HIDDEN
        and not query.collections
        and query.filters == Filters()
    )
    return not is_whole and _count(query, exact_below + 1) <= exact_below


def scan_index(config: RetrievalConfig) -> None:
    """Let the queries of this transaction find vectors by the index, iteratively. One statement."""
    limits = {name: str(int(getattr(config, name))) for name in _LIMITS}
    with connection.cursor() as cursor:
        cursor.execute(_SETTINGS_SQL, limits)


def sort_again() -> None:
    """For what follows in the same transaction. One statement."""
    with connection.cursor() as cursor:
        cursor.execute(_SORTS_AGAIN)


def _size() -> int:
    """How many chunks are indexed, whatever the scope."""
    with connection.cursor() as cursor:
        cursor.execute(_SIZE_SQL)
        (chunks,) = cursor.fetchone()
    return int(chunks)


def _count(query: Query, most: int) -> int:
    """How many chunks are in scope, counted up to `most`."""
    scope, parameters = scope_sql(query)
    with connection.cursor() as cursor:
        cursor.execute(_COUNT_SQL.replace("{scope}", scope), parameters | {"most": most})
        (counted,) = cursor.fetchone()
    return int(counted)
