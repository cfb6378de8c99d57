"""Read for the pages, and decide who may see what: the one place that does.

Functions `access_*` raise the same 404 for missing, foreign and closed objects, so that nobody
learns what exists.
"""

from __future__ import annotations

import datetime
import uuid
from collections.abc import Iterable, Set
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.db.models import (
    Case,
    Count,
    Exists,
    F,
    OuterRef,
    Prefetch,
    Q,
    QuerySet,
    Subquery,
    Sum,
    Value,
    When,
)
from django.db.models.functions import JSONObject
from django.http import Http404
from django.shortcuts import get_object_or_404
from django.utils import timezone

from chat.models import ENDED, WANT_OF_EVIDENCE, Channel, Citation, Conversation, Turn
from corpus.access import collections_searchable, documents_visible, readable_ids
from corpus.models import Chunk, Collection, Document, Lifecycle, Page, SourceType
from corpus.staff_selectors import collections_changeable
from corpus.stops import stops_covering

OPEN_TO_CLINICIANS = (Lifecycle.PUBLISHED, Lifecycle.SUPERSEDED, Lifecycle.WITHDRAWN)
HEARD = datetime.timedelta(days=30)  # how far back staff read what was asked and not answered
_SHARED = Q(shared_at__isnull=False, deleted_at=None)
LATENCY_BOUNDS_MS = (250, 500, 1000, 2000, 5000, 10_000, 30_000, 60_000)


def access_conversation(user: User, *, pk: uuid.UUID) -> Conversation:
    return get_object_or_404(Conversation, pk=pk, user=user, deleted_at=None)


def access_shared_conversation(user: User, *, pk: uuid.UUID) -> Conversation:
    """Return a shared conversation, for anybody who may ask questions.

    Each reader sees of its answers what they may read themselves (`shown_turns`). The owner sees it
    as others do.
    """
    if not user.is_active:
        raise Http404
    return get_object_or_404(Conversation.objects.filter(_SHARED), pk=pk)


def access_turn(user: User, *, pk: uuid.UUID) -> Turn:
    return get_object_or_404(_turns(), pk=pk, user=user)


def access_turn_to_read(user: User, *, pk: uuid.UUID) -> Turn:
    """Return a turn of the user's own; any turn for an auditor."""
    own = {} if may_read_every_turn(user) else {"user": user}
    return get_object_or_404(audited_turns(), pk=pk, **own)


def may_read_every_turn(user: User) -> bool:
    return user.has_perm("chat.view_turn")


def turn_readable_ids(user: User) -> frozenset[int]:
    """Return the ids of collections whose content the user may read in turns. Runs one query."""
    return every_collection() if may_read_every_turn(user) else readable_ids(user)


def access_citation(user: User, *, pk: int) -> Citation:
    """Return a citation of the user's own or shared answers; any citation for an auditor."""
    citations = Citation.objects.select_related("claim__turn__conversation")
    if not user.has_perm("chat.view_citation"):
        shared = Conversation.objects.filter(_SHARED).values("pk")
        citations = citations.filter(
            Q(claim__turn__user=user) | Q(claim__turn__conversation__in=shared)
        )
    return get_object_or_404(citations, pk=pk)


def access_document(user: User | None, *, sha256: str) -> Document:
    """Return a document of a collection that the user may search or works in.

    One that was never published only for those who may see the corpus.
    """
    open_ = collections_searchable(user).order_by().values("pk")
    readable = Q(lifecycle__in=OPEN_TO_CLINICIANS, collection__in=open_)
    visible = Q(pk__in=documents_visible(user).order_by().values("pk"))
    documents = Document.objects.select_related("collection", "superseded_by")
    return get_object_or_404(documents.filter(readable | visible), sha256=sha256)


def access_page(document: Document, *, number: int) -> Page:
    """Return the page with that number of a document that passed `access_document`."""
    page = document.pages.filter(number=number).first()
    if page is None:
        raise Http404
    page.document = document  # already read, with its collection and successor
    return page


def sibling_citations(citation: Citation) -> QuerySet[Citation]:
    """Return the claim's other citations on the same page: table header, footnotes."""
    siblings = Citation.objects.filter(claim=citation.claim_id, sha256=citation.sha256)
    return siblings.filter(page=citation.page).exclude(pk=citation.pk)


