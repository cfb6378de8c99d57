"""Rank passages by the summaries of their sections, in one query.

A question about a whole section shares few words with any one of its passages. The nearest
summaries are found like passages, and each contributes its best few passages; a summary itself is
never a result. Sections without a passage in scope are ignored.
"""

from __future__ import annotations

from collections.abc import Sequence

from core.replica import connection
from core.rounding import cosine_sql
from corpus.encoders.registry import ActiveEncoder
from corpus.encoders.vectors import literal
from retrieval.config import RetrievalConfig
from retrieval.scope import group_sql, scope_sql
from retrieval.types import Query, Ranked, Ranking

SUMMARIES = 20  # the nearest, that lead to passages
LEAVES = 5  # of each: its best by cosine, so that a long document does not fill the list

_SQL = """
WITH nearest AS MATERIALIZED (
    SELECT s.document_id, s.first_index, s.last_index, row_number() OVER (
        ORDER BY {cosine_of_summary} DESC, d.sha256, s.first_index, s.last_index) AS place
    FROM corpus_sectionsummary s JOIN corpus_document d ON d.id = s.document_id
    WHERE s.encoder_id = %(encoder)s AND EXISTS (
        SELECT FROM corpus_chunk c WHERE c.document_id = s.document_id
               AND c.index BETWEEN s.first_index AND s.last_index AND {scope})
    ORDER BY place LIMIT %(summaries)s
), leaf AS (
    SELECT c.id, c.key, {group} AS twins, d.effective_from, n.place, {cosine} AS cosine,
           row_number() OVER (PARTITION BY n.place ORDER BY {cosine} DESC, c.key) AS within
    FROM nearest n
         JOIN corpus_chunk c ON c.document_id = n.document_id
              AND c.index BETWEEN n.first_index AND n.last_index
         JOIN corpus_document d ON d.id = c.document_id
         JOIN {table} v ON v.chunk_id = c.id
    WHERE {scope}
), told_apart AS (
    SELECT DISTINCT ON (twins) * FROM leaf WHERE within <= %(leaves)s
    ORDER BY twins, place, cosine DESC, effective_from DESC NULLS LAST, key
)
SELECT id, key, twins FROM told_apart ORDER BY place, cosine DESC, key LIMIT %(limit)s
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
        "scope": scope,
        "table": encoder.table,
        "group": group_sql(collapse_twins=config.collapse_twins),
        "cosine_of_summary": cosine_sql(f"s.embedding::{kind} <=> %(vector)s::{kind}"),
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
