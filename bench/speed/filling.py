"""Fill a database with a synthetic corpus: copied in bulk, and indexed once all rows are there.

The rows are those that ingestion would have written, but pages have no text. While one thread
writes a block the next block is made, so that two cores are busy.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import numpy as np
import psycopg
from django.db import connections, transaction
from django.db.migrations.loader import MigrationLoader
from psycopg import sql

from bench.speed.made import Block, Made
from core.language.configurations import ENGLISH
from core.progress import Progress
from corpus.encoders.registry import configured_specs, facts_for, searched_rows
from corpus.encoders.types import Vectors
from corpus.indexing import statistics
from corpus.indexing.search_text import SEARCH_TEXT_REVISION, indexed_text
from corpus.indexing.search_vectors import CUT, MARKED
from corpus.models import Collection, Document, Lifecycle, Page

REVISION = 4  # of the filled content
CHUNKS_A_DOCUMENT = 20
TITLE = "Made guideline"
REST = "benchmark"  # collection
SHARES = {1: "benchmark-1", 10: "benchmark-10"}  # collections by their percentage of the documents
_LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)
_TOKENS_A_WORD = 1.4
_SIGNATURE = b"PGCOPY\n\xff\r\n\0" + bytes(8)  # of PostgreSQL's binary COPY, no flags
_END = b"\xff\xff"

_STAGE = """
CREATE UNLOGGED TABLE IF NOT EXISTS bench_stage (
    id bigint, document_id bigint, key text, index int, body text, words text, tokens int)
"""
# As `corpus.services.indexing` writes them.
_CHUNKS = f"""
INSERT INTO corpus_chunk (id, key, document_id, index, page, section_path, context, text, spans,
                          tokens, search_vector, length, twins, disabled_reason)
SELECT w.id, w.key, w.document_id, w.index, 1, '{{}}', '', w.body,
       jsonb_build_array(jsonb_build_array(1, 0, length(w.body))), w.tokens,
       t.vector || array_to_tsvector(u.marks), n.length, '', ''
FROM (SELECT s.*, '{ENGLISH}' AS configuration FROM bench_stage s) AS w
{CUT}
"""  # noqa: S608
_INDEXES = """
SELECT i.indexname, i.indexdef FROM pg_indexes i
JOIN pg_class c ON c.relname = i.indexname
WHERE (i.tablename = 'corpus_chunk' OR i.tablename LIKE 'corpus\\_vectors\\_%%')
      AND NOT EXISTS (SELECT FROM pg_constraint k WHERE k.conindid = c.oid)
      AND NOT c.relispartition
ORDER BY i.indexname
"""
_SEQUENCE = "SELECT setval(pg_get_serial_sequence('corpus_chunk', 'id'), max(id)) FROM corpus_chunk"

Say = Callable[[str], None]


@dataclass(frozen=True)
class Table:
    """The table that takes an encoder's vectors, and the type it stores them as."""

    name: str
    storage: str  # vector or halfvec
    dimensions: int

    def copied(self, first: int, vectors: Vectors) -> bytes:
        """Return rows in PostgreSQL's binary COPY format, with consecutive keys from `first`."""
        half = self.storage == "halfvec"
        number, width = (">f2", 2) if half else (">f4", 4)
        row = np.dtype(
            [
                *(("fields", ">i2"), ("key_bytes", ">i4"), ("key", ">i8"), ("bytes", ">i4")),
                *(("dimensions", ">i2"), ("unused", ">i2"), ("x", number, (self.dimensions,))),
            ]
        )
        rows = np.zeros(len(vectors), dtype=row)
        rows["fields"], rows["key_bytes"] = 2, 8
        rows["key"] = np.arange(first, first + len(vectors))
        rows["bytes"] = 4 + width * self.dimensions
        rows["dimensions"], rows["x"] = self.dimensions, vectors
        return _SIGNATURE + rows.tobytes() + _END


def made_of(made: Made) -> dict[str, Any]:
    """Describe, as JSON, all that decides a filled database's content.

    A database filled under another description is stale.
    """
    spec = configured_specs()[0]
    index = (spec.m, spec.ef_construction, spec.partitions)
    graph = MigrationLoader(None).graph
    return {
        "revision": REVISION,
        "sample": made.sample.digest,
        "seed": made.seed,
        "search_text": SEARCH_TEXT_REVISION,
        "marked": MARKED["strong"],
        "vectors": [facts_for(spec).space, spec.storage, *index],
        "schema": [name for app in ("corpus", "retrieval") for _, name in graph.leaf_nodes(app)],
    }


