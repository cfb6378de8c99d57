"""List the pages that somebody has to compare with the file, over all documents of a publisher.

They are those in doubt of documents that aren't published yet, and those of published ones whose
values in doubt aren't quoted because nobody has looked.
"""

from __future__ import annotations

import datetime
import hashlib
import json
from dataclasses import dataclass

from django.conf import settings
from django.contrib.auth.models import User
from django.db.models import Case, Exists, OuterRef, Q, QuerySet, Value, When
from django.utils import timezone

from corpus.access import collections_publishable, documents_visible
from corpus.models import Correction, Document, JobState, Lifecycle, Page
from corpus.parsing.doubts.grades import Grade
from corpus.parsing.types import PAGE_ENOUGH
from corpus.review.doubted import has_doubt
from corpus.review.page_checks import POOR, UNSEEN
from corpus.review.words_found import SHARE, documents_with_lost_words

LATELY = datetime.timedelta(days=1)  # that one can go back to what was ticked in a published one


@dataclass(frozen=True)
class QueuedPage:
    """A page of the queue; one that was ticked stays, so that one can go back to it."""

    document: int
    number: int
    is_waiting: bool


@dataclass(frozen=True)
class Queue:
    """The pages of unpublished documents, oldest upload first, then those of published ones."""

    pages: tuple[QueuedPage, ...]

    @property
    def waiting(self) -> tuple[QueuedPage, ...]:
        return tuple(page for page in self.pages if page.is_waiting)

    @property
    def documents_waiting(self) -> int:
        return len({page.document for page in self.waiting})

    def position(self, document: int, number: int) -> int | None:
        """Return where the page stands; None if nobody has to look at it."""
        keys = [(page.document, page.number) for page in self.pages]
        return keys.index((document, number)) if (document, number) in keys else None

    def after(self, position: int) -> QueuedPage | None:
        """Return the next waiting page, from the beginning again after the last; None if none."""
        others = (*self.pages[position + 1 :], *self.pages[:position])
        return next((page for page in others if page.is_waiting), None)

    def before(self, position: int) -> QueuedPage | None:
        """Return the page before, ticked or not."""
        return self.pages[position - 1] if position else None

    def waiting_in(self, document: int) -> tuple[QueuedPage, ...]:
        return tuple(page for page in self.waiting if page.document == document)


def pages_queued(user: User) -> Queue:
    """Return the pages that this user may tick, in order. Runs one query, rights not counted."""
    documents = _tickable(user)
    lost = documents_with_lost_words(documents).order_by().values("pk")
    is_lost = Q(document__in=lost, share__lt=PAGE_ENOUGH)
    is_value = Q(has_doubt(Grade.VALUE))
    is_published = Q(document__lifecycle=Lifecycle.PUBLISHED)
    lately = Q(looked_at__gt=timezone.now() - LATELY)
    waits = UNSEEN | is_lost & ~is_published & Q(looked_at=None)
    rows = (
        Page.objects.filter(document__in=documents.order_by().values("pk"))
        .alias(share=SHARE)
        .filter(~is_published & (POOR | is_lost) | is_published & is_value & (UNSEEN | lately))
        .order_by(_last(is_published), "document__uploaded_at", "document", "number")
        .values_list(
            "document", "number", Case(When(waits, then=Value(True)), default=Value(False))
        )
    )
    return Queue(tuple(QueuedPage(*row) for row in rows))


def reading_key(page: Page) -> str:
    """Return a key of what was read of a page, other for every other text or doubt."""
    read = json.dumps([page.text, page.doubts, page.corrected], sort_keys=True)
    return hashlib.sha256(f"{page.pk} {read}".encode()).hexdigest()[:32]


def _tickable(user: User) -> QuerySet[Document]:
    """Return the documents that the user may see and publish, as far as it is up to who it is."""
    documents = documents_visible(user).filter(
        collection__in=collections_publishable(user).order_by().values("pk"),
        lifecycle__in=(Lifecycle.DRAFT, Lifecycle.REVIEW, Lifecycle.PUBLISHED),
    )
    documents = documents.exclude(job__state=JobState.FAILED)
    if settings.TWO_PERSON_PUBLISH:
        corrected = Correction.objects.filter(
            document=OuterRef("pk"), made_by=user, is_current=True, seen_at=None
        )
        documents = documents.exclude(uploaded_by=user).exclude(Exists(corrected))
    return documents


def _last(condition: Q) -> Case:
    return Case(When(condition, then=Value(1)), default=Value(0))
