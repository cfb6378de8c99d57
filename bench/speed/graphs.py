"""Measure the index of vectors alone by the length of its list of candidates.

Without passages millions of vectors fit: an encoder's table is filled, indexed as `reembed` does
it, and searched as questions are, with the encoder's own partitions. Exact neighbours are found in
memory while it is filled.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import psycopg
from django.db import connection, connections
from psycopg import sql

from bench.speed import databases
from bench.speed.filling import Table
from bench.speed.growth import COMPARED
from bench.speed.made import Made
from corpus.encoders.registry import ActiveEncoder, active_encoders, searched_rows
from corpus.encoders.types import Vectors
from corpus.encoders.vectors import literal
from corpus.indexing.vector_index import index_build
from retrieval.configured import site_config
from retrieval.dense.hnsw import rows_by_index

FETCHED = 100  # as a search does, which then sorts them
_NEAREST = """
SELECT chunk_id FROM {table} v ORDER BY v.embedding <=> %(vector)s::{storage} LIMIT %(fetched)s
"""
_FOREIGN = "SELECT conname FROM pg_constraint WHERE conrelid = to_regclass(%s) AND contype = 'f'"
_BYTES = """
SELECT sum(pg_relation_size(oid))::float8 FROM pg_class WHERE relname LIKE %s AND relkind = 'i'
"""

Say = Callable[[str], None]


def name_of(vectors: int) -> str:
    return f"{databases.PREFIX}vectors_{vectors}"


def measure_graph(
    made: Made, vectors: int, questions: Sequence[str], candidates: Sequence[int], say: Say
) -> Iterator[str]:
    """Yield how long the index takes to build, and recall and time by list; drops all after."""
    socket_dir = databases.start()
    name = name_of(vectors)
    databases.make_again(socket_dir, name)
    try:
        with databases.in_use(name):
            yield from _measured(made, vectors, questions, candidates, say)
    finally:
        databases.drop(socket_dir, name)


def _measured(
    made: Made, vectors: int, questions: Sequence[str], candidates: Sequence[int], say: Say
) -> Iterator[str]:
    row, encoder = searched_rows()[0], active_encoders()[0]
    asked = np.asarray(encoder.embedder.encode_queries(list(questions)), dtype=np.float32)
    say(f"copying {vectors} vectors")
    wanted = _copied(made, vectors, asked, Table(row.table, row.storage, row.dimensions))
    say(f"indexing {len(row.partitions)} tables")
    started = time.monotonic()
    index_build(row)
    took_s = time.monotonic() - started
    with connection.cursor() as cursor:
        cursor.execute(_BYTES, [f"{row.table}%\\_hnsw"])
        megabytes = cursor.fetchone()[0] / 1e6
    yield (
        f"{vectors} vectors, {len(row.partitions)} graphs of {megabytes:.0f} MB together, "
        f"built in {took_s:.0f} s"
    )
    for length in candidates:
        yield f"  list {length:>5}: {_searched(encoder, asked, wanted, length)}"


def _copied(made: Made, count: int, asked: Vectors, table: Table) -> list[set[int]]:
    """Fill the table, and return the keys of the exact nearest of each question."""
    owner = connections["owner"]
    owner.ensure_connection()
    raw: psycopg.Connection[Any] = owner.connection
    name = sql.Identifier(table.name)
    for (constraint,) in raw.execute(_FOREIGN, [table.name]).fetchall():  # there are no passages
        drop = sql.SQL("ALTER TABLE {} DROP CONSTRAINT {}")
        raw.execute(drop.format(name, sql.Identifier(constraint)))
    raw.execute(sql.SQL("DROP INDEX IF EXISTS {}").format(sql.Identifier(f"{table.name}_hnsw")))
    into = sql.SQL("COPY {} (chunk_id, embedding) FROM STDIN (FORMAT BINARY)").format(name)
    keys = np.zeros((len(asked), 0), dtype=np.int64)
    cosines = np.zeros((len(asked), 0), dtype=np.float32)
    first = 1
    for block in made.vectors(count):
        with raw.cursor() as cursor, cursor.copy(into) as copy:
            copy.write(table.copied(first, block))
        if table.storage == "halfvec":
            block = block.astype(np.float16).astype(np.float32)
        stored = block / np.linalg.norm(block, axis=1, keepdims=True)
        met = np.broadcast_to(np.arange(first, first + len(block)), (len(asked), len(block)))
        keys, cosines = np.hstack([keys, met]), np.hstack([cosines, asked @ stored.T])
        best = np.argsort(-cosines, axis=1, kind="stable")[:, :COMPARED]
        keys, cosines = np.take_along_axis(keys, best, 1), np.take_along_axis(cosines, best, 1)
        first += len(block)
    raw.execute(sql.SQL("ANALYZE {}").format(name))
    return [set(map(int, row)) for row in keys]


def _searched(
    encoder: ActiveEncoder, asked: Vectors, wanted: Sequence[set[int]], length: int
) -> str:
    """Ask all twice, so that the second time is warm, and describe the second."""
    config = replace(site_config(), ef_search=length)
    statement = _NEAREST.replace("{table}", encoder.table).replace("{storage}", encoder.storage)
    for _ in range(2):
        recalls, took_ms = [], []
        for vector, exact in zip(asked, wanted, strict=True):
            parameters = {"vector": literal(vector.tolist()), "fetched": FETCHED}
            started = time.perf_counter()
            rows = rows_by_index(statement, parameters, config, vectors=0)
            took_ms.append(1000 * (time.perf_counter() - started))
            recalls.append(len(exact & {row[0] for row in rows}) / COMPARED)
    p50, p95 = np.percentile(took_ms, [50, 95])
    return f"recall@{COMPARED} {np.mean(recalls):.4f}, p50 {p50:.1f} p95 {p95:.1f} ms"