def fill(made: Made, chunks: int, say: Say) -> dict[str, float]:
    """Fill the connected database as the tables' owner, and return the seconds of each step.

    Steps are `copy`, each index by its name, `statistics` and `vacuum`.
    """
    seconds: dict[str, float] = {}
    owner = connections["owner"]
    owner.ensure_connection()
    raw: psycopg.Connection[Any] = owner.connection
    encoder = searched_rows()[0]
    table = Table(encoder.table, encoder.storage, encoder.dimensions)
    indexes = raw.execute(_INDEXES.replace("%%", "%")).fetchall()
    with _timed(seconds, "copy"):
        for name, _ in indexes:
            raw.execute(sql.SQL("DROP INDEX {}").format(sql.Identifier(name)))
        _copy(raw, made, chunks, table)
    _give_memory(raw, chunks, table.dimensions)
    for name, definition in indexes:
        say(f"index {name}")
        with _timed(seconds, name):
            raw.execute(definition.replace(" ON ONLY ", " ON "))  # with all partitions
    say("statistics")
    with _timed(seconds, "statistics"):
        with transaction.atomic():
            statistics.recount()
        raw.execute(_SEQUENCE)
    with _timed(seconds, "vacuum"):
        raw.execute("VACUUM (ANALYZE)")
    return seconds


def _copy(raw: psycopg.Connection[Any], made: Made, chunks: int, table: Table) -> None:
    raw.execute(_STAGE)
    collections = {
        slug: Collection.objects.using("owner").get_or_create(slug=slug, defaults={"name": slug})[0]
        for slug in (REST, *SHARES.values())
    }
    writing: Future[None] | None = None
    filling = Progress("Filling", chunks, "passages")
    with filling as progress, ThreadPoolExecutor(1) as pool:
        for block in made.blocks(chunks):
            rows = list(_rows(block))
            copied = table.copied(block.first + 1, block.vectors)
            if writing is not None:
                writing.result()
            documents = _documents(block, collections)  # in this thread: it uses the connection
            writing = pool.submit(_write, raw, rows, documents, table, copied)
            progress.at(block.first + len(block.texts))
        if writing is not None:
            writing.result()
    raw.execute("DROP TABLE bench_stage")


def _rows(block: Block) -> Iterator[list[Any]]:
    """Yield rows for the staging table, with the document's number instead of its primary key."""
    for place, text in enumerate(block.texts, start=block.first):
        document, index = divmod(place, CHUNKS_A_DOCUMENT)
        key = f"{_sha256(document)}_p1_c{index}"
        tokens = int(len(text.split()) * _TOKENS_A_WORD)
        words = indexed_text("", text, ENGLISH)
        yield [place + 1, document, key, index, text, words, tokens]


def _collection_of(number: int) -> str:
    """Return the slug of a document's collection: 1 % and 10 % go to the small ones."""
    if number % 100 == 0:
        return SHARES[1]
    return SHARES[10] if number % 10 == 1 else REST


def _documents(block: Block, collections: dict[str, Collection]) -> dict[int, int]:
    """Create the block's documents and return their primary keys by number."""
    last = block.first + len(block.texts) - 1
    numbers = range(block.first // CHUNKS_A_DOCUMENT, last // CHUNKS_A_DOCUMENT + 1)
    rows = Document.objects.using("owner").bulk_create(
        Document(
            sha256=_sha256(number),
            filename=f"made-{number}.txt",
            media_type="text/plain",
            size_bytes=0,
            collection=collections[_collection_of(number)],
            title=f"{TITLE} {number}",
            lifecycle=Lifecycle.PUBLISHED,
            published_at=_LONG_AGO,
            page_count=1,
            indexed_at=_LONG_AGO,
        )
        for number in numbers
    )
    Page.objects.using("owner").bulk_create(
        Page(document=row, number=1, text="", blocks=[], width=0, height=0) for row in rows
    )
    return dict(zip(numbers, (row.pk for row in rows), strict=True))


def _write(
    raw: psycopg.Connection[Any],
    rows: Sequence[list[Any]],
    documents: dict[int, int],
    table: Table,
    copied: bytes,
) -> None:
    with raw.transaction(), raw.cursor() as cursor:
        cursor.execute("TRUNCATE bench_stage")
        with cursor.copy("COPY bench_stage FROM STDIN") as copy:
            for row in rows:
                copy.write_row([row[0], documents[row[1]], *row[2:]])
        cursor.execute(_CHUNKS.encode(), MARKED)
        into = sql.SQL("COPY {} (chunk_id, embedding) FROM STDIN (FORMAT BINARY)")
        with cursor.copy(into.format(sql.Identifier(table.name))) as copy:
            copy.write(copied)


def _give_memory(raw: psycopg.Connection[Any], chunks: int, dimensions: int) -> None:
    """Allow enough memory for the whole index's graph: in memory it is built many times as fast."""
    wanted_mb = min(8000, 256 + chunks * (4 * dimensions + 700) // 1024**2)
    raw.execute(f"SET maintenance_work_mem = '{wanted_mb}MB'".encode())
    raw.execute("SET max_parallel_maintenance_workers = 2")


def _sha256(number: int) -> str:
    return hashlib.sha256(f"made {number}".encode()).hexdigest()


@contextmanager
def _timed(seconds: dict[str, float], step: str) -> Iterator[None]:
    started = time.monotonic()
    yield
    seconds[step] = time.monotonic() - started
