"""Find the passages that answer a test set's questions, and the step that lost an answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any

from chat.models import Reason, Turn, TurnStatus
from corpus.models import Chunk, Page
from evaluation.measures.patterns import Loss, Outcome, Verdict, folded, matches
from evaluation.question_sets.patterned import Question

READ = 10  # the reader gets this many passages
_AT_THE_GATE = frozenset(
    {Reason.NO_EVIDENCE, Reason.WEAK_EVIDENCE, Reason.LOW_CONFIDENCE, Reason.OUT_OF_SCOPE}
)


@dataclass(frozen=True)
class _Passage:
    key: str
    document: str
    pages: frozenset[int]
    text: str


class Places:
    """The passages and pages of this process's database, with their text folded."""

    def __init__(self) -> None:
        """Load the whole corpus into memory. Runs two queries."""
        rows = Chunk.objects.order_by("key").values_list(
            "key", "document__filename", "spans", "context", "text"
        )
        self._passages = [
            _Passage(key, name, frozenset(span[0] for span in spans), folded(f"{context}\n{text}"))
            for key, name, spans, context, text in rows
        ]
        pages = Page.objects.values_list("document__filename", "number", "text")
        self._pages = {(name, number): folded(text) for name, number, text in pages}

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

    def is_parsed(self, question: Question) -> bool:
        """Tell whether a page of the question's document matches every decisive pattern."""
        wanted = question.decisive
        return any(
            matches(wanted, text) == len(wanted)
            for (name, number), text in self._pages.items()
            if name == question.document and question.page in (None, number)
        )


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


def lost_at(
    question: Question, turn: Turn, verdict: Verdict, *, rank: int | None, is_parsed: bool
) -> Loss:
    """Return the first step that kept a question from its right outcome."""
    is_refused = turn.status == TurnStatus.ABSTAINED
    if not question.is_answerable:
        return Loss.NONE if is_refused else Loss.GATE
    if verdict.outcome is Outcome.FULL:
        return Loss.NONE
    if rank is None and not is_parsed:
        return Loss.PARSING
    if rank is None or rank > READ:
        return Loss.RETRIEVAL
    if is_refused and turn.reason in _AT_THE_GATE:
        return Loss.GATE
    if _was_stopped(question, turn):
        return Loss.VERIFICATION
    chose_wrongly = not is_refused or turn.reason == Reason.UNSUPPORTED_CLAIMS
    return Loss.CHOOSING if chose_wrongly else Loss.FAILURE


def _was_stopped(question: Question, turn: Turn) -> bool:
    verdicts = turn.trace.get("verdicts") or ()
    stopped = [folded(verdict["text"]) for verdict in verdicts if verdict["failed"]]
    return any(matches(question.decisive, text) == len(question.decisive) for text in stopped)
