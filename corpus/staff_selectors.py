"""Read what staff work with, for pages and API: documents, their rights, their doubts."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from enum import Enum
from typing import TYPE_CHECKING

from django.conf import settings
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User
from django.contrib.contenttypes.models import ContentType
from django.contrib.postgres.search import SearchQuery
from django.core.exceptions import PermissionDenied
from django.db.models import (
    Case,
    Count,
    Exists,
    OuterRef,
    Q,
    QuerySet,
    Value,
    When,
)
from django.db.models.functions import Now
from django.shortcuts import get_object_or_404
from django.utils import timezone
from django.utils.formats import date_format

from corpus.access import (
    collections_publishable,
    collections_searchable,
    collections_uploadable,
    documents_visible,
    may_publish,
    refuse_without,
)
from corpus.models import (
    Chunk,
    Collection,
    Document,
    JobState,
    Lifecycle,
    Page,
    Source,
    SourceFile,
)
from corpus.parsing.doubts.grades import Grade
from corpus.review.doubted import has_doubt
from corpus.review.page_checks import UNSEEN
from corpus.review.page_checks import PageCheck as PageCheck
from corpus.review.page_checks import page_checks as page_checks
from corpus.review.page_checks import pages_doubtful as pages_doubtful
from corpus.review.page_checks import pages_to_look_at as pages_to_look_at
from corpus.review.page_checks import pages_unseen as pages_unseen
from corpus.review.queue import pages_queued as pages_queued
from corpus.selectors import documents_stale
from corpus.types import OCR_CONFIDENT

if TYPE_CHECKING:
    from corpus.selectors import StaleDocument

STUCK_AFTER = datetime.timedelta(minutes=10)
REVIEW_SOON = datetime.timedelta(days=60)
REVIEW_NEXT = datetime.timedelta(days=30)  # what waits on the start page
RECENT = datetime.timedelta(hours=24)

# Of `list_conditions`.
WAITING = ("check", "publish", "failed", "reading", "missing", "doubt", "due", "gone", "moved")
CREDENTIAL_SOON_DAYS = 30  # before a certificate ends it is told
SENT_BACK = "Sent back: "  # begins a line of the history; the reason follows

_UNPUBLISHED = (Lifecycle.DRAFT, Lifecycle.REVIEW)


_NOT_IN_COLLECTION = (
    "This account may not do this in the document's collection: its groups are not among those "
    "that the collection names. Nothing was changed."
)


class Right(Enum):
    """What somebody may do with a document."""

    SEE = "see"
    CHANGE = "change"
    PUBLISH = "publish"


def access_document_of_staff(user: User, right: Right = Right.SEE, **named: object) -> Document:
    """Return a document that the user works with, or raise 404 or PermissionDenied.

    404 for one that is missing or hidden, PermissionDenied without the right. `named` identifies
    it, by `pk` or `sha256`. It comes with collection, job, people and `may_change`. Runs two
    queries at most, not counting permissions.
    """
    refuse_others_than_staff(user)
    if right is not Right.SEE:
        refuse_without(user, f"corpus.{right.value}_document")
    document: Document = get_object_or_404(documents_for_staff(user), **named)
    if right is Right.CHANGE and not may_change(document):
        raise PermissionDenied(_NOT_IN_COLLECTION)
    if right is Right.PUBLISH and not may_publish(user, document):
        raise PermissionDenied(_NOT_IN_COLLECTION)
    return document


def refuse_others_than_staff(user: User) -> None:
    """Raise PermissionDenied for users who may see no drafts."""
    refuse_without(user, "corpus.view_document")


def may_change(document: Document) -> bool:
    """Return the answer of the query that read the document for its user; False without one."""
    return bool(getattr(document, "may_change", False))


def collections_seen(user: User) -> QuerySet[Collection]:
    """Return the collections that a user of the administration may know, by name."""
    return (collections_searchable(user) | collections_changeable(user)).order_by("name")


def collections_closed(user_id: int | None) -> tuple[str, ...]:
    """Return the slugs of collections that the user may know but not search; none for nobody.

    These are the collections that the administration lists to staff who work in them. Runs two
    queries.
    """
    user = None if user_id is None else User.objects.filter(pk=user_id).first()
    if user is None:
        return ()
    open_ = collections_searchable(user).order_by().values("pk")
    closed = collections_changeable(user).exclude(pk__in=open_)
    return tuple(closed.order_by("slug").values_list("slug", flat=True))


def collections_changeable(user: User) -> QuerySet[Collection]:
    """Return the collections whose documents the user may change."""
    if not user.has_perm("corpus.change_document"):
        return Collection.objects.none()
    return collections_uploadable(user) | collections_publishable(user)


def documents_for_staff(user: User) -> QuerySet[Document]:
    """Return the documents that the user may see, newest first, ready for list rows.

    Each has `may_change`.
    """
    changeable = Q(collection__in=collections_changeable(user).order_by().values("pk"))
    may_change = Case(When(changeable, then=Value(True)), default=Value(False))
    documents = documents_visible(user).select_related(
        "collection", "job", "uploaded_by", "published_by", "superseded_by"
    )
    return documents.annotate(may_change=may_change)


def documents_to_read_again(user: User) -> QuerySet[StaleDocument]:
    """Return the user's changeable documents that would be read or cut differently today.

    Oldest first.
    """
    collections = list(collections_changeable(user).values_list("pk", flat=True))
    return documents_stale().filter(collection__in=collections)


def documents_to_read_again_counted(user: User) -> dict[str, int]:
    """Count documents read by another engine, and those with only outdated passages."""
    return documents_to_read_again(user).aggregate(
        read_by_older=Count("pk", filter=Q(must_be_read=True)),
        cut_by_older=Count("pk", filter=Q(must_be_read=False)),
    )


def documents_read_by_older(documents: QuerySet[Document]) -> QuerySet[Document]:
    """Return documents read by older engines, by keys first.

    Joined with itself, a table without statistics would be compared row by row.
    """
    return documents.filter(pk__in=list(documents_stale().values_list("pk", flat=True)))


def documents_saying(words: str) -> QuerySet[Document]:
    """Return documents with a passage that holds all words, in its own language.

    Not restricted to a user: the caller does that.
    """
    held = Q(pk__in=())
    used = Document.objects.order_by().values_list("search_configuration", flat=True).distinct()
    for configuration in used:
        query = SearchQuery(words, config=configuration, search_type="plain")
        held |= Q(search_vector=query, document__search_configuration=configuration)
    return Document.objects.filter(pk__in=Chunk.objects.filter(held).order_by().values("document"))


def list_conditions() -> dict[str, Q]:
    """Map the filters of the list, by name, to conditions on documents."""
    pages, today, then = Page.objects.filter(document=OuterRef("pk")), timezone.localdate(), Now()
    published = Q(lifecycle=Lifecycle.PUBLISHED)
    files = SourceFile.objects.filter(documents=OuterRef("pk"), source__in=sources_watched())
    # Waiting, or running without a sign of life.
    waiting = Q(job__state=JobState.PENDING, job__enqueued_at__lt=then - STUCK_AFTER)
    silent = Q(job__state=JobState.RUNNING, job__heartbeat_at__lt=then - STUCK_AFTER)
    return {
        "check": Q(lifecycle=Lifecycle.DRAFT, job__state=JobState.DONE),
        "publish": Q(lifecycle=Lifecycle.REVIEW, job__state=JobState.DONE),
        "failed": Q(job__state=JobState.FAILED),
        "reading": Q(job__state__in=[JobState.PENDING, JobState.RUNNING]),
        "missing": published & Q(indexed_at=None),
        "doubt": Q(Exists(pages.filter(UNSEEN)), lifecycle__in=_UNPUBLISHED),
        **{f"doubt_{grade}": Q(Exists(pages.filter(has_doubt(grade)))) for grade in Grade},
        "due": published & Q(review_by__lte=today + REVIEW_NEXT),
        "gone": (published | Q(lifecycle__in=_UNPUBLISHED))
        & Exists(files.exclude(gone_at=None).filter(let_go_at=None))
        & ~Exists(files.filter(gone_at=None)),
        "moved": Q(Exists(files.filter(gone_at=None).exclude(moved_from=""))),
        "stuck": waiting | silent,
        "scan": Q(Exists(pages.filter(ocr_confidence__lt=OCR_CONFIDENT))),
        "unpublished": Q(lifecycle__in=_UNPUBLISHED),
        "past": published & Q(review_by__lt=today),
        "soon": published & Q(review_by__range=(today, today + REVIEW_SOON)),
    }


def documents_waiting_counted(user: User) -> dict[str, int]:
    """Count the user's documents under each of `WAITING`; one may count twice. Runs one query."""
    conditions = list_conditions()
    counts = {name: Count("pk", filter=conditions[name]) for name in WAITING}
    return documents_visible(user).order_by().aggregate(**counts)


