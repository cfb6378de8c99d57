"""Tell whether vectors of unknown origin were made by the available encoder.

A migration can't know what made the vectors that it moved; only encoding some of their passages
again tells. That calls a model and so never happens inside a transaction.
"""

from __future__ import annotations

import numpy as np
from django.db import connections

from corpus.encoders.batches import encode_rows
from corpus.encoders.folders import Facts
from corpus.encoders.registry import EncoderUnavailable, embedder_for
from corpus.encoders.specs import EncoderSpec
from corpus.encoders.types import Vectors
from corpus.models import Chunk, Encoder

COMPARED = 8  # passages, at even steps over all: neighbours are of one document
# Above what computing in 16 bits instead of 32 costs; two trainings of a model are far below.
SAME_COSINE = 0.99

_STORED = """
WITH parted AS (SELECT chunk_id, ntile(%s) OVER (ORDER BY chunk_id) AS part FROM {table})
SELECT chunk_id, embedding::real[] FROM {table}
WHERE chunk_id IN (SELECT min(chunk_id) FROM parted GROUP BY part)
ORDER BY chunk_id
"""


def encoders_to_adopt(spec: EncoderSpec, facts: Facts, alias: str) -> list[int]:
    """Return the ids of encoder rows of unknown origin whose vectors `spec` made.

    Runs one query, plus two for each. Raises `EncoderUnavailable` where another encoder made them,
    and whatever the encoder raises if it can't be loaded or fails. Loads the model only for such
    rows.
    """
    unknown = list(Encoder.objects.using(alias).filter(fingerprint="").order_by("pk"))
    for encoder in unknown:
        if encoder.dimensions != facts.dimensions:
            raise EncoderUnavailable(
                f"The stored vectors have {encoder.dimensions} dimensions, those of the "
                f"encoder {spec.name} have {facts.dimensions}. Nothing was lost.",
                hint="Restore the old MEDRAG_ENCODERS, run manage.py migrate, then change it.",
            )
        with connections[alias].cursor() as cursor:
            cursor.execute(_STORED.replace("{table}", encoder.table), [COMPARED])
            stored = dict(cursor.fetchall())
        rows = list(Chunk.objects.using(alias).filter(pk__in=stored).order_by("pk"))
        if not rows:
            continue
        made = encode_rows(embedder_for(spec), rows)
        kept = np.array([stored[row.pk] for row in rows], dtype=np.float32)
        if made.shape != kept.shape or _cosines(made, kept).min() < SAME_COSINE:
            raise EncoderUnavailable(
                f"The stored vectors were not computed by the encoder {spec.name}. "
                "Nothing was lost.",
                hint="Restore the old MEDRAG_ENCODERS and run manage.py migrate, then change it.",
            )
    return [encoder.pk for encoder in unknown]


def _cosines(made: Vectors, kept: Vectors) -> Vectors:
    """Return `(n,)` cosines in [-1, 1]; 0 where a vector has no length."""
    lengths = np.linalg.norm(made, axis=1) * np.linalg.norm(kept, axis=1)
    products = (made * kept).sum(axis=1)
    return np.asarray(np.divide(products, lengths, out=np.zeros_like(products), where=lengths > 0))
