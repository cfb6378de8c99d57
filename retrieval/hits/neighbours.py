"""The passages beside the best ones, as candidates: an answer may stand just before or after."""

from __future__ import annotations

import time
from collections.abc import Sequence

from django.db import connection

from retrieval.config import RetrievalConfig
from retrieval.scope import group_sql, scope_sql
from retrieval.types import Query, Ranked, Ranking

OF_THE_BEST = 5  # passages whose neighbours are looked at

_SQL = """
SELECT c.id, c.key, {group}
FROM unnest(%(ids)s::bigint[]) WITH ORDINALITY AS h(id, place)
     JOIN corpus_chunk own ON own.id = h.id
     JOIN corpus_chunk c ON c.document_id = own.document_id
          AND c.index IN (own.index - 1, own.index + 1)
     JOIN corpus_document d ON d.id = c.document_id
WHERE {scope}
ORDER BY h.place, c.index
"""


def search_neighbours(query: Query, found: Sequence[Ranked], config: RetrievalConfig) -> Ranking:
    """Rank what stands beside the best of `found` in their documents, in their order. One query.

    The score is 1 / rank: it has no likeness of its own.
    """
    started = time.perf_counter()
    scope, parameters = scope_sql(query)
    parameters["ids"] = [entry.chunk_id for entry in found[:OF_THE_BEST]]
    group = group_sql(collapse_twins=config.collapse_twins)
    with connection.cursor() as cursor:
        cursor.execute(_SQL.replace("{scope}", scope).replace("{group}", group), parameters)
        rows = list(dict.fromkeys(cursor.fetchall()))
    entries: dict[str, Ranked] = {}
    for chunk_id, key, shared in rows:
        rank = len(entries) + 1
        entries.setdefault(shared, Ranked(chunk_id, key, rank, 1.0 / rank, shared))
    took_ms = (time.perf_counter() - started) * 1000
    return Ranking("neighbours", tuple(entries.values()), took_ms)