def sources_watched() -> QuerySet[Source]:
    """Return the sources that the settings name and that were looked at once."""
    return Source.objects.filter(name__in=[spec.name for spec in settings.SOURCES])


def sources_visible(user: User) -> QuerySet[Source]:
    """Return the watched sources of the collections that the user of the administration may know.

    And those without one, which hold nothing.
    """
    if not user.has_perm("corpus.view_source"):
        return Source.objects.none()
    known = Q(collection__in=collections_seen(user).order_by().values("pk"))
    return sources_watched().filter(known | Q(collection=None))


def source_notes(source: Source) -> list[str]:
    """Return what somebody should do about a source whose last look went well, as sentences."""
    notes = [note for note in (source.asks, source.told) if note]
    if source.credential_ends:
        days = (source.credential_ends - timezone.localdate()).days
        if days <= CREDENTIAL_SOON_DAYS:
            ends = (
                f"ends on {date_format(source.credential_ends, 'j F Y')}" if days >= 0 else "ended"
            )
            notes.append(f"The certificate or secret {ends}: give MEDRAG_SOURCES a new one.")
    return notes


def sources_noted(user: User) -> list[tuple[Source, str]]:
    """Return the user's sources with a fault or a note, and its words. Runs one query."""
    said = [
        (source, " ".join(filter(None, [source.fault, *source_notes(source)])))
        for source in sources_visible(user)
    ]
    return [(source, words) for source, words in said if words]


