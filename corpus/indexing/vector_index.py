"""Build the index of an encoder's vectors while passages are written and deleted.

A plain index build blocks all writes to its table, and so the deletion of passages, until it is
done. `CONCURRENTLY` doesn't, but if killed it leaves an invalid index, which is dropped and built
again.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress

from django.db import Error, connection, connections, transaction
from django.db.backends.utils import CursorWrapper
from psycopg.errors import Diagnostic

from core.errors import MedragError
from corpus.models import Encoder

logger = logging.getLogger(__name__)

OWNER = "owner"
# Of PostgreSQL's advisory locks: one process at a time fills an encoder's table, and one session
# indexes it, which may outlive its process.
FILLING, _INDEXING = 7_301, 7_310  # and from _INDEXING on one for each partition
_BUILD_MEMORY_MB = 1024  # at least, for all graphs together that are built at once
_NOTICES_DEATH = "2s"  # how soon a build ends whose process has died

_OUTGROWN = "no longer fits"  # of pgvector's notice during a build

_METHOD = {"vector": "vector_cosine_ops", "halfvec": "halfvec_cosine_ops"}
_BUILD = """
CREATE INDEX {how} {table}_hnsw ON {only} {table} USING hnsw (embedding {operators})
WITH (m = {m}, ef_construction = {ef_construction})
"""
_ATTACH = "ALTER INDEX {table}_hnsw ATTACH PARTITION {part}_hnsw"
_IS_VALID = """
SELECT i.indisvalid FROM pg_index i
WHERE i.indexrelid = to_regclass(%s) AND i.indrelid = to_regclass(%s)
"""
_SERVERS_MEMORY_KB = "SELECT setting::int FROM pg_settings WHERE name = 'maintenance_work_mem'"
_IS_OWNER = "SELECT pg_has_role(relowner, 'USAGE') FROM pg_class WHERE oid = to_regclass(%s)"


class AlreadyRunning(MedragError):
    """Another process is filling the vectors of this encoder."""

    retryable = True


class IndexUnusable(MedragError):
    """A killed build left an index that can't be repaired with the available rights."""


def index_build(encoder: Encoder) -> None:
    """Build the encoder's vector index during normal operation. Call it outside transactions.

    Waits for older transactions. Does nothing if a valid index exists; replaces an invalid one.
    Where the owner's connection has no more rights than the application's, a database function
    builds the index, and deletions of passages wait. Raises `AlreadyRunning` where the database is
    still building it for a process that died, and `IndexUnusable`.
    """
    if is_indexed(encoder):
        return
    if _may_index(encoder):
        _build_concurrently(encoder)
    else:
        _build_alone(encoder)
    if not is_indexed(encoder):  # the function, which can't drop, found one that is invalid
        raise IndexUnusable(
            f"The index of the vectors of {encoder.name} is incomplete, and only the owner of "
            "the tables can build it again. Nothing was lost, and search continues.",
            hint="Run manage.py reembed with the owner's DATABASE_OWNER_URL.",
        )


def is_indexed(encoder: Encoder) -> bool:
    """Tell whether a valid index exists. Runs one query."""
    return _is_valid(encoder.table, "default") is True


@contextmanager
def alone(encoder: Encoder, what: int) -> Iterator[None]:
    """Hold a lock that ends with the owner's connection. Raises `AlreadyRunning`.

    Not with the application's: a pool may give each transaction another session.
    """
    key = [what, encoder.pk % 2**31]
    with connections[OWNER].cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(%s, %s)", key)
        if not cursor.fetchone()[0]:
            raise AlreadyRunning(
                f"The vectors of {encoder.name} are being computed by another process.",
                hint="Nothing is lost. manage.py doctor shows the progress.",
            )
        try:
            yield
        finally:
            with suppress(Error):  # a connection that was lost, whose error is the one to be told
                cursor.execute("SELECT pg_advisory_unlock(%s, %s)", key)


