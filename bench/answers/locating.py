"""Find the passages that answer a test set's questions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any

from corpus.models import Chunk
from evaluation.measures.patterns import folded, matches
from evaluation.question_sets.patterned import Question


@dataclass(frozen=True)
class _Passage:
    key: str
    document: str
    pages: frozenset[int]
    text: str


class Places:
    """The passages of this process's database, with their text folded."""

    def __init__(self) -> None:
        """Load the whole corpus into memory. Runs one query."""
        rows = Chunk.objects.order_by("key").values_list(
            "key", "document__filename", "spans", "context", "text"
        )
        self._passages = [
            _Passage(key, name, frozenset(span[0] for span in spans), folded(f"{context}\n{text}"))
            for key, name, spans, context, text in rows
        ]

    def passages_with(self, question: Question) -> frozenset[str]:
        """Return the keys of the passages that match every decisive pattern.

        Only those of the question's own document, if there are any. Where no passage matches all
        patterns, those of the question's page that match the most.
        """
        wanted = question.decisive
        whole = [p for p in self._passages if matches(wanted, p.text) == len(wanted)]
        if whole:
            own = [p for p in whole if p.document == question.document]
            return frozenset(p.key for p in own or whole)
        near = [
            (matches(wanted, p.text), p.key)
            for p in self._passages
            if p.document == question.document
            and (question.page is None or question.page in p.pages)
        ]
        most = max((count for count, _ in near), default=0)
        return frozenset(key for count, key in near if count == most and most)


def rank_of(right: Set[str], trace: Mapping[str, Any]) -> int | None:
    """Return the rank in the first search of the first passage that answers; None if there is none.

    A hit counts too if an identical passage that it represents answers.
    """
    searches: Sequence[Mapping[str, Any]] = trace.get("searches") or ()
    if not searches:
        return None
    also = searches[0].get("also_in") or {}
    for hit in searches[0]["hits"]:
        if right & {hit["chunk"], *also.get(hit["chunk"], ())}:
            return int(hit["rank"])
    return None
