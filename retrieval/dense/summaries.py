"""Rank passages by the summaries of their sections, in one query.

A question about a whole section shares few words with any one of its passages. The nearest
summaries are found like passages, and each contributes its best few passages; a summary itself is
never a result. Sections without a passage in scope are ignored.
"""

from __future__ import annotations

from collections.abc import Sequence

from django.db import connection

from core.rounding import cosine_sql
from corpus.encoders.registry import ActiveEncoder
from corpus.encoders.vectors import literal
from retrieval.config import RetrievalConfig
from retrieval.scope import group_sql, scope_sql
from retrieval.types import Query, Ranked, Ranking

SUMMARIES = 20  # the nearest, that lead to passages
LEAVES = 5  # of each: its best by cosine, so that a long document does not fill the list

# The nearest first, each looked up in scope until there are enough: LATERAL with a limit is a loop
# that keeps the order, whatever the planner believes of the scope.
_SQL = """
WITH near AS (
    SELECT v.summary_id, v.key, {distance} AS distance
    FROM corpus_summaryvector v WHERE v.encoder_id = %(encoder)s
    ORDER BY distance, v.key
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
    ORDER BY n.distance, n.key LIMIT %(summaries)s
), placed AS (
    SELECT *, row_number() OVER (ORDER BY {cosine_of_summary} DESC, key) AS place FROM nearest
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
SELECT id, key, twins FROM told_apart WHERE met = 1
ORDER BY place, cosine DESC, key LIMIT %(limit)s
"""


def search_summaries(
    query: Query, vector: Sequence[float], config: RetrievalConfig, encoder: ActiveEncoder
) -> Ranking:
    """Rank chunks in scope by the rank of their section's summary, then by their own cosine.

    `vector` is a unit vector of the encoder and is compared with every summary. Scores are 1 /
    rank, since two cosines decide the order. The ranking is named `summaries` and is empty where
    the encoder has none. Runs one query.
    """
    scope, parameters = scope_sql(query)
    kind = f"{encoder.storage}({int(encoder.dimensions)})"
    parts = {
        "distance": f"v.embedding::{kind} <=> %(vector)s::{kind}",
        "scope": scope,
        "table": encoder.table,
        "group": group_sql(collapse_twins=config.collapse_twins),
        "cosine_of_summary": cosine_sql("distance"),
        "cosine": cosine_sql(f"v.embedding <=> %(vector)s::{encoder.storage}"),
    }
    statement = _SQL
    for name, part in parts.items():
        statement = statement.replace(f"{{{name}}}", part)
    parameters |= {
        "vector": literal(vector),
        "encoder": encoder.pk,
        "summaries": SUMMARIES,
        "leaves": LEAVES,
        "limit": config.dense_candidates,
    }
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)
        entries = tuple(
            Ranked(chunk_id=chunk_id, key=key, rank=rank, score=1.0 / rank, group=group)
            for rank, (chunk_id, key, group) in enumerate(cursor.fetchall(), start=1)
        )
    return Ranking("summaries", entries)