def _build_concurrently(encoder: Encoder) -> None:
    """Build the index of each partition, as many at once as there are cores, and join them.

    Each in a session of its own, which ends with its settings and its lock.
    """
    parts = encoder.partitions
    at_once = min(len(parts), os.cpu_count() or 1)

    def build(n: int) -> None:
        try:
            with alone(encoder, _INDEXING + n):
                _build_part(encoder, parts[n], at_once)
        finally:
            connections[OWNER].close()  # this thread's

    with ThreadPoolExecutor(at_once) as pool:
        list(pool.map(build, range(len(parts))))
    if parts == [encoder.table]:
        return
    with connections[OWNER].cursor() as cursor:
        if _is_valid(encoder.table, OWNER) is None:
            cursor.execute(_build(encoder, encoder.table, only="ONLY"))
        for part in parts:  # once more changes nothing; with the last it is valid
            cursor.execute(_ATTACH.format(table=encoder.table, part=part))


def _build_part(encoder: Encoder, part: str, at_once: int) -> None:
    is_valid = _is_valid(part, OWNER)
    if is_valid:
        return
    with connections[OWNER].cursor() as cursor:
        _give_room(cursor, "SET", at_once)
        cursor.execute(f"SET client_connection_check_interval = '{_NOTICES_DEATH}'")
        if is_valid is False:
            cursor.execute(f"DROP INDEX CONCURRENTLY {part}_hnsw")
        with _outgrowth_reported(encoder):
            cursor.execute(_build(encoder, part, how="CONCURRENTLY"))


@contextmanager
def _outgrowth_reported(encoder: Encoder) -> Iterator[None]:
    """Log where a graph outgrows the memory of its build, which then takes many times as long."""

    def report(notice: Diagnostic) -> None:
        if _OUTGROWN in (notice.message_primary or ""):
            logger.warning(
                "The vectors of %s outgrow the memory of their index's build, which takes many "
                "times as long now; search goes on meanwhile. Next time give the server more "
                "maintenance_work_mem, or the encoder more partitions (docs/scaling.md).",
                encoder.name,
            )

    raw = connections[OWNER].connection
    raw.add_notice_handler(report)
    try:
        yield
    finally:
        raw.remove_notice_handler(report)


def _build(encoder: Encoder, table: str, *, how: str = "", only: str = "") -> str:
    return _BUILD.format(
        how=how,
        only=only,
        table=table,
        operators=_METHOD[encoder.storage],
        m=int(encoder.spec.get("m") or 16),
        ef_construction=int(encoder.spec.get("ef_construction") or 64),
    )


def _build_alone(encoder: Encoder) -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        _give_room(cursor, "SET LOCAL", 1)
        cursor.execute("SELECT corpus_vectors_index(%s)", [encoder.pk])


def _give_room(cursor: CursorWrapper, set_: str, at_once: int) -> None:
    """Give one of so many builds its share of _BUILD_MEMORY_MB, or of the server's if more."""
    cursor.execute(_SERVERS_MEMORY_KB)
    memory_kb = max(_BUILD_MEMORY_MB * 1024, cursor.fetchone()[0]) // at_once
    cursor.execute(f"{set_} maintenance_work_mem = '{memory_kb}kB'")
    # Its helpers share that memory by a file system that containers keep at 64 MB.
    cursor.execute(f"{set_} max_parallel_maintenance_workers = 0")


def _may_index(encoder: Encoder) -> bool:
    with connections[OWNER].cursor() as cursor:
        cursor.execute(_IS_OWNER, [encoder.table])
        row = cursor.fetchone()
    return bool(row and row[0])


def _is_valid(table: str, alias: str) -> bool | None:
    """Tell whether the index of a table or partition is valid; None if there is none."""
    with connections[alias].cursor() as cursor:
        cursor.execute(_IS_VALID, [f"{table}_hnsw", table])
        row = cursor.fetchone()
    return bool(row[0]) if row else None
