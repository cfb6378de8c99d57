"""Reads for the pages, and the one place that says who may see what.

`access_*` answers one 404 for "missing" and "not yours", so that nobody learns what exists.
"""

from __future__ import annotations

import datetime
import uuid

from django.contrib.auth.models import User
from django.db.models import Count, Q, QuerySet
from django.http import Http404
from django.shortcuts import get_object_or_404

from chat.models import Citation, Conversation, Turn
from corpus.models import Chunk, Collection, Document, Lifecycle, Page

OPEN_TO_CLINICIANS = (Lifecycle.PUBLISHED, Lifecycle.SUPERSEDED, Lifecycle.WITHDRAWN)


def access_conversation(user: User, *, pk: uuid.UUID) -> Conversation:
    return get_object_or_404(Conversation, pk=pk, user=user)


def access_turn(user: User, *, pk: uuid.UUID) -> Turn:
    return get_object_or_404(_turns(), pk=pk, user=user)


def access_citation(user: User, *, pk: int) -> Citation:
    """A citation of the user's own answers; of anybody's for an auditor."""
    citations = Citation.objects.select_related("claim__turn")
    if not user.has_perm("chat.view_citation"):
        citations = citations.filter(claim__turn__user=user)
    return get_object_or_404(citations, pk=pk)


def access_document(user: User, *, sha256: str) -> Document:
    """A document; one that was never published only for those who may see the corpus."""
    documents = Document.objects.select_related("collection", "superseded_by")
    if not user.has_perm("corpus.view_document"):
        documents = documents.filter(lifecycle__in=OPEN_TO_CLINICIANS)
    return get_object_or_404(documents, sha256=sha256)


def access_page(document: Document, *, number: int) -> Page:
    """The page with that number; the caller has passed `access_document`."""
    page = document.pages.filter(number=number).first()
    if page is None:
        raise Http404
    page.document = document  # already read, with its collection and successor
    return page


def citations_beside(citation: Citation) -> QuerySet[Citation]:
    """The other citations of the same claim on the same page: its table header, its footnotes."""
    beside = Citation.objects.filter(claim=citation.claim_id, sha256=citation.sha256)
    return beside.filter(page=citation.page).exclude(pk=citation.pk)


def chunk_spans(document: Document, *, key: str, page: int) -> list[tuple[int, int]]:
    """What of a chunk stands on a page; nothing for a key that is not the document's."""
    spans = Chunk.objects.filter(document=document, key=key[:100]).values_list("spans", flat=True)
    return [(start, end) for chunk in spans for number, start, end in chunk if number == page]


def conversations_of(user: User, *, words: str = "") -> QuerySet[Conversation]:
    """The user's conversations, the latest first; with `words` only those that hold them."""
    found = Conversation.objects.filter(user=user)
    if words:
        asked = Turn.objects.filter(user=user, question__icontains=words)
        found = found.filter(Q(title__icontains=words) | Q(pk__in=asked.values("conversation")))
    return found


def turns_of(conversation: Conversation) -> QuerySet[Turn]:
    """The turns in order, with all that a page shows of them: 5 queries for any number."""
    return _turns().filter(conversation=conversation)


def audited_turns() -> QuerySet[Turn]:
    """Everybody's turns, for those who may view them, with what a page of one shows."""
    return _turns().select_related("user")


def collections_in_force(on: datetime.date) -> list[Collection]:
    """Collections, each with `in_force`: how many of its documents can be searched on a day."""
    current = Q(documents__lifecycle=Lifecycle.PUBLISHED, documents__indexed_at__isnull=False) & (
        Q(documents__effective_from__isnull=True) | Q(documents__effective_from__lte=on)
    )
    return list(Collection.objects.annotate(in_force=Count("documents", filter=current)))


def documents_in_force(
    on: datetime.date, *, collection: str = "", words: str = ""
) -> QuerySet[Document]:
    """What is searched on a day, by title; only a collection's (slug), only with these words."""
    found = Document.objects.filter(lifecycle=Lifecycle.PUBLISHED, indexed_at__isnull=False)
    found = found.filter(Q(effective_from__isnull=True) | Q(effective_from__lte=on))
    if collection:
        found = found.filter(collection__slug=collection)
    if words:
        found = found.filter(Q(title__icontains=words) | Q(issuer__icontains=words))
    return found.select_related("collection", "superseded_by").order_by("title", "pk")


def documents_by_sha256(hashes: set[str]) -> dict[str, Document]:
    """The documents with these hashes, with their collections and successors: one query."""
    found = Document.objects.select_related("collection", "superseded_by")
    return {document.sha256: document for document in found.filter(sha256__in=hashes)}


def _turns() -> QuerySet[Turn]:
    return Turn.objects.select_related("feedback").prefetch_related(
        "claims__citations__document__superseded_by", "claims__citations__document__collection"
    )
