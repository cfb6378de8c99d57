"""Combine a question of a set and its stored turn into one item to measure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from django.db.models import Q

from chat.models import Claim, ClaimKind, Turn, TurnStatus
from chat.question.multiple_choice import parsed
from chat.types import Option
from corpus.models import Chunk, Document, Lifecycle
from evaluation.measures.types import AnswerClaim
from evaluation.models import Question
from evaluation.question_runs.types import MeasuredItem, Retrieved
from evaluation.question_sets.types import LETTERS


def options_apart(question: Question) -> tuple[Option, ...]:
    """Return a question's options by their letters; none if its text already lists them."""
    if parsed(question.question):
        return ()
    return tuple(map(Option, LETTERS, question.options))


def option_words(question: Question, label: str) -> str:
    """Return `B) its text` for the letter of an option; else the label unchanged."""
    place = LETTERS.find(label) if label and question.options else -1
    known = 0 <= place < len(question.options)
    return f"{label}) {question.options[place]}" if known else label


def item_of(question: Question, turn: Turn) -> MeasuredItem:
    """Return the item to measure, from a question and its turn.

    Runs five queries: claims, citations, their documents, the documents named by the question, and
    passages; one more if the question names a page.
    """
    claims = list(turn.claims.order_by("index").prefetch_related("citations"))
    shown = [claim for claim in claims if claim.kind == ClaimKind.ANSWER]
    beside = [claim.text for claim in claims if claim.kind != ClaimKind.ANSWER]
    passages = passages_shown(turn.trace)
    documents = NamedDocuments(question.relevant)
    usage = turn.trace.get("usage") or {}
    return MeasuredItem(
        question=question.question,
        kind=question.kind,
        is_refused=turn.status != TurnStatus.ANSWERED,
        gold_answer=question.gold_answer,
        gold_claims=tuple(question.gold_claims),
        gold_label=question.gold_label,
        patterns={name: tuple(each) for name, each in question.patterns.items()},
        reason=turn.reason,
        claims=tuple(_claims(shown, turn.trace)),
        beside=(*beside, *(warning["text"] for warning in turn.warnings)),
        excerpts=tuple(text for passage in turn.nearest for text in passage["excerpt"]),
        option=turn.option,
        relevant=tuple(question.relevant),
        page=question.page,
        in_force=documents.in_force,
        found=documents.found(turn.trace),
        cited=documents.cited(shown),
        passages=passages,
        reference_contexts=documents.passages_on(question.page),
        retrieved=retrieved_now(passages, turn.trace),
        authorities=_authorities(shown),
        confidence=turn.confidence,
        seconds=turn.duration_ms / 1000,
        tokens=int(usage.get("prompt_tokens", 0)) + int(usage.get("completion_tokens", 0)),
    )


class NamedDocuments:
    """The documents named by a question that are searched today. Runs one query."""

    def __init__(self, relevant: Sequence[str]) -> None:
        """Look documents up by SHA-256, or by file name with or without its suffix."""
        named = Q(filename__in=relevant) | Q(sha256__in=relevant)
        for name in relevant:
            named |= Q(filename__startswith=f"{name}.")
        published = Document.objects.filter(named, lifecycle=Lifecycle.PUBLISHED)
        rows = published.values_list("sha256", "filename") if relevant else ()
        self._names = {
            sha: next((name for name in (file, Path(file).stem) if name in relevant), sha)
            for sha, file in rows
        }
        self.in_force = frozenset(self._names.values())

    def found(self, trace: Mapping[str, Any]) -> tuple[str, ...]:
        """Return the document of each passage of the first search.

        A passage's key begins with its document's SHA-256.
        """
        hits = (trace.get("searches") or [{}])[0].get("hits") or ()
        return tuple(self._name(hit["chunk"].partition("_")[0]) for hit in hits)

    def cited(self, shown: Sequence[Claim]) -> tuple[tuple[str, int], ...]:
        """Return document and page of each statement's first quote."""
        first = (next(iter(claim.citations.all()), None) for claim in shown)
        return tuple((self._name(quote.sha256), quote.page) for quote in first if quote)

    def passages_on(self, page: int | None) -> tuple[str, ...]:
        """Return the texts of the passages that begin on this page. Runs up to one query."""
        if page is None or not self._names:
            return ()
        passages = Chunk.objects.filter(document__sha256__in=self._names, page=page)
        return tuple(passages.order_by("document", "index").values_list("text", flat=True))

    def _name(self, sha256: str) -> str:
        return self._names.get(sha256, sha256)


def passages_shown(trace: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the keys of the passages that the generator was given, in order.

    Without a generator they are those that the first search found.
    """
    keys = ((trace.get("generation") or {}).get("keys") or {}).values()
    searches = trace.get("searches") or [{}]
    shown = keys or [hit["chunk"] for hit in searches[0].get("hits") or ()]
    return tuple(dict.fromkeys(shown))


def _claims(shown: Sequence[Claim], trace: Mapping[str, Any]) -> list[AnswerClaim]:
    labels = {verdict["text"]: verdict["label"] for verdict in trace.get("verdicts") or ()}
    return [
        AnswerClaim(
            text=claim.text,
            label=labels.get(claim.text, ""),
            quotes=tuple(citation.quote for citation in claim.citations.all()),
        )
        for claim in shown
    ]


def _authorities(shown: Sequence[Claim]) -> tuple[str, ...]:
    """Return the authority of each cited document once, in the order of citations."""
    cited = [citation.document_id for claim in shown for citation in claim.citations.all()]
    known = dict(Document.objects.filter(pk__in=cited).values_list("pk", "authority"))
    return tuple(known[pk] for pk in dict.fromkeys(cited))


def retrieved_now(keys: Sequence[str], trace: Mapping[str, Any]) -> tuple[Retrieved, ...]:
    """Return the passages of these keys that are in the index, in this order. Runs one query."""
    hits = (hit for search in trace.get("searches") or () for hit in search.get("hits") or ())
    cosines = {hit["chunk"]: hit.get("cosine") for hit in hits}
    chunks = Chunk.objects.filter(key__in=keys).select_related("document")
    chunk_of = {chunk.key: chunk for chunk in chunks}
    return tuple(
        Retrieved(key, _place(chunk), cosines.get(key), chunk.text)
        for key in keys
        if (chunk := chunk_of.get(key))
    )


def _place(chunk: Chunk) -> str:
    return f"{chunk.document.title}, {chunk.position or f'page {chunk.page}'}"
