"""Correct misread text, undo corrections, and apply them when a document is cut."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import asdict

from django.contrib.auth.models import User
from django.db import transaction

from core.errors import MedragError
from corpus.indexing.rows import page_as_read
from corpus.models import Correction, Document, Lifecycle
from corpus.models import Page as PageRow
from corpus.parsing.clean import clean_line
from corpus.parsing.types import Page
from corpus.review.corrections import (
    CorrectedPage,
    TableNow,
    cells_key,
    corrected,
    corrections_current,
    heads_carried,
    placed,
    places,
    table_now,
)
from corpus.review.grid import Grid, grid_cells, grid_of
from corpus.services.documents import NotNow, document_queue_indexing
from corpus.services.lifecycle import document_recheck, reason_given
from corpus.signals import correction_made

CORRECTABLE = (Lifecycle.DRAFT, Lifecycle.REVIEW, Lifecycle.PUBLISHED)
NEEDS_REASON = "A correction needs a reason."


class BadCorrection(MedragError):
    """The typed text can't replace what was read; nothing was changed."""

    code = "bad_correction"


class PlaceNotFound(MedragError):
    """The block or cell doesn't exist, or was read differently meanwhile."""

    code = "place_gone"


def correctable(document: Document) -> bool:
    """Tell whether a document can be corrected: not if it has ended for good."""
    return document.lifecycle in CORRECTABLE


@transaction.atomic
def correction_make(
    document: Document,
    *,
    page: int,
    block: int,
    cell: int | None,
    as_read: str,
    text: str,
    reason: str,
    by: User | None,
) -> Correction:
    """Correct a block or table cell, replacing an earlier correction.

    `block` and `cell` count from 0; `as_read` is the uncorrected text that the person saw. The
    document is indexed again, and one in force returns to review by a second person, in the same
    transaction. Raises BadCorrection, PlaceNotFound, ReasonNeeded, NotNow.
    """
    document = _locked(document)
    text, reason = clean_line(text), reason_given(reason, NEEDS_REASON)
    read = _page_read(document, page)
    printed, around = places(read).get((block, cell), (None, "")) if read else (None, "")
    if read is None or printed is None or clean_line(printed) != clean_line(as_read):
        raise _read_again()
    table = read.blocks[block].table
    repairs = _current_at(document, read, block) if table else []
    if table and (cell is None or any(row.table for row in repairs)):
        raise BadCorrection(
            "Nothing was changed: this is a table, or one that was repaired.",
            hint="Use “Repair the table…” below it.",
        )
    if not text:
        raise BadCorrection(
            "Nothing was changed: the correction is empty.",
            hint="Type the words as they are printed on the page.",
        )
    before = _current_at(document, read, block, cell)
    if text == clean_line(before[-1].text if before else printed):
        raise BadCorrection(
            "Nothing was changed: the words are the same as before.",
            hint="Change the words, or leave the page.",
        )
    text = printed if text == clean_line(printed) else text
    return _made(
        Correction(
            document=document, page=page, block=block, cell=cell, as_read=printed, around=around,
            text=text, reason=reason, made_by=by,
        ),
        before,
    )  # fmt: skip


@transaction.atomic
def correction_repair(
    document: Document,
    *,
    page: int,
    block: int,
    seen: str,
    grid: Grid,
    reason: str,
    by: User | None,
) -> Correction:
    """Put a table in the place of a misread one, and of all earlier corrections of it.

    `block` counts from 0; `seen` is that of the `TableNow` that the person began with. What follows
    is that of `correction_make`. Raises BadCorrection, BadTable, PlaceNotFound, ReasonNeeded,
    NotNow.
    """
    document = _locked(document)
    reason = reason_given(reason, NEEDS_REASON)
    read = _page_read(document, page)
    now = table_in(document, read, block) if read else None
    if read is None or now is None or now.seen != seen:
        raise _read_again()
    cells = grid_cells(grid, now.cells)
    key = cells_key(cells)
    if key == cells_key(grid_cells(grid_of(now.cells), now.cells)):
        raise BadCorrection(
            "Nothing was changed: the table is the same as before.",
            hint="Change its cells or heads, or leave the page.",
        )
    is_as_read = key == cells_key(grid_cells(grid_of(now.cells_read), now.cells_read))
    text, table = now.written(cells)
    return _made(
        Correction(
            document=document, page=page, block=block, as_read=now.printed,
            around=cells_key(now.cells_read), text=now.printed if is_as_read else text,
            table=None if is_as_read else asdict(table), reason=reason, made_by=by,
        ),
        _current_at(document, read, block),
    )  # fmt: skip


def table_in(document: Document, read: Page, block: int) -> TableNow | None:
    """Return a table of a page as read, with what was corrected; None for other blocks."""
    rows = corrections_current(document).filter(page=read.number).order_by("pk")
    return table_now(read, block, list(rows))