def places_of(user: User, document: Document) -> QuerySet[SourceFile]:
    """Return where a document stood, in sources that the user may know."""
    return document.source_files.filter(source__in=sources_visible(user)).select_related("source")


def documents_uploaded_by(user: User, *, limit: int) -> list[Document]:
    """Return what the user uploaded in the last 24 hours, latest first."""
    mine = documents_for_staff(user).filter(uploaded_by=user, uploaded_at__gt=Now() - RECENT)
    return list(mine.order_by("-uploaded_at", "-pk")[:limit])


def passages_on(document: Document, *, page: int, user: User) -> list[Chunk]:
    """Return the passages with words of a page, in reading order, with who disabled them.

    `has_twins`: the user may see another passage that says the same. Runs one query.
    """
    # Containment finds offsets of that number, too: a superset, narrowed below.
    chunks = document.chunks.filter(page__lte=page, spans__contains=[[page]])
    others = Chunk.objects.filter(twins=OuterRef("twins"), twins__gt="").exclude(pk=OuterRef("pk"))
    seen = others.filter(document__in=documents_visible(user).values("pk"))
    rows = chunks.annotate(has_twins=Exists(seen)).select_related("disabled_by")
    rows = rows.defer("search_vector")
    return [chunk for chunk in rows.order_by("index") if spans_on(chunk, page=page)]


def spans_on(chunk: Chunk, *, page: int) -> list[tuple[int, int]]:
    return [(start, end) for number, start, end in chunk.spans if number == page]


def documents_published_like(
    user: User, words: str, *, other_than: Document, limit: int
) -> list[Document]:
    """Return published documents with these words in the title that the user may replace."""
    if not words.strip():
        return []
    documents = documents_replaceable(user, other_than=other_than).filter(title__icontains=words)
    return list(documents.order_by("title", "pk")[:limit])


def documents_replaceable(user: User, *, other_than: Document) -> QuerySet[Document]:
    published = documents_visible(user).filter(lifecycle=Lifecycle.PUBLISHED)
    published = published.filter(collection__in=collections_publishable(user))
    return published.exclude(pk=other_than.pk).select_related("collection")


def twin_keys(user: User, *, words: str = "") -> QuerySet[Chunk, str]:
    """Return keys of near-duplicate groups of which the user sees at least two, in order.

    `words` restricts them to documents with that title, or to that key.
    """
    seen = Chunk.objects.filter(twins__gt="", document__in=documents_visible(user).values("pk"))
    if words:
        named = seen.filter(Q(document__title__icontains=words) | Q(twins=words))
        seen = seen.filter(twins__in=named.values("twins"))
    groups = seen.order_by("twins").values("twins").annotate(members=Count("pk"))
    return groups.filter(members__gt=1).values_list("twins", flat=True)


def twin_groups(user: User, keys: Sequence[str]) -> list[list[Chunk]]:
    """Return the visible passages of these groups, with their documents. Runs one query."""
    chunks = Chunk.objects.filter(
        twins__in=keys, document__in=documents_visible(user).values("pk")
    ).select_related("document__collection")
    group_of: dict[str, list[Chunk]] = {key: [] for key in keys}
    for chunk in chunks.defer("search_vector").order_by("twins", "key"):
        group_of[chunk.twins].append(chunk)
    return list(group_of.values())


def twins_of(user: User, document: Document, *, limit: int) -> list[tuple[Document, int]]:
    """Return other documents with shared passages and the number of groups, most first."""
    mine = document.chunks.filter(twins__gt="").values("twins")
    others = Chunk.objects.filter(twins__in=mine).exclude(document=document)
    counts = others.order_by().values_list("document").annotate(n=Count("twins", distinct=True))
    shared: dict[int, int] = dict(counts.order_by("-n", "document")[:limit])
    seen = documents_visible(user).filter(pk__in=shared)
    return sorted(((d, shared[d.pk]) for d in seen), key=lambda pair: (-pair[1], pair[0].pk))


def sent_back(document: Document) -> LogEntry | None:
    """Return the history line on why a draft was sent back; None if it has moved on since."""
    if document.lifecycle != Lifecycle.DRAFT:
        return None
    lines = LogEntry.objects.filter(
        content_type=ContentType.objects.get_for_model(Document),
        object_id=str(document.pk),
        change_message__startswith=SENT_BACK,
    )
    return lines.select_related("user").order_by("-action_time").first()
