"""Make the vectors and search vectors of a document's passages, batch by batch.

Batches are aligned by passage index, so that a resumed attempt computes the same vectors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

import numpy as np
from django.db import transaction
from django.db.models import QuerySet

from corpus.chunking.cutting import Passage
from corpus.encoders import statement_vectors, vectors
from corpus.encoders.batches import BATCH, IncompleteDocument, encode_rows
from corpus.encoders.registry import embedder_of, encoder_facts, get_embedder
from corpus.encoders.types import Embedder, Vectors
from corpus.indexing import jobs, search_vectors
from corpus.indexing.leases import Lease
from corpus.models import Chunk, Document, Encoder, EncoderState, Stage

MODEL_LOAD_LIMIT_S = 300.0  # after that the lease is no longer kept alive, and runs out
MODEL_LOAD_HEAD_START_S = 60.0  # importing torch holds the interpreter lock
BATCH_LIMIT_S = 180.0

T = TypeVar("T")


def document_embed(document: Document, lease: Lease) -> Stage:
    """Make what is missing, committing each batch, while the lease holds."""
    encoders = _searched(lease)
    embedder = reading_embedder(lease)
    chunks = Chunk.objects.filter(document=document)
    total = chunks.count()
    for batch, encoding in _encoded_ahead(chunks, encoders, embedder):
        made, of_statements = lease.result_of(encoding, limit_s=BATCH_LIMIT_S)
        lease.lap("embed")
        first = batch.rows[0].index // BATCH * BATCH
        with transaction.atomic():
            lease.hold(done=min(first + BATCH, total), total=total)
            write_vectors(batch.rows, made)
            statement_vectors.write(batch.statements, of_statements)
        lease.lap("write")
        jobs.yield_to_due(lease)
    with transaction.atomic():
        lease.hold(stage=Stage.EMBEDDED, done=total, total=total, timings=lease.timings)
    return Stage.EMBEDDED


@dataclass(frozen=True)
class Made:
    """Vectors of passages that are not stored: by encoder in order, and of statements by digest."""

    of_rows: tuple[tuple[Encoder, Vectors], ...]
    of_statements: dict[bytes, Vectors]


def passages_encode(rows: Sequence[Chunk], passages: Sequence[Passage], lease: Lease) -> Made:
    """Make the vectors of passages and their statements, without a row, while the lease holds."""
    encoders, reading, facts = _searched(lease), reading_embedder(lease), encoder_facts()
    of_rows: list[list[Vectors]] = [[] for _ in encoders]
    of_statements: dict[bytes, Vectors] = {}

    def encode(batch: Sequence[Chunk], texts: Sequence[str]) -> list[Vectors]:
        made = [encode_rows(embedder, batch) for _, embedder in encoders]
        wanted = statement_vectors.wanted_of(texts, facts.space)
        of_statements.update(
            zip(wanted.digests, statement_vectors.encode(reading, wanted), strict=True)
        )
        return made

    for first in range(0, len(rows), BATCH):
        batch = rows[first : first + BATCH]
        texts = [
            statement_vectors.read_as(row, said.caption, said.text, in_english=facts.is_english)
            for row, passage in zip(batch, passages[first : first + BATCH], strict=True)
            for said in passage.statements
        ]
        made = lease.run(partial(encode, batch, texts), limit_s=BATCH_LIMIT_S)
        for of_encoder, each in zip(of_rows, made, strict=True):
            of_encoder.append(each)
        lease.progress(first + len(batch), len(rows))
    together = [np.concatenate(each) for each in of_rows]
    return Made(
        tuple((encoder, each) for (encoder, _), each in zip(encoders, together, strict=True)),
        of_statements,
    )


def passages_embed(rows: Sequence[Chunk], made: Made) -> None:
    """Store what `passages_encode` made, with search vectors, in the caller's transaction."""
    write_vectors(rows, made.of_rows)
    facts = encoder_facts()
    wanted = statement_vectors.unencoded(rows, facts.space, in_english=facts.is_english)
    if wanted.keys:
        of_statements = np.stack([made.of_statements[digest] for digest in wanted.digests])
        statement_vectors.write(wanted, of_statements)


@dataclass(frozen=True)
class _Batch:
    rows: list[Chunk]
    statements: statement_vectors.Unencoded


_Encoded = tuple[list[tuple[Encoder, Vectors]], Vectors]


def _encoded_ahead(
    chunks: QuerySet[Chunk], encoders: Sequence[tuple[Encoder, Embedder]], reading: Embedder
) -> Iterator[tuple[_Batch, Future[_Encoded]]]:
    """Yield each incomplete batch with its vectors as a future, in order.

    Statements get vectors of the encoder that answers are read by. While the caller writes a batch,
    the next one is encoded, one at a time.
    """

    def encode(batch: _Batch) -> _Encoded:
        of_rows = [(encoder, encode_rows(embedder, batch.rows)) for encoder, embedder in encoders]
        return of_rows, statement_vectors.encode(reading, batch.statements)

    facts = encoder_facts()
    before: tuple[_Batch, Future[_Encoded]] | None = None
    with ThreadPoolExecutor(1) as pool:
        for first in _batches_to_do(chunks, encoders):
            rows = list(chunks.filter(index__gte=first, index__lt=first + BATCH).order_by("index"))
            batch = _Batch(
                rows,
                statement_vectors.unencoded(rows, facts.space, in_english=facts.is_english),
            )
            begun = batch, pool.submit(encode, batch)
            if before is not None:
                yield before
            before = begun
        if before is not None:
            yield before


def _batches_to_do(
    chunks: QuerySet[Chunk], encoders: Sequence[tuple[Encoder, Embedder]]
) -> list[int]:
    """Return the first index of each batch that lacks vectors or search vectors."""
    lacking = set(chunks.filter(search_vector=None).values_list("index", flat=True))
    lacking |= statement_vectors.lacking(chunks)
    for encoder, _ in encoders:
        lacking |= vectors.lacking(encoder, chunks)
    return sorted({index // BATCH * BATCH for index in lacking})


def _searched(lease: Lease) -> list[tuple[Encoder, Embedder]]:
    """Return the encoders whose vectors a document needs in order to be searched."""
    rows = list(vectors.searched())
    if rows:
        return _loaded(lease, lambda: [(encoder, embedder_of(encoder)) for encoder in rows])
    if Encoder.objects.filter(state=EncoderState.BUILDING).exists():
        raise IncompleteDocument(
            "No encoder can be searched yet: the first one is being built.",
            hint="Nothing is lost. Run manage.py reembed or wait for the worker, then press "
            "Read again if it has not continued.",
            retryable=True,
        )
    raise IncompleteDocument("No encoder is set up.", hint="Run manage.py migrate.")


def reading_embedder(lease: Lease) -> Embedder:
    """Return the encoder whose tokens limit passages; the first call in a process loads it."""
    return _loaded(lease, get_embedder)


def _loaded(lease: Lease, load: Callable[[], T]) -> T:
    loaded = lease.run(load, limit_s=MODEL_LOAD_LIMIT_S, head_start_s=MODEL_LOAD_HEAD_START_S)
    lease.hold()
    lease.lap("load")
    return loaded


def write_vectors(rows: Sequence[Chunk], made: Sequence[tuple[Encoder, Vectors]]) -> None:
    """Write the vectors of each encoder and the search vectors of a batch."""
    for encoder, of_rows in made:
        vectors.write(encoder, [row.pk for row in rows], of_rows)
    search_vectors.write(rows)
