"""Store the vectors of statements at indexing, so that questions encode none.

Each is stored with a digest of the encoder and the encoded text. If the digest differs (another
encoder, an edited title), the vector counts as missing.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from django.db import connection
from django.db.models import QuerySet

from corpus.encoders.batches import embedded_statement, read_in_english, refuse_bad_vectors
from corpus.encoders.types import Embedder, Vectors
from corpus.models import Chunk, PassageStatement, StatementVector

_WRITE = """
INSERT INTO corpus_statementvector (statement_id, made_of, components)
SELECT s.id, v.made_of, v.components
FROM unnest(%s::bigint[], %s::bytea[], %s::bytea[]) AS v(id, made_of, components)
JOIN corpus_passagestatement s ON s.id = v.id
ORDER BY s.id FOR KEY SHARE OF s
ON CONFLICT (statement_id) DO UPDATE
SET made_of = EXCLUDED.made_of, components = EXCLUDED.components
"""
_MOST = 127  # of an int8


@dataclass(frozen=True)
class Unencoded:
    """Statements without a vector of an encoder: ids, digests and texts, in the same order."""

    keys: tuple[int, ...] = ()
    digests: tuple[bytes, ...] = ()
    texts: tuple[str, ...] = ()


def unencoded(chunks: Sequence[Chunk], space: str, *, in_english: bool = False) -> Unencoded:
    """Return the statements of passages without a vector of `space`. Runs one query.

    `in_english` as of `batches.embedded_text`.
    """
    passages = {chunk.pk: chunk for chunk in chunks}
    rows = PassageStatement.objects.filter(chunk__in=passages).order_by("chunk", "index")
    missing = []
    for pk, chunk, caption, text, kept in rows.values_list(
        "pk", "chunk", "caption", "text", "vector__made_of"
    ):
        wanted = read_as(passages[chunk], caption, text, in_english=in_english)
        digest = digest_of(space, wanted)
        if kept is None or bytes(kept) != digest:
            missing.append((pk, digest, wanted))
    return Unencoded(*zip(*missing, strict=True)) if missing else Unencoded()


def read_as(chunk: Chunk, caption: str, text: str, *, in_english: bool) -> str:
    """Return what is encoded of a passage's statement."""
    said = embedded_statement(chunk.context, caption, text)
    return read_in_english(said, chunk.language) if in_english else said


def wanted_of(texts: Sequence[str], space: str) -> Unencoded:
    """Return texts of statements that are not stored yet, with their digests and no ids."""
    return Unencoded((), tuple(digest_of(space, text) for text in texts), tuple(texts))


def encode(embedder: Embedder, wanted: Unencoded) -> Vectors:
    """Return `(n, d)` float32 of unit norm, in order; equal statements are encoded once.

    Raises `IncompleteDocument` for a bad vector.
    """
    if not wanted.texts:
        return np.zeros((0, 0), dtype=np.float32)
    texts = list(dict.fromkeys(wanted.texts))
    made = embedder.encode(texts)
    refuse_bad_vectors(made, len(texts))
    places = {text: place for place, text in enumerate(texts)}
    return np.asarray(made[[places[text] for text in wanted.texts]])


def lacking(chunks: QuerySet[Chunk]) -> set[int]:
    """Return the indexes of a document's chunks with statements without vectors. One query."""
    without = chunks.order_by().filter(statements__isnull=False, statements__vector=None)
    return set(without.values_list("index", flat=True))


def digest_of(space: str, text: str) -> bytes:
    """Return 16 bytes that identify a vector's origin; `space` is that of `Facts`."""
    return hashlib.sha256(f"{space}\0{text}".encode("utf-8", "surrogatepass")).digest()[:16]


def kept_as(vectors: Vectors) -> list[bytes]:
    """Quantise vectors `(n, d)` to a byte a component; cosines move by 0.0005."""
    most = np.abs(vectors).max(axis=1, keepdims=True)
    return [row.tobytes() for row in np.rint(vectors * (_MOST / most)).astype(np.int8)]


def restored(kept: Sequence[bytes]) -> Vectors:
    """Return `(n, d)` float32 of unit norm from quantised vectors; n is at least 1."""
    vectors = np.stack([np.frombuffer(each, dtype=np.int8) for each in kept]).astype(np.float32)
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), dtype=np.float32)


def rounded(vectors: Vectors) -> Vectors:
    """Quantise and restore, so that stored and fresh vectors are equal."""
    return restored(kept_as(vectors)) if len(vectors) else vectors


def write(wanted: Unencoded, vectors: Vectors) -> None:
    """Store vectors of statements that still exist. Runs one statement; none for none."""
    if wanted.keys:
        with connection.cursor() as cursor:
            cursor.execute(_WRITE, [list(wanted.keys), list(wanted.digests), kept_as(vectors)])


def read(statements: Sequence[int | None], digests: Sequence[bytes]) -> dict[int, Vectors]:
    """Return vectors `(d,)` by index, of those stored with just this digest. Runs one query."""
    rows = StatementVector.objects.filter(pk__in=[pk for pk in statements if pk is not None])
    kept = {pk: each for pk, *each in rows.values_list("pk", "made_of", "components")}
    kept_at = {
        place: bytes(kept[pk][1])
        for place, (pk, digest) in enumerate(zip(statements, digests, strict=True))
        if pk in kept and bytes(kept[pk][0]) == digest
    }
    return dict(zip(kept_at, restored(list(kept_at.values())), strict=True)) if kept_at else {}