def chunk_spans(document: Document, *, key: str, page: int) -> list[tuple[int, int]]:
    """Return the spans of a chunk on a page; empty for another document's chunk."""
    spans = Chunk.objects.filter(document=document, key=key[:100]).values_list("spans", flat=True)
    return [(start, end) for chunk in spans for number, start, end in chunk if number == page]


def pages_at(places: Set[tuple[int, int]], *only: str) -> dict[tuple[int, int], Page]:
    """Return existing pages by document id and number. Runs one query.

    With `only`, loads just these fields.
    """
    wanted = Q(pk__in=())
    for document, number in places:
        wanted |= Q(document=document, number=number)
    pages = Page.objects.filter(wanted).only(*only) if places else Page.objects.none()
    return {(page.document_id, page.number): page for page in pages}


def spans_of_chunks(keys: Set[str]) -> dict[tuple[int, str], list[tuple[int, int, int]]]:
    """Return `(page, start, end)` spans by document and chunk key. Runs one query, or none."""
    rows = Chunk.objects.filter(key__in=keys).values_list("document_id", "key", "spans")
    return {(document, key): [tuple(part) for part in spans] for document, key, spans in rows}


def conversations_of(user: User, *, words: str = "") -> QuerySet[Conversation]:
    """Return the user's conversations, latest first; with `words` only those that hold them."""
    threads = Conversation.objects.filter(user=user, deleted_at=None)
    if words:
        turns = Turn.objects.filter(user=user, question__icontains=words)
        threads = threads.filter(Q(title__icontains=words) | Q(pk__in=turns.values("conversation")))
    return threads


def questions_holding(
    words: str, *, conversations: Iterable[Conversation]
) -> dict[uuid.UUID, list[Turn]]:
    """Return, by conversation, the questions that hold `words`. Runs one query.

    Leaves out questions that the title already shows, and loads only the columns for a link.
    """
    titles = {conversation.pk: conversation.title for conversation in conversations}
    turns = Turn.objects.filter(conversation__in=titles, question__icontains=words)
    held: dict[uuid.UUID, list[Turn]] = {}
    for turn in turns.only("conversation_id", "question").order_by("created_at", "pk"):
        if turn.conversation_id and turn.question != titles[turn.conversation_id]:
            held.setdefault(turn.conversation_id, []).append(turn)
    return held


def turns_of(conversation: Conversation) -> QuerySet[Turn]:
    """Return the turns in order with all that a page shows. Runs 3 queries."""
    return _turns().filter(conversation=conversation)


def audited_turns() -> QuerySet[Turn]:
    """Return everybody's turns, evaluations included, with all that a page shows."""
    return _turns().select_related("user")


def of_days(
    rows: QuerySet[Any], field: str, first: datetime.date | None, last: datetime.date | None
) -> QuerySet[Any]:
    """Narrow rows to days of the site's time zone, both included; None: no limit."""
    if first:
        rows = rows.filter(**{f"{field}__gte": day_begins(first)})
    if last:
        rows = rows.filter(**{f"{field}__lt": day_begins(last + datetime.timedelta(days=1))})
    return rows


def day_begins(day: datetime.date) -> datetime.datetime:
    """Return the first moment of a day in the site's time zone."""
    return timezone.make_aware(datetime.datetime.combine(day, datetime.time.min))


def turns_in(turns: QuerySet[Turn], collection: str) -> QuerySet[Turn]:
    """Narrow turns to those that cite a collection, by slug, or were limited to it by the asker."""
    cited = Citation.objects.filter(
        claim__turn=OuterRef("pk"), document__collection__slug=collection
    )
    return turns.filter(Exists(cited) | Q(trace__asked__collections__contains=[collection]))


def recalls_unseen(user: User) -> list[Turn]:
    """Return the user's recalled answers that they have not opened since, newest first.

    An answer is recalled while a document that it cites is withdrawn. Runs one query, and loads
    only the columns for a link. Left out is what no page shows: turns without a conversation, and
    those of a deleted one.
    """
    seen_at = F("claim__turn__conversation__recalls_seen_at")
    cited = Citation.objects.filter(document__lifecycle=Lifecycle.WITHDRAWN).order_by()
    cited = cited.annotate(seen_at=seen_at).filter(claim__turn__user=user)
    cited = cited.filter(Q(seen_at=None) | Q(seen_at__lt=F("document__withdrawn_at")))
    listed = Turn.objects.filter(conversation__isnull=False, conversation__deleted_at=None)
    recalled = listed.filter(pk__in=cited.values("claim__turn")).order_by("-created_at", "-pk")
    return list(recalled.only("conversation_id", "question", "created_at"))


