"""The arrows of a document's life: DRAFT -> REVIEW -> PUBLISHED -> SUPERSEDED | WITHDRAWN.

Each is one UPDATE that names the state it starts from, so that of two people who press a button
at once one is told that the other was faster. Rights are checked by the caller.
"""

from __future__ import annotations

import datetime
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import F, Value
from django.db.models.functions import Coalesce, Now

from corpus.errors import MedragError
from corpus.models import Document, Lifecycle
from corpus.parsing.clean import clean_text
from corpus.services.documents import NotNow
from corpus.signals import document_published, document_superseded, document_withdrawn


class SecondPersonNeeded(MedragError):
    """Whoever uploaded a document may not publish it as well."""

    code = "second_person"


class BadSuccessor(MedragError):
    code = "bad_successor"


class ReasonNeeded(MedragError):
    code = "reason_needed"


@transaction.atomic
def document_submit(document: Document, *, by: User | None) -> None:
    """DRAFT -> REVIEW. Raises NotNow."""
    _move(document, Lifecycle.DRAFT, Lifecycle.REVIEW)


@transaction.atomic
def document_publish(
    document: Document,
    *,
    by: User | None,
    today: datetime.date,
    supersedes: Document | None = None,
) -> None:
    """REVIEW -> PUBLISHED, in force from `today` unless it names a day.

    It is found as soon as it is indexed, too. `supersedes` ends with the same commit.
    Raises NotNow, SecondPersonNeeded, BadSuccessor.
    """
    _refuse_same_person(document, by)
    if supersedes is not None:
        # Rows before the audit chain's head, as everywhere: the other order could deadlock.
        list(Document.objects.select_for_update().filter(pk=supersedes.pk))
    _move(
        document,
        Lifecycle.REVIEW,
        Lifecycle.PUBLISHED,
        published_by=by,
        published_at=Now(),
        effective_from=Coalesce(F("effective_from"), Value(today)),
    )
    document_published.send(Document, document=document, actor=by)
    if supersedes is not None:
        document_supersede(supersedes, by=by, successor=document)


@transaction.atomic
def document_supersede(old: Document, *, by: User | None, successor: Document) -> None:
    """PUBLISHED -> SUPERSEDED by a document that is published. Raises NotNow, BadSuccessor."""
    published = Document.objects.filter(pk=successor.pk, lifecycle=Lifecycle.PUBLISHED)
    if old.pk == successor.pk or not published.select_for_update().exists():
        raise BadSuccessor(
            "Only another document that is published can take its place.",
            hint="Publish the new version first.",
        )
    _move(old, Lifecycle.PUBLISHED, Lifecycle.SUPERSEDED, superseded_by=successor)
    document_superseded.send(Document, document=old, actor=by)


@transaction.atomic
def document_withdraw(document: Document, *, by: User | None, reason: str) -> None:
    """PUBLISHED -> WITHDRAWN, for a reason that clinicians read. Raises NotNow, ReasonNeeded."""
    reason = clean_text(reason).strip()
    if not reason:
        raise ReasonNeeded("A withdrawal needs a reason.", hint="Say it in a sentence.")
    _move(
        document,
        Lifecycle.PUBLISHED,
        Lifecycle.WITHDRAWN,
        withdrawn_at=Now(),
        withdrawn_reason=reason,
    )
    document_withdrawn.send(Document, document=document, actor=by)


def _move(document: Document, old: Lifecycle, new: Lifecycle, **changes: Any) -> None:
    rows = Document.objects.filter(pk=document.pk, lifecycle=old)
    if rows.update(lifecycle=new, **changes) != 1:
        now = Document.objects.values_list("lifecycle", flat=True).get(pk=document.pk)
        raise NotNow(
            f"“{document}” is {Lifecycle(now).label.lower()}; "
            f"only what is {old.label.lower()} can become {new.label.lower()}.",
            hint="Reload the page: somebody may have been faster.",
        )
    document.refresh_from_db()


def _refuse_same_person(document: Document, by: User | None) -> None:
    if not settings.TWO_PERSON_PUBLISH:
        return
    if by is None or by.pk == document.uploaded_by_id:
        raise SecondPersonNeeded(
            "Publishing needs a second person.",
            hint="Ask a colleague with the right to publish: the uploader may not.",
        )
