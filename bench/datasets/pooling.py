"""Reduce a ranking of passages to one of documents. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from retrieval.types import Hit

Entries = tuple[tuple[str, float], ...]


def pooled(hits: Iterable[Hit], names: Mapping[int, str], *, depth: int) -> Entries:
    """Return the documents of these passages by their best rank, at most `depth`, each once.

    `names` maps primary keys to the data set's ids. The documents of a passage's twins follow its
    own, ordered by id: readers are told of them, and the choice of one passage to represent its
    twins has nothing to do with relevance.
    """
    found: dict[str, float] = {}
    for hit in hits:
        twins = sorted(names[other.document_id] for other in hit.also_in)
        for document in (names[hit.document_id], *twins):
            found.setdefault(document, hit.score)
    return tuple(found.items())[:depth]