def with_recalls(conversations: QuerySet[Conversation]) -> QuerySet[Conversation]:
    """Annotate conversations with `ended`: the gravest of `ENDED` of what they cite, or None."""
    cited = Citation.objects.filter(claim__turn__conversation=OuterRef("pk"))
    stops = stops_covering(OuterRef("document"), OuterRef("document__collection"))
    ended = When(document__lifecycle__in=ENDED, then="document__lifecycle")
    state = Case(ended, When(Exists(stops), then=Value(ENDED[-1])))
    states = cited.annotate(state=state).exclude(state=None)
    gravest = states.order_by("-state")  # of `ENDED` the last letters are the gravest
    return conversations.annotate(ended=Subquery(gravest.values("state")[:1]))


def turns_refused_in_collections_of(user: User) -> QuerySet[Turn]:
    """Return gaps of the last 30 days for corpus staff, newest first.

    A gap is a refusal for lack of evidence of a question to one of the user's collections, named by
    the asker or among all open to the asker. Evaluations are left out.
    """
    own = collections_changeable(user).order_by()
    open_to_asker = own.filter(Q(searchers=None) | Q(searchers__user=OuterRef("user")))
    named = Q(trace__asked__collections__has_any_keys=list(own.values_list("slug", flat=True)))
    everywhere = Q(Exists(open_to_asker), trace__asked__collections=[])
    return _heard().filter(named | everywhere, reason__in=WANT_OF_EVIDENCE)


def turns_unhelpful_citing_collections_of(user: User) -> QuerySet[Turn]:
    """Return unhelpful answers of the last 30 days that cite the user's collections, newest first.

    Evaluations are left out.
    """
    own = collections_changeable(user).order_by().values("pk")
    cited = Citation.objects.filter(document__collection__in=own)
    turns = _heard().filter(Exists(cited.filter(claim__turn=OuterRef("pk"))))
    return turns.filter(feedback__helpful=False)


def pages_cited_in_collections_of(
    user: User, turns: Iterable[Turn]
) -> dict[uuid.UUID, list[Citation]]:
    """Map turns to their cited pages in the user's collections, one citation a page.

    Runs one query.
    """
    own = collections_changeable(user).order_by().values("pk")
    cited = Citation.objects.filter(claim__turn__in=list(turns), document__collection__in=own)
    first = cited.order_by("claim__turn_id", "document_id", "page", "pk")
    pages_of: dict[uuid.UUID, list[Citation]] = {}
    for citation in first.distinct("claim__turn_id", "document_id", "page").select_related("claim"):
        pages_of.setdefault(citation.claim.turn_id, []).append(citation)
    return pages_of


def _heard() -> QuerySet[Turn]:
    """Return turns that people asked in the last 30 days, newest first, without traces."""
    turns = Turn.objects.filter(created_at__gte=timezone.now() - HEARD)
    turns = turns.exclude(channel=Channel.EVALUATION).select_related("feedback")
    return turns.defer("trace", "nearest").order_by("-created_at", "-pk")


def citations_read() -> QuerySet[Citation]:
    """Annotate citations with today's reading of their page.

    `page_label` is the page's own label if it is not its number, else empty. `ocr_confidence` is
    None for a page that isn't a scan; `corrected_page` is None where staff corrected nothing, else
    `text`, `was` (the text as read) and `corrected` of `corpus.models.Page`.
    """
    page = Page.objects.filter(document=OuterRef("document"), number=OuterRef("page"))
    parts = JSONObject(text="text", was="as_read__text", corrected="corrected")
    corrected = page.exclude(corrected=[]).annotate(parts=parts)
    return Citation.objects.annotate(
        page_label=Subquery(page.values("label")[:1]),
        ocr_confidence=Subquery(page.values("ocr_confidence")[:1]),
        corrected_page=Subquery(corrected.values("parts")[:1]),
    )


