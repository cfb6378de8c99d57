"""Write passages, disable or enable single ones, and record who compared a page."""

from __future__ import annotations

from collections.abc import Sequence

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models.functions import Now

from corpus.chunking.cutting import Passage
from corpus.indexing.rows import statement_rows
from corpus.models import Chunk, Document, PassageStatement
from corpus.review.queue import reading_key
from corpus.services.documents import NotNow
from corpus.services.lifecycle import (
    reason_given,
    refuse_own_corrections,
    refuse_to_publish,
)
from corpus.signals import chunk_disabled, chunk_enabled, page_look_taken_back, page_looked

TOGETHER = 500  # rows of one INSERT


def passages_write(rows: Sequence[Chunk], passages: Sequence[Passage]) -> None:
    """Write the rows of passages with their statements, in the caller's transaction."""
    Chunk.objects.bulk_create(rows, batch_size=TOGETHER)
    PassageStatement.objects.bulk_create(
        (
            row
            for chunk, passage in zip(rows, passages, strict=True)
            for row in statement_rows(chunk, passage.statements)
        ),
        batch_size=TOGETHER,
    )


@transaction.atomic
def chunk_disable(chunk: Chunk, *, by: User | None, reason: str) -> None:
    """Exclude a passage from all searches at once. Raises ReasonNeeded, NotNow."""
    reason = reason_given(reason, "To disable a passage needs a reason.")
    rows = Chunk.objects.filter(pk=chunk.pk, disabled_at=None)
    if rows.update(disabled_at=Now(), disabled_by=by, disabled_reason=reason) != 1:
        raise _beaten("disabled")
    chunk.refresh_from_db(fields=["disabled_at", "disabled_by", "disabled_reason"])
    chunk_disabled.send(Chunk, document=chunk.document, actor=by, chunk=chunk, reason=reason)


@transaction.atomic
def chunk_enable(chunk: Chunk, *, by: User | None) -> None:
    """Include a passage in searches again; the reason stays in the log. Raises NotNow."""
    rows = Chunk.objects.filter(pk=chunk.pk, disabled_at__isnull=False)
    if rows.update(disabled_at=None, disabled_by=None, disabled_reason="") != 1:
        raise _beaten("searched")
    chunk.refresh_from_db(fields=["disabled_at", "disabled_by", "disabled_reason"])
    chunk_enabled.send(Chunk, document=chunk.document, actor=by, chunk=chunk, reason="")


@transaction.atomic
def page_look(document: Document, number: int, *, by: User, seen: str) -> None:
    """Record that somebody compared a page with the file; the first tick stays.

    `seen` is the `reading_key` of what was compared. Who may not publish the document may not tick
    its pages. Raises NotNow if the page was read again or corrected since, NotPermitted,
    SecondPersonNeeded.
    """
    refuse_to_tick(document, by=by)
    Document.objects.select_for_update().get(pk=document.pk)  # no reading replaces its pages now
    page = document.pages.filter(number=number).first()
    if page is None or reading_key(page) != seen:
        raise NotNow(
            f"Page {number} of “{document}” was not ticked: it was read again or corrected since "
            "you opened it.",
            hint="Nothing was changed. Compare it as it is now, then tick it.",
        )
    ticked = document.pages.filter(pk=page.pk).exclude(looked=True, looked_at__isnull=False)
    if ticked.update(looked=True, looked_by=by, looked_at=Now()):
        page_looked.send(Document, document=document, actor=by, page=number)


@transaction.atomic
def page_look_take_back(document: Document, number: int, *, by: User) -> None:
    """Have a page looked at again. Raises NotNow, NotPermitted, SecondPersonNeeded."""
    refuse_to_tick(document, by=by)
    ticked = document.pages.filter(number=number, looked=True)
    if not ticked.update(looked=False, looked_by=None, looked_at=None):
        raise NotNow(
            f"Nothing was changed: page {number} is not ticked.",
            hint="Reload the page to see its present state.",
        )
    page_look_taken_back.send(Document, document=document, actor=by, page=number)


def refuse_to_tick(document: Document, *, by: User) -> None:
    """Raise what publishing it would for who it is: NotPermitted, SecondPersonNeeded."""
    refuse_to_publish(document.collection, uploader=document.uploaded_by, publisher=by)
    refuse_own_corrections(document, by)


def _beaten(state: str) -> NotNow:
    return NotNow(
        f"Nothing was changed: the passage is {state} already, or was cut again.",
        hint="Reload the page to see its present state.",
    )
