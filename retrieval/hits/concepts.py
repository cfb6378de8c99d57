"""Count how many of a question's concepts each candidate names."""

from __future__ import annotations

from collections.abc import Sequence

from corpus.models import Chunk
from retrieval.lexicon.concepts import Concepts
from retrieval.types import Ranked


def concept_shares(text: str, ranked: Sequence[Ranked], known: Concepts) -> dict[int, float]:
    """Return, by chunk, the share of the question's concepts named in its text and context line.

    Runs one query; none, with an empty result, for a question without concepts.
    """
    concepts = known.of(text)
    if not concepts:
        return {}
    chunks = Chunk.objects.filter(pk__in=[entry.chunk_id for entry in ranked])
    return {
        pk: len(concepts & known.of(f"{context}\n{passage}")) / len(concepts)
        for pk, context, passage in chunks.values_list("pk", "context", "text")
    }
