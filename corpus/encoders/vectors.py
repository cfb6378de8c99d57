"""Write, read and count vectors in an encoder's table.

A table has `chunk_id` and `embedding`; rows go with their chunk. Its name is made of the encoder's
id, so that no outside text ever enters a statement.
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
    """Format a vector for pgvector with nine digits, which distinguish any two float32."""
    values = tuple(vector)
    return f"[{','.join(['%.9g'] * len(values))}]" % values


def write(encoder: Encoder, chunk_ids: Sequence[int], vectors: Vectors) -> None:
    """Store vectors of chunks that have none yet. Runs one statement."""
    texts = [literal(vector) for vector in vectors.tolist()]
    with connection.cursor() as cursor:
        cursor.execute(_for(encoder, _WRITE), [list(chunk_ids), texts])


def read(encoder: Encoder, chunk_ids: Sequence[int]) -> dict[int, Vectors]:
    """Return vectors `(dimensions,)` float32 by chunk, where they exist. Runs one query."""
    with connection.cursor() as cursor:
        cursor.execute(_for(encoder, _READ), [list(chunk_ids)])
        return {pk: np.asarray(vector, dtype=np.float32) for pk, vector in cursor.fetchall()}


def lacking(encoder: Encoder, chunks: QuerySet[Chunk]) -> set[int]:
    """Return the indexes of a document's chunks without a vector. Runs one query."""
    without = RawSQL(_for(encoder, _HAS_NONE), [], output_field=BooleanField())  # noqa: S611
    return set(chunks.order_by().filter(without).values_list("index", flat=True))


def progress(encoder: Encoder) -> tuple[int, int]:
    """Return the number of indexed chunks with a vector, and of all. Runs one query."""
    with connection.cursor() as cursor:
        cursor.execute(_for(encoder, _PROGRESS))
        made, wanted = cursor.fetchone()
    return made, wanted


def searched() -> list[Encoder]:
    """Return the searched encoders, by id. Runs one query."""
    return list(Encoder.objects.filter(state=EncoderState.ACTIVE).order_by("pk"))


def searched_to_the_end() -> list[Encoder]:
    """Return the searched encoders, locked until the transaction ends. Runs two queries."""
    with connection.cursor() as cursor:
        # All of them: one that is made active meanwhile would not be seen by a narrower lock.
        cursor.execute("SELECT FROM corpus_encoder ORDER BY id FOR SHARE")
    return searched()


def _for(encoder: Encoder, statement: str) -> str:
    return statement.replace("{table}", encoder.table).replace("{storage}", encoder.storage)
