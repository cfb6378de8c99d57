"""Move documents through their lifecycle.

    DRAFT <-> REVIEW -> PUBLISHED <-> SUPERSEDED | WITHDRAWN

Each transition is one UPDATE that names its starting state, so that of two people who press a
button at once one is told that the other was faster. Publishing, returning, superseding,
withdrawing and putting back in force need the right to publish in the collection, which is checked
here, whatever the caller. Rows are locked by primary key, and always before the audit chain's head.
"""

from __future__ import annotations

import datetime
from collections.abc import Container, Sequence
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import F, Q, Value
from django.db.models.functions import Coalesce, Now
from django.utils import timezone

from core.errors import MedragError
from corpus.access import NotPermitted, may_publish
from corpus.models import Collection, Document, Job, JobState, Lifecycle
from corpus.parsing.clean import clean_text
from corpus.review.corrections import corrections_unseen, refuse_uncompared
from corpus.review.page_checks import MISREAD_ON, reason_to_wait
from corpus.review.words_found import lines_misread, pages_named, refuse_unseen
from corpus.selectors import answers_citing, waits_for
from corpus.services.documents import NotNow
from corpus.services.metadata import document_inherit
from corpus.signals import (
    document_published,
    document_reinstated,
    document_returned,
    document_submitted,
    document_superseded,
    document_withdrawn,
)
from corpus.types import CitingAnswer


class SecondPersonNeeded(MedragError):
    """The uploader of a document may not publish it as well."""

    code = "second_person"


class BadSuccessor(MedragError):
    code = "bad_successor"


class ReasonNeeded(MedragError):
    code = "reason_needed"


@transaction.atomic
def document_submit(document: Document, *, by: User | None) -> None:
    """Move DRAFT -> REVIEW. Raises NotNow, also for a document that could not be read."""
    _refuse_unread(document)
    _move(document, Lifecycle.DRAFT, Lifecycle.REVIEW)
    document_submitted.send(Document, document=document, actor=by)


@transaction.atomic
def document_return(document: Document, *, by: User | None, reason: str) -> None:
    """Move REVIEW -> DRAFT, for a reason that its uploader reads.

    The reason is sent to receivers; the document doesn't store it. Raises as publishing does, and
    ReasonNeeded.
    """
    _refuse_others(by, document)
    reason = reason_given(reason, "To send it back needs a reason.")
    _move(document, Lifecycle.REVIEW, Lifecycle.DRAFT)
    document_returned.send(Document, document=document, actor=by, reason=reason)


@transaction.atomic
def document_publish(
    document: Document,
    *,
    by: User | None,
    today: datetime.date,
    supersedes: Document | None = None,
    looked: Sequence[int] = (),
    compared: Sequence[int] = (),
    despite_doubts: bool = False,
) -> None:
    """Move REVIEW -> PUBLISHED, in force from `today` unless it names a day.

    It is searchable as soon as it is indexed. Rejected are an unreadable document, one that lost
    words unless all its poor pages are in `looked` or were ticked before, one with values in doubt
    unless their pages are or it is to be published `despite_doubts`, and one with new corrections
    unless somebody else `compared` them (primary keys). Doubted values of pages that nobody looked
    at are not quoted. `supersedes`, and what was to be superseded by it, ends in the same commit,
    or when it is indexed if that comes later. Raises NotNow, NotPermitted, SecondPersonNeeded,
    PagesNotReviewed, CorrectionsNotSeen, BadSuccessor.
    """
    both = [document] if supersedes is None else [document, supersedes]
    _refuse_others(by, *both)
    _refuse_same_person(document, by)
    _lock(*both)
    _refuse_unread(document)
    refuse_unseen(document, looked, despite_doubts=despite_doubts)
    refuse_own_corrections(document, by)
    refuse_uncompared(document, compared)
    # What was misread would be found again, until the document is cut with what was corrected.
    is_done = Job.objects.filter(document=document, state=JobState.DONE).exists()
    if corrections_unseen(document).exists() and not is_done:
        raise NotNow(
            f"“{document}” was not published: its corrections are still being indexed.",
            hint="Wait until that is done, then publish it.",
        )
    corrections_unseen(document).update(seen_by=by, seen_at=Now())
    _move(
        document,
        Lifecycle.REVIEW,
        Lifecycle.PUBLISHED,
        published_by=by,
        published_at=Now(),
        effective_from=Coalesce(F("effective_from"), Value(today)),
    )
    pages = document.pages.filter(number__in=looked)
    pages.update(looked=True, looked_by=by, looked_at=Now())
    document_published.send(Document, document=document, actor=by)
    if supersedes is not None:
        document_supersede(supersedes, by=by, successor=document)
    documents_supersede_due(document, by=by)


