"""Passages found by the summaries of their sections: a ranking of leaves, one query.

A question about a whole section shares few words with any one of its passages. The nearest
summaries are found as passages are, and each gives its best few passages; a summary itself is
never an entry. A section counts only where one of its passages is in scope, so that none that
may not be seen takes the place of one that may.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from enum import Enum

from django.db import connection

from core.rounding import cosine_sql
from corpus.encoders.registry import ActiveEncoder
from corpus.encoders.vectors import literal
from corpus.summaries.index import compared_as
from retrieval.config import RetrievalConfig
from retrieval.dense.hnsw import is_small, rows_by_index
from retrieval.scope import group_sql, scope_sql
from retrieval.types import Query, Ranked, Ranking

SUMMARIES = 20  # the nearest, that lead to passages
LEAVES = 5  # of each: its best by cosine, so that a long document does not fill the list
_OVERFETCH = 2  # the index gives roughly the nearest first: of so many times as many the nearest

# The nearest first, each looked up in scope until there are enough: LATERAL with a limit is a loop
# that keeps the order, whatever the planner believes of the scope.
_SQL = """
WITH near AS (
    SELECT v.summary_id, v.key, {distance} AS distance
    FROM corpus_summaryvector v WHERE v.encoder_id = {encoder}{narrowed}
    ORDER BY {order}
), nearest AS MATERIALIZED (
    SELECT s.document_id, s.first_index, s.last_index, n.distance, n.key
    FROM near n
         CROSS JOIN LATERAL (
             SELECT s.document_id, s.first_index, s.last_index
             FROM corpus_sectionsummary s WHERE s.id = n.summary_id LIMIT 1
         ) AS s
         CROSS JOIN LATERAL (
             SELECT FROM corpus_chunk c JOIN corpus_document d ON d.id = c.document_id
             WHERE c.document_id = s.document_id
                   AND c.index BETWEEN s.first_index AND s.last_index AND {scope}
             LIMIT 1
         ) AS in_scope
    ORDER BY {order_met} LIMIT %(fetched)s
), placed AS (
    SELECT *, row_number() OVER (ORDER BY {cosine_of_summary} DESC, key) AS place FROM nearest
    ORDER BY place LIMIT %(summaries)s
), leaf AS (
    SELECT c.id, c.key, {group} AS twins, d.effective_from, p.place,
           {cosine} AS cosine
    FROM placed p
         JOIN corpus_chunk c ON c.document_id = p.document_id
              AND c.index BETWEEN p.first_index AND p.last_index
         JOIN corpus_document d ON d.id = c.document_id
         JOIN {table} v ON v.chunk_id = c.id
    WHERE {scope}
), best AS (
    SELECT *, row_number() OVER (PARTITION BY place ORDER BY cosine DESC, key) AS within FROM leaf
), told_apart AS (
    SELECT *, row_number() OVER (
        PARTITION BY twins ORDER BY place, cosine DESC, effective_from DESC NULLS LAST, key) AS met
    FROM best WHERE within <= %(leaves)s
)
SELECT id, key, twins, (SELECT count(*) FROM nearest) FROM told_apart WHERE met = 1
ORDER BY place, cosine DESC, key LIMIT %(limit)s
"""
# An array, which is computed once and looked up by the key: of a narrow scope few are compared.
_NARROWED = """
    AND v.summary_id = ANY(ARRAY(
        SELECT DISTINCT s.id FROM corpus_sectionsummary s
        JOIN corpus_chunk c ON c.document_id = s.document_id
             AND c.index BETWEEN s.first_index AND s.last_index
        JOIN corpus_document d ON d.id = c.document_id
        WHERE {scope}))"""
_COUNT_SQL = """
SELECT count(*) FROM (
    SELECT 1 FROM corpus_summaryvector WHERE encoder_id = %(encoder)s LIMIT %(most)s
) AS counted
"""


def search_summaries(
    query: Query, vector: Sequence[float], config: RetrievalConfig, encoder: ActiveEncoder
) -> Ranking:
    """Rank chunks in scope by the place of their section's summary, then by their own cosine.

    `vector` is a unit vector of the encoder's. Up to `exact_below` summaries, or passages in scope,
    all are compared; above, the index is scanned as it is for passages, and all are compared after
    all where it comes back short. Scores are 1 / rank: two cosines decide the order, and no one of
    them is its score. The name of the ranking is `summaries`; it is empty where the encoder has
    none. Two queries, or one without summaries; up to three more where there are many.
    """
    started = time.perf_counter()
    entries = tuple(
        Ranked(chunk_id=chunk_id, key=key, rank=rank, score=1.0 / rank, group=group)
        for rank, (chunk_id, key, group) in enumerate(
            _leaves(query, vector, config, encoder), start=1
        )
    )
    return Ranking("summaries", entries, (time.perf_counter() - started) * 1000)


class _Compared(Enum):
    """Which summaries are compared with the question."""

    NONE = "none"  # there are none
    ALL = "all"
    IN_SCOPE = "in scope"  # and nothing but those, whose number is small
    NEAR = "near"  # by the index


def _leaves(
    query: Query, vector: Sequence[float], config: RetrievalConfig, encoder: ActiveEncoder
) -> list[tuple[int, str, str]]:
    compared = _compared(query, config, encoder)
    if compared is _Compared.NONE:
        return []
    rows = _nearest(query, vector, config, encoder, compared)
    if compared is _Compared.NEAR and (not rows or rows[0][-1] < SUMMARIES):
        rows = _nearest(query, vector, config, encoder, _Compared.ALL)
    return [row[:-1] for row in rows]


def _compared(query: Query, config: RetrievalConfig, encoder: ActiveEncoder) -> _Compared:
    with connection.cursor() as cursor:
        most = config.exact_below + 1
        cursor.execute(_COUNT_SQL, {"encoder": encoder.pk, "most": most})
        (summaries,) = cursor.fetchone()
    if summaries < most:
        return _Compared.ALL if summaries else _Compared.NONE
    return _Compared.IN_SCOPE if is_small(query, config) else _Compared.NEAR


def _nearest(
    query: Query,
    vector: Sequence[float],
    config: RetrievalConfig,
    encoder: ActiveEncoder,
    compared: _Compared,
) -> list[tuple[int, str, str, int]]:
    """Leaves in order, each with how many summaries were met."""
    scope, parameters = scope_sql(query)
    by_index = compared is _Compared.NEAR
    parameters |= {
        "vector": literal(vector),
        "summaries": SUMMARIES,
        "fetched": SUMMARIES * (_OVERFETCH if by_index else 1),
        "leaves": LEAVES,
        "limit": config.dense_candidates,
    }
    kind = compared_as(encoder)
    distance = f"v.embedding::{kind} <=> %(vector)s::{kind}"
    parts = {
        "narrowed": _NARROWED if compared is _Compared.IN_SCOPE else "",
        "distance": distance,
        # An expression over the distance keeps the planner off the index.
        "order": distance if by_index else f"({distance}) + 0, v.key",
        "order_met": "n.distance" if by_index else "n.distance, n.key",
        "encoder": str(int(encoder.pk)),  # as it stands in the index's condition
        "scope": scope,
        "storage": encoder.storage,
        "table": encoder.table,
        "group": group_sql(collapse_twins=config.collapse_twins),
        "cosine_of_summary": cosine_sql("distance"),
        "cosine": cosine_sql(f"v.embedding <=> %(vector)s::{encoder.storage}"),
    }
    statement = _SQL
    for name, part in parts.items():
        statement = statement.replace(f"{{{name}}}", part)
    if by_index:
        return rows_by_index(statement, parameters, config)
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)
        return list(cursor.fetchall())
