"""Find the nearest vectors of one encoder by cosine, with pgvector.

Up to `exact_below` chunks in scope, and more of a large index, every vector is compared, so that a
narrow scope misses nothing. Above that the HNSW index is scanned iteratively; if the scan returns
too few chunks although there are more, the exact search runs after all.
"""

from __future__ import annotations

from collections.abc import Sequence

from core.replica import connection
from core.rounding import cosine_sql
from corpus.encoders.registry import ActiveEncoder
from corpus.encoders.vectors import literal
from retrieval.config import RetrievalConfig
from retrieval.dense.hnsw import index_size, is_small, rows_by_index
from retrieval.prepared.pipelined import Statement
from retrieval.scope import group_sql, scope_sql
from retrieval.types import Query, Ranked, Ranking

_SQL = """
WITH nearest AS MATERIALIZED (
    {nearest} LIMIT %(fetched)s
), told_apart AS (
    SELECT *, row_number() OVER (
        PARTITION BY twins ORDER BY cosine DESC, effective_from DESC NULLS LAST, key) AS place
    FROM (SELECT *, {cosine} AS cosine FROM nearest) AS rounded
)
SELECT id, key, twins, cosine, (SELECT count(*) FROM nearest)
FROM told_apart WHERE place = 1
ORDER BY cosine DESC, key LIMIT %(limit)s
""".replace("{cosine}", cosine_sql("distance"))
_NEAREST = """
SELECT c.id, c.key, {group} AS twins, d.effective_from,
       v.embedding <=> %(vector)s::{storage} AS distance
FROM {table} v JOIN corpus_chunk c ON c.id = v.chunk_id
     JOIN corpus_document d ON d.id = c.document_id
WHERE {scope}
ORDER BY {order}"""
# For a narrow scope of a large index: each vector is looked up by its key. The planner can't know
# how narrow the scope is, and would read all vectors.
_OF_NARROW = """
SELECT s.*, v.embedding <=> %(vector)s::{storage} AS distance
FROM (SELECT c.id, c.key, {group} AS twins, d.effective_from
      FROM corpus_chunk c JOIN corpus_document d ON d.id = c.document_id
      WHERE {scope} OFFSET 0) AS s
     CROSS JOIN LATERAL (SELECT embedding FROM {table} WHERE chunk_id = s.id OFFSET 0) AS v
ORDER BY distance, key"""
_COSINES_SQL = """
SELECT chunk_id, {cosine} FROM {table} WHERE chunk_id = ANY(%(ids)s)
""".replace("{cosine}", cosine_sql("embedding <=> %(vector)s::{storage}"))
# The index gives roughly the nearest first, and twins stand for one: of this many times the limit
# the nearest are kept. Where that is too few, this many times as many again are looked at.
_OVERFETCH = 2
_WIDEN = 4


def search_dense(
    query: Query,
    vector: Sequence[float],
    config: RetrievalConfig,
    encoder: ActiveEncoder,
    *,
    chunks: int | None = None,
) -> Ranking:
    """Rank the chunks in scope by cosine similarity to `vector`, rounded to three digits.

    `vector` is a unit vector of `encoder`. Ties are broken by key. The ranking is named `dense:`
    plus the encoder's name. `chunks` is the size of the index, if just read. Runs one query; one
    more without `chunks`, one more to count a filtered scope of a large index, and more where the
    index scan returns too few.
    """
    chunks = index_size() if chunks is None else chunks
    exact = is_small(query, config, chunks=chunks, fetched=config.dense_candidates * _OVERFETCH)
    rows = _distinct(query, vector, config, encoder, chunks=chunks, exact=exact)
    entries = tuple(
        Ranked(chunk_id=chunk_id, key=key, rank=rank, score=float(score), group=group)
        for rank, (chunk_id, key, group, score) in enumerate(rows, start=1)
    )
    return Ranking(f"dense:{encoder.name}", entries)


def cosines_statement(
    encoder: ActiveEncoder, vector: Sequence[float], chunk_ids: Sequence[int]
) -> Statement | None:
    """Return a statement that gives `(chunk id, cosine)` for each chunk with a vector.

    The cosine is in [-1, 1]. None for no chunks.
    """
    if not chunk_ids:
        return None
    parameters = {"vector": literal(vector), "ids": list(chunk_ids)}
    return Statement(_of(encoder, _COSINES_SQL), parameters)


def _distinct(
    query: Query,
    vector: Sequence[float],
    config: RetrievalConfig,
    encoder: ActiveEncoder,
    *,
    chunks: int,
    exact: bool,
) -> list[tuple[int, str, str, float]]:
    """Return as many groups as `config.dense_candidates`, or all there are.

    Searches again where the index scan gave up or where duplicates crowded out other chunks.
    """
    fetched = config.dense_candidates * _OVERFETCH
    while True:
        rows = _nearest(query, vector, config, encoder, fetched, chunks=chunks, exact=exact)
        met = rows[0][-1] if rows else 0
        if len(rows) >= config.dense_candidates or (exact and met < fetched):
            return [row[:-1] for row in rows]
        if met == fetched:
            fetched *= _WIDEN
        else:
            exact = True


def _nearest(
    query: Query,
    vector: Sequence[float],
    config: RetrievalConfig,
    encoder: ActiveEncoder,
    fetched: int,
    *,
    chunks: int,
    exact: bool,
) -> list[tuple[int, str, str, float, int]]:
    scope, parameters = scope_sql(query)
    parameters |= {
        "vector": literal(vector),
        "limit": config.dense_candidates,
        "fetched": fetched,
    }
    # An expression over the distance keeps the planner off the index: that is the exact search.
    distance = "v.embedding <=> %(vector)s::{storage}"
    order = f"({distance}) + 0, c.key" if exact else distance
    nearest = _OF_NARROW if exact and chunks > config.exact_below else _NEAREST
    group = group_sql(collapse_twins=config.collapse_twins)
    statement = _SQL.replace("{nearest}", nearest).replace("{scope}", scope)
    statement = _of(encoder, statement.replace("{order}", order).replace("{group}", group))
    if not exact:
        vectors = chunks // encoder.partitions
        return rows_by_index(statement, parameters, config, vectors=vectors)
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)
        return list(cursor.fetchall())


def _of(encoder: ActiveEncoder, statement: str) -> str:
    return statement.replace("{table}", encoder.table).replace("{storage}", encoder.storage)
