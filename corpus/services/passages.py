"""Write passages, and disable or enable single ones."""

from __future__ import annotations

from collections.abc import Sequence

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models.functions import Now

from corpus.chunking.cutting import Passage
from corpus.indexing.rows import statement_rows
from corpus.models import Chunk, PassageStatement
from corpus.services.documents import NotNow
from corpus.services.lifecycle import reason_given
from corpus.signals import chunk_disabled, chunk_enabled

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


def _beaten(state: str) -> NotNow:
    return NotNow(
        f"Nothing was changed: the passage is {state} already, or was cut again.",
        hint="Reload the page to see its present state.",
    )