@transaction.atomic
def document_approve(
    document: Document,
    *,
    by: User | None,
    today: datetime.date,
    supersedes: Document | None = None,
    looked: Sequence[int] = (),
    compared: Sequence[int] = (),
    despite_doubts: bool = False,
) -> None:
    """Move DRAFT or REVIEW -> PUBLISHED: approve and publish in one step.

    Raises as `document_publish`, and NotNow for a document that has not been read yet.
    """
    if not document.pages.exists():
        raise NotNow(
            f"“{document}” was not published: it has not been read yet.",
            hint="Wait until it has been read, then check its pages.",
        )
    if document.lifecycle == Lifecycle.DRAFT:
        document_submit(document, by=by)
    document_publish(
        document,
        by=by,
        today=today,
        supersedes=supersedes,
        looked=looked,
        compared=compared,
        despite_doubts=despite_doubts,
    )


def refuse_to_publish(
    collection: Collection, *, uploader: User | None, publisher: User | None
) -> None:
    """Raise what publishing each of many would: NotPermitted and SecondPersonNeeded."""
    document = Document(collection=collection, uploaded_by=uploader)
    _refuse_others(publisher, document)
    _refuse_same_person(document, publisher)


@transaction.atomic
def document_hold_back(document: Document) -> None:
    """Move PUBLISHED -> REVIEW if it was published unread and has to wait (`reason_to_wait`).

    Called after its first reading, before anything of it can be searched.
    """
    if reason := reason_to_wait(document):
        document_recheck(document, by=None, reason=reason)


@transaction.atomic
def document_hold_misread(
    document: Document, *, known: Container[tuple[str, str]] = frozenset()
) -> None:
    """Move PUBLISHED -> REVIEW if a value is in doubt that is not in `known`.

    `known` are those that it had when it was published, as `lines_misread` names them.
    """
    new = [pages for line, pages in lines_misread(document).items() if line not in known]
    if pages := sorted(set().union(*new)):
        reason = MISREAD_ON.format(pages_named(pages))
        document_recheck(document, by=None, reason=reason)


@transaction.atomic
def document_recheck(document: Document, *, by: User | None, reason: str) -> None:
    """Move PUBLISHED -> REVIEW after its text was changed; do nothing in another state."""
    if document.lifecycle != Lifecycle.PUBLISHED:
        return
    _move(document, Lifecycle.PUBLISHED, Lifecycle.REVIEW, published_by=None, published_at=None)
    document_returned.send(Document, document=document, actor=by, reason=reason)


@transaction.atomic
def document_supersede(old: Document, *, by: User | None, successor: Document) -> None:
    """Move PUBLISHED -> SUPERSEDED by another published document, as soon as that is indexed.

    Raises NotNow, NotPermitted, BadSuccessor.
    """
    _refuse_others(by, old)
    _lock(old, successor)
    published = Document.objects.filter(lifecycle=Lifecycle.PUBLISHED)
    if not published.filter(pk=successor.pk).exists():
        raise BadSuccessor(
            "Nothing was changed: only another published document can replace it.",
            hint="Publish the new version first.",
        )
    if not published.filter(pk=old.pk).exists():
        raise _not_now(old, Lifecycle.PUBLISHED, Lifecycle.SUPERSEDED)
    document_supersede_later(old, by=by, successor=successor)


@transaction.atomic
def document_supersede_later(old: Document, *, by: User | None, successor: Document) -> None:
    """Supersede a document in the moment when its successor is both published and indexed.

    That may be now. Until then the old one stays in force: a successor that is held back replaces
    nothing. It inherits at once (`document_inherit`). Raises NotPermitted, BadSuccessor.
    """
    _refuse_others(by, old)
    _lock(old, successor)
    if old.pk == successor.pk:
        raise BadSuccessor(
            "Nothing was changed: a document can't replace itself.", hint="Choose another one."
        )
    document_inherit(successor, old=old, by=by)
    if waits_for(successor, old):  # it was the other way round: else both would end
        Document.objects.filter(pk=successor.pk).update(to_be_superseded_by=None)
    Document.objects.filter(pk=old.pk).update(to_be_superseded_by=successor)
    documents_supersede_due(successor, by=by)
    old.refresh_from_db()


def documents_supersede_due(document: Document, *, by: User | None) -> None:
    """Supersede what was waiting for this document, now published or indexed, or it for another.

    A successor that was superseded before it was indexed counts, since another took its place; one
    that is in force from a later day doesn't yet. Called in the transaction that publishes or
    indexes, after `lock_for_succession`.
    """
    of_later = Q(to_be_superseded_by__effective_from__gt=timezone.localdate())
    indexed = Q(to_be_superseded_by__indexed_at__isnull=False) & ~of_later
    due = Document.objects.filter(
        Q(pk=document.pk) | Q(to_be_superseded_by=document),
        Q(to_be_superseded_by__lifecycle=Lifecycle.SUPERSEDED)
        | Q(to_be_superseded_by__lifecycle=Lifecycle.PUBLISHED) & indexed,
        lifecycle=Lifecycle.PUBLISHED,
    )
    for old in due.order_by("pk"):
        _move(
            old,
            Lifecycle.PUBLISHED,
            Lifecycle.SUPERSEDED,
            superseded_by=old.to_be_superseded_by_id,
            to_be_superseded_by=None,
        )
        document_superseded.send(Document, document=old, actor=by)
        documents_supersede_due(old, by=by)


