"""Both scores of every candidate, also of one that only the other side found."""

from __future__ import annotations

from collections.abc import Sequence

from django.db import connection

from retrieval.lexical import bm25_of

__all__ = ["bm25_of", "cosines_of"]

_COSINES_SQL = """
SELECT v.chunk_id, 1 - (v.embedding::vector <=> %s::vector) FROM {vectors} v
WHERE v.chunk_id = ANY(%s) AND v.embedding IS NOT NULL
"""


def cosines_of(chunk_ids: Sequence[int], vector: Sequence[float], vectors: str) -> dict[int, float]:
    """Cosine similarity by chunk, in [-1, 1], of those that have a vector in the table `vectors`.

    One query, or none.
    """
    if not chunk_ids:
        return {}
    literal = "[" + ",".join(repr(float(x)) for x in vector) + "]"
    with connection.cursor() as cursor:
        cursor.execute(_COSINES_SQL.format(vectors=vectors), [literal, list(chunk_ids)])
        return {chunk_id: float(cosine) for chunk_id, cosine in cursor.fetchall()}
