"""Encode chunks in fixed batches, so that a resumed attempt computes the same vectors."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from core.errors import MedragError
from core.language.gloss import ENGLISH, gloss, has_table
from corpus.encoders.types import Embedder, Vectors
from corpus.models import Chunk

BATCH = 16  # chunks encoded together: chunks 16k to 16k + 15 by index, always


class IncompleteDocument(MedragError):
    """A part of the document is missing from its index, so nothing of it may be searched."""

    code = "incomplete"


def embedded_text(chunk: Chunk, *, in_english: bool = False) -> str:
    """Return the text of a passage to encode; in English for an encoder that reads only that."""
    text = f"{chunk.context}\n{chunk.text}"
    return read_in_english(text, chunk.language) if in_english else text


def read_in_english(text: str, language: str) -> str:
    """Return a text as an English encoder reads it: one without a table as it stands."""
    language = language or ENGLISH
    return gloss(text, language) if has_table(language) else text


def statement_context(context: str, caption: str) -> str:
    """Return a statement's context: that of its passage, and its table's caption."""
    return " | ".join(part for part in (context, caption) if part)


def embedded_statement(context: str, caption: str, text: str) -> str:
    """Return the text of a statement to encode."""
    return f"{statement_context(context, caption)}: {text}"


def encode_rows(embedder: Embedder, rows: Sequence[Chunk]) -> Vectors:
    """Return `(n, d)` float32 of unit norm, in order. Raises `IncompleteDocument` otherwise."""
    texts = [embedded_text(row, in_english=embedder.is_english) for row in rows]
    vectors = embedder.encode(texts)
    refuse_bad_vectors(vectors, len(rows))
    return vectors


def refuse_bad_vectors(vectors: Vectors, count: int) -> None:
    """Raise `IncompleteDocument` unless there are `count` vectors of unit norm."""
    lengths = np.linalg.norm(vectors, axis=1) if len(vectors) == count else np.zeros(1)
    if not np.isfinite(lengths).all() or (abs(lengths - 1) > 1e-3).any():
        raise IncompleteDocument(
            "The encoder gave vectors that can't be searched.",
            hint="Check MEDRAG_ENCODERS, then press Read again.",
        )
