"""Vectors in the table of an encoder: written, read and counted.

A table holds `chunk_id` and `embedding`, and forgets a chunk with it. Its name is made of the
encoder's primary key, so that no text from outside ever stands in a statement.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from django.db import connection
from django.db.models import BooleanField, QuerySet
from django.db.models.expressions import RawSQL

from corpus.encoders.types import Vectors
from corpus.models import Chunk, Encoder, EncoderState

# A chunk that was deleted meanwhile is left out; one that is there can't be until the commit.
_WRITE = """
INSERT INTO {table} (chunk_id, embedding)
SELECT c.id, v.embedding::{storage}
FROM unnest(%s::bigint[], %s::text[]) AS v(id, embedding) JOIN corpus_chunk c ON c.id = v.id
ORDER BY c.id FOR KEY SHARE OF c
ON CONFLICT (chunk_id) DO NOTHING
"""
_READ = "SELECT chunk_id, embedding::real[] FROM {table} WHERE chunk_id = ANY(%s)"
_HAS_NONE = "NOT EXISTS (SELECT FROM {table} v WHERE v.chunk_id = corpus_chunk.id)"
_PROGRESS = """
SELECT count(v.chunk_id), count(*)
FROM corpus_chunk c JOIN corpus_document d ON d.id = c.document_id
LEFT JOIN {table} v ON v.chunk_id = c.id
WHERE d.indexed_at IS NOT NULL
"""


def literal(vector: Iterable[float]) -> str:
    """Return a vector as pgvector reads it: nine digits, which tell any two float32 apart."""
    values = tuple(vector)
    return f"[{','.join(['%.9g'] * len(values))}]" % values


def write(encoder: Encoder, chunk_ids: Sequence[int], vectors: Vectors) -> None:
    """Keep the vectors of chunks that have none yet. One statement."""
    texts = [literal(vector) for vector in vectors.tolist()]
    with connection.cursor() as cursor:
        cursor.execute(_for(encoder, _WRITE), [list(chunk_ids), texts])


def read(encoder: Encoder, chunk_ids: Sequence[int]) -> dict[int, Vectors]:
    """Return `(dimensions,)` float32 by chunk, of those that have one. One query."""
    with connection.cursor() as cursor:
        cursor.execute(_for(encoder, _READ), [list(chunk_ids)])
        return {pk: np.asarray(vector, dtype=np.float32) for pk, vector in cursor.fetchall()}


def lacking(encoder: Encoder, chunks: QuerySet[Chunk]) -> set[int]:
    """Return the indexes of those of a document's chunks that have no vector. One query."""
    without = RawSQL(_for(encoder, _HAS_NONE), [], output_field=BooleanField())  # noqa: S611
    return set(chunks.order_by().filter(without).values_list("index", flat=True))


def progress(encoder: Encoder) -> tuple[int, int]:
    """Return how many chunks of indexed documents have a vector, and how many there are. One
    query.
    """
    with connection.cursor() as cursor:
        cursor.execute(_for(encoder, _PROGRESS))
        made, wanted = cursor.fetchone()
    return made, wanted


def searched() -> list[Encoder]:
    """Return the encoders whose vectors are searched, in order of their keys. One query."""
    return list(Encoder.objects.filter(state=EncoderState.ACTIVE).order_by("pk"))


def searched_to_the_end() -> list[Encoder]:
    """Return the same, which stay the searched ones until the transaction ends. Two queries."""
    with connection.cursor() as cursor:
        # All of them: one that is made active meanwhile would not be seen by a narrower lock.
        cursor.execute("SELECT FROM corpus_encoder ORDER BY id FOR SHARE")
    return searched()


def _for(encoder: Encoder, statement: str) -> str:
    return statement.replace("{table}", encoder.table).replace("{storage}", encoder.storage)
