"""From passages to documents. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from retrieval.types import Hit

Entries = tuple[tuple[str, float], ...]


def pooled(hits: Iterable[Hit], names: Mapping[int, str], *, depth: int) -> Entries:
    """Return the documents of these passages by their best rank, at most `depth`, each once.

    `names` maps primary keys to the data set's ids. A passage that stands for others which say the
    same brings their documents with it, right behind its own, by id: whoever reads it is told of
    them, and which of them stands for the rest says nothing of relevance.
    """
    found: dict[str, float] = {}
    for hit in hits:
        twins = sorted(names[other.document_id] for other in hit.also_in)
        for document in (names[hit.document_id], *twins):
            found.setdefault(document, hit.score)
    return tuple(found.items())[:depth]