def every_collection() -> frozenset[int]:
    """Return the ids of all collections, for auditors, who read what others were shown."""
    return frozenset(Collection.objects.order_by().values_list("pk", flat=True))


def collections_in_force(on: datetime.date, *, user: User) -> list[Collection]:
    """Return the collections that the user may search, with the number of documents `in_force`."""
    current = Q(documents__lifecycle=Lifecycle.PUBLISHED, documents__indexed_at__isnull=False) & (
        Q(documents__effective_from__isnull=True) | Q(documents__effective_from__lte=on)
    )
    open_ = collections_searchable(user)
    return list(open_.annotate(in_force=Count("documents", filter=current)))


def collection_names(slugs: Set[str], *, readable: Set[int]) -> dict[str, str]:
    """Return the names of collections that the reader may know, by slug. Runs at most one query."""
    collections = Collection.objects.filter(slug__in=slugs, pk__in=readable).order_by()
    return dict(collections.values_list("slug", "name")) if slugs else {}


def documents_in_force(
    on: datetime.date, *, user: User, collection: str = "", words: str = ""
) -> QuerySet[Document]:
    """Return the documents searched for the user on a day, by title.

    Optionally only those of a collection (slug) or with words in them.
    """
    rows = Document.objects.filter(lifecycle=Lifecycle.PUBLISHED, indexed_at__isnull=False)
    rows = rows.filter(Q(effective_from__isnull=True) | Q(effective_from__lte=on))
    rows = rows.filter(collection__in=collections_searchable(user).order_by().values("pk"))
    if collection:
        rows = rows.filter(collection__slug=collection)
    if words:
        rows = rows.filter(
            Q(title__icontains=words) | Q(issuer__icontains=words) | Q(journal__icontains=words)
        )
    return rows.select_related("collection", "superseded_by").order_by("title", "pk")


def narrowing_choices(on: datetime.date, *, user: User) -> dict[str, list[tuple[str, str]]]:
    """Return values and labels by field that a search can be filtered by. Runs one query.

    Values that differ in case are one. A field with a single value offers no choice and is left
    out.
    """
    names = ("specialty", "population", "issuer", "journal", "source_type")
    rows = documents_in_force(on, user=user).order_by().values_list(*names).distinct()
    columns = [
        sorted({value.lower(): value for value in sorted(column) if value}.values())
        for column in zip(*rows, strict=True)
    ]
    labels = {str(value): str(label) for value, label in SourceType.choices}
    return {
        name: [(value, labels.get(value, value)) for value in values]
        for name, values in zip(names, columns, strict=False)
        if len(values) > 1
    }


def documents_by_sha256(hashes: set[str]) -> dict[str, Document]:
    """Return the documents with these hashes, with collections and successors. Runs one query."""
    documents = Document.objects.select_related("collection", "superseded_by")
    return {document.sha256: document for document in documents.filter(sha256__in=hashes)}


def cited_claims() -> Prefetch[Any]:
    """Prefetch claims with their citations and the documents as they are today, in two queries."""
    cited = citations_read().select_related("document__superseded_by", "document__collection")
    return Prefetch("claims__citations", cited)


def _turns() -> QuerySet[Turn]:
    return Turn.objects.select_related("feedback").prefetch_related(cited_claims())


@dataclass(frozen=True)
class TurnCount:
    """How many turns had one outcome, and their durations.

    `within` counts the turns that took at most each of LATENCY_BOUNDS_MS.
    """

    channel: str
    status: str
    reason: str  # empty of an answer
    turns: int
    duration_ms: int  # of all together
    within: tuple[int, ...]


def turns_counted() -> list[TurnCount]:
    """Count all turns, evaluations included. Runs one query on the index `turn_counted`."""
    bounds = {
        f"within_{bound}": Count("duration_ms", filter=Q(duration_ms__lte=bound))
        for bound in LATENCY_BOUNDS_MS
    }
    counted = (
        Turn.objects.order_by("channel", "status", "reason")
        .values("channel", "status", "reason")
        .annotate(turns=Count("*"), took=Sum("duration_ms"), **bounds)
    )
    rows: Iterable[tuple[Any, ...]] = counted.values_list(
        "channel", "status", "reason", "turns", "took", *bounds
    )
    return [
        TurnCount(channel, status, reason, turns, took, tuple(within))
        for channel, status, reason, turns, took, *within in rows
    ]