def successions_make_due() -> None:
    """Supersede what waited for the day from which its successor is in force. One query if none."""
    waiting = Document.objects.filter(to_supersede__isnull=False).distinct().order_by("pk")
    for successor in waiting:
        with transaction.atomic():
            documents_supersede_due(lock_for_succession(successor), by=successor.published_by)


def lock_for_succession(document: Document) -> Document:
    """Lock a document and those that it supersedes or waits for; return it as it is now."""
    _lock(document)
    return Document.objects.get(pk=document.pk)


@transaction.atomic
def document_withdraw(document: Document, *, by: User | None, reason: str) -> list[CitingAnswer]:
    """Move PUBLISHED -> WITHDRAWN, for a reason that clinicians read; effective at once.

    Returns the past answers that cited it, newest first. Raises NotNow, NotPermitted, ReasonNeeded.
    """
    _refuse_others(by, document)
    reason = reason_given(reason, "A withdrawal needs a reason.")
    _move(
        document,
        Lifecycle.PUBLISHED,
        Lifecycle.WITHDRAWN,
        withdrawn_at=Now(),
        withdrawn_reason=reason,
        to_be_superseded_by=None,
    )
    document_withdrawn.send(Document, document=document, actor=by, reason=reason)
    return answers_citing(document)


@transaction.atomic
def document_reinstate(document: Document, *, by: User | None, reason: str) -> list[CitingAnswer]:
    """Move WITHDRAWN or SUPERSEDED -> PUBLISHED, for a reason: it is searched again.

    For what was ended in error, and for an older version whose successor was withdrawn. A successor
    in force stays in force. Returns the past answers that cited the document: whom its end had
    recalled. Raises NotNow, NotPermitted, ReasonNeeded.
    """
    _refuse_others(by, document)
    reason = reason_given(reason, "To put a document back in force needs a reason.")
    _lock(document)
    is_superseded = document.lifecycle == Lifecycle.SUPERSEDED
    _move(
        document,
        Lifecycle.SUPERSEDED if is_superseded else Lifecycle.WITHDRAWN,
        Lifecycle.PUBLISHED,
        withdrawn_at=None,
        withdrawn_reason="",
        superseded_by=None,
    )
    document_reinstated.send(Document, document=document, actor=by, reason=reason)
    documents_supersede_due(document, by=by)
    return answers_citing(document)


def _move(document: Document, old: Lifecycle, new: Lifecycle, **changes: Any) -> None:
    rows = Document.objects.filter(pk=document.pk, lifecycle=old)
    if rows.update(lifecycle=new, **changes) != 1:
        raise _not_now(document, old, new)
    document.refresh_from_db()


def _not_now(document: Document, old: Lifecycle, new: Lifecycle) -> NotNow:
    now = Document.objects.values_list("lifecycle", flat=True).get(pk=document.pk)
    return NotNow(
        f"“{document}” is {Lifecycle(now).label.lower()} and was not changed. "
        f"Only a document that is {old.label.lower()} can become {new.label.lower()}.",
        hint="Reload the page to see its present state.",
    )


def _lock(*documents: Document) -> None:
    """Lock these rows, those that wait to be superseded by them, and those that they wait for."""
    pks = [document.pk for document in documents]
    successors = Document.objects.filter(pk__in=pks).values("to_be_superseded_by")
    rows = Document.objects.filter(
        Q(pk__in=pks) | Q(to_be_superseded_by__in=pks) | Q(pk__in=successors)
    )
    list(rows.select_for_update().order_by("pk").values("pk"))


def reason_given(text: str, sentence: str) -> str:
    """Return the cleaned reason. Raises ReasonNeeded with the sentence if it is empty."""
    reason = clean_text(text).strip()
    if not reason:
        raise ReasonNeeded(sentence, hint="Nothing was changed. Write one sentence.")
    return reason


def _refuse_others(by: User | None, *documents: Document) -> None:
    if not all(may_publish(by, document) for document in documents):
        raise NotPermitted(
            "You have no right to publish in the document's collection.",
            hint="Nothing was changed. Ask a publisher of that collection.",
        )


def _refuse_unread(document: Document) -> None:
    if Job.objects.filter(document=document, state=JobState.FAILED).exists():
        raise NotNow(
            "This document could not be read, so it can't be checked or published.",
            hint="Nothing was changed. Press Read again, or discard it and upload another format.",
        )


def _refuse_same_person(document: Document, by: User | None) -> None:
    if settings.TWO_PERSON_PUBLISH and (by is None or by.pk == document.uploaded_by_id):
        raise SecondPersonNeeded(
            "Publishing needs a second person: the uploader may not publish it.",
            hint="Nothing was changed. Ask a colleague with the right to publish.",
        )


def refuse_own_corrections(document: Document, by: User | None) -> None:
    """Raise SecondPersonNeeded for who corrected it, where publishing needs two people."""
    if settings.TWO_PERSON_PUBLISH and corrections_unseen(document).filter(made_by=by).exists():
        raise SecondPersonNeeded(
            "Publishing needs a second person: you corrected this document.",
            hint="Nothing was changed. Ask a colleague with the right to publish.",
        )