@transaction.atomic
def correction_take_back(correction: Correction, *, by: User | None, reason: str) -> Correction:
    """Restore the text as read, as a correction of its own. Raises NotNow, ReasonNeeded."""
    document = _locked(correction.document)
    reason = reason_given(reason, NEEDS_REASON)
    before = list(corrections_current(document).filter(pk=correction.pk))
    if not before or before[0].is_taken_back:
        raise NotNow(
            "Nothing was changed: this correction is no longer in use.",
            hint="Open the page again to see its present state.",
        )
    back = Correction(
        **{name: getattr(correction, name) for name in ("page", "block", "cell", "around")},
        document=document, as_read=correction.as_read, text=correction.as_read,
        reason=reason, made_by=by,
    )  # fmt: skip
    return _made(back, before)


def pages_corrected(
    document: Document, rows: Iterable[PageRow] | None = None
) -> list[CorrectedPage]:
    """Return the pages with all current corrections applied, in order, numbered from 1.

    `rows` are pages that are not stored yet, in place of those that are. A correction on a page
    that no longer exists becomes a doubt of the last page. Runs two queries.
    """
    stored = document.pages.order_by("number") if rows is None else rows
    pages = [page_as_read(page) for page in stored]
    by_page: dict[int, list[Correction]] = {}
    for correction in corrections_current(document):
        by_page.setdefault(min(correction.page, len(pages)), []).append(correction)
    return heads_carried(pages, [corrected(page, by_page.get(page.number, ())) for page in pages])


def pages_correct(document: Document, pages: Sequence[CorrectedPage]) -> None:
    """Write corrected pages; a document with a correction that no longer fits returns to review.

    Call it in the transaction that stores the passages cut from them. The text as read is kept as
    well. Runs one query for each page that is or was corrected.
    """
    names = ("text", "blocks", "doubts")
    rows = document.pages.order_by("number")
    kept = dict(rows.filter(as_read__isnull=False).values_list("number", "as_read"))
    for made in pages:
        number = made.page.number
        is_changed = bool(made.applied or made.unfit or made.has_other_heads)
        if not is_changed and number not in kept:
            continue
        read = kept.get(number) or rows.values(*names).get(number=number)
        values = asdict(made.page)
        rows.filter(number=number).update(
            **({name: values[name] for name in names} if is_changed else read),
            as_read=read if is_changed else None,
            **({"looked": False, "looked_by": None, "looked_at": None} if made.unfit else {}),
            corrected=[asdict(correction) for correction in made.applied],
        )
    if any(made.unfit for made in pages):
        stored = Document.objects.select_for_update().get(pk=document.pk)
        document_recheck(stored, by=None, reason="A correction no longer fits what was read.")


def _made(correction: Correction, before: Sequence[Correction]) -> Correction:
    document = correction.document
    Correction.objects.filter(pk__in=[old.pk for old in before]).update(is_current=False)
    correction.save()
    # Who ticked the page saw other words there.
    ticked = document.pages.filter(number=correction.page)
    ticked.update(looked=False, looked_by=None, looked_at=None)
    rows = corrections_current(document).order_by("pk")
    keys = [str(row.pk) for row in rows if not row.is_taken_back]
    digest = hashlib.sha256(",".join(keys).encode()).hexdigest()[:32]
    document.corrections_key = f"+{digest}" if keys else ""
    document.save(update_fields=["corrections_key"])
    correction_made.send(
        Document,
        document=document,
        actor=correction.made_by,
        correction=correction,
        reason=correction.reason,
    )
    document_recheck(document, by=correction.made_by, reason="What was read of it was corrected.")
    document_queue_indexing(document)
    return correction


def _page_read(document: Document, number: int) -> Page | None:
    stored = document.pages.filter(number=number).first()
    return page_as_read(stored) if stored else None


def _current_at(document: Document, read: Page, block: int, *cells: int | None) -> list[Correction]:
    """Return the current corrections of a block: of these cells, or of all of it."""
    rows = list(corrections_current(document).filter(page=read.number).order_by("pk"))
    fits = placed(read, rows)
    at_block = [row for row in rows if row.pk in fits and fits[row.pk][0] == block]
    return [row for row in at_block if not cells or fits[row.pk][1] in cells]


def _read_again() -> PlaceNotFound:
    return PlaceNotFound(
        "Nothing was changed: this part of the page was read again or corrected in the meantime.",
        hint="Open the page again and check whether the correction is still needed.",
    )


def _locked(document: Document) -> Document:
    stored = Document.objects.select_for_update().get(pk=document.pk)
    if not correctable(stored):
        raise NotNow(
            f"“{stored}” can't be corrected: it is not in force any more, or was imported.",
            hint="Nothing was changed. Correct the original and upload it.",
        )
    return stored
