"""Correct misread text next to the page's picture, and undo corrections."""

from __future__ import annotations

import re
from dataclasses import asdict

from django.contrib import messages
from django.http import Http404
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.http import require_POST

from core.errors import MedragError
from corpus.admin.forms import CorrectionForm
from corpus.admin.pages import StaffRequest, address, guarded, page
from corpus.admin.reading.passages import ShownPage, reading_of
from corpus.indexing.rows import page_as_read
from corpus.models import Document, Lifecycle
from corpus.parsing.types import Page
from corpus.review.corrections import At, places
from corpus.review.pages import ShownCell, table_rows
from corpus.services.corrections import correction_make, correction_take_back
from corpus.services.history import history_add
from corpus.staff_selectors import Right

_KEY = re.compile(r"b(\d{1,6})(?:\.(\d{1,6}))?", re.ASCII)


@guarded(Right.CHANGE)
def correct(request: StaffRequest, document: Document, number: int, key: str) -> HttpResponseBase:
    """Ask for the right text of a block or cell; for a table first ask which cell."""
    reading = reading_of(document, number, user=request.user, show=key)
    read = page_as_read(reading.page)
    at = _place(key)
    rows = _cells(read, at)
    if at[0] in _repaired(reading):
        return redirect(address("repair", document.pk, number, at[0]))
    printed = None if rows else places(read).get(at, (None, ""))[0]
    if printed is None and not rows:
        raise Http404
    shown = {"as_read": printed, "text": _now(reading, key, printed or "")}
    form = CorrectionForm(request.POST if request.method == "POST" else None, initial=shown)
    if printed is not None and form.is_valid():
        block, cell = at
        try:
            correction_make(
                document, page=number, block=block, cell=cell, by=request.user, **form.cleaned_data
            )
        except MedragError as error:
            messages.error(request, error.sentence)
        else:
            return done(request, document, number, f"Corrected on page {number}.")
    return page(
        request,
        "correct.html",
        title=f"Correct page {number}",
        document=document,
        reading=reading,
        rows=rows,
        table_at=at[0],
        said=printed,
        form=form,
    )


@require_POST
@guarded(Right.CHANGE)
def take_back(request: StaffRequest, document: Document, correction: int) -> HttpResponseBase:
    """Restore the text as read, for a reason."""
    row = get_object_or_404(document.corrections, pk=correction)
    try:
        correction_take_back(row, by=request.user, reason=request.POST.get("reason", ""))
    except MedragError as error:
        messages.error(request, error.sentence)
        return redirect(address("read", document.pk, row.page))
    return done(request, document, row.page, f"Correction taken back on page {row.page}.")


def done(request: StaffRequest, document: Document, number: int, line: str) -> HttpResponseBase:
    """Note a correction in the history, and return to its page."""
    was_in_force = document.lifecycle == Lifecycle.PUBLISHED  # as it was opened
    history_add(document, by=request.user, line=line)
    after = ", and the person who publishes it compares old and new words"
    if was_in_force:
        after = "; no answer uses it until it has been checked and published again"
    messages.success(request, f"{line} The document is now indexed again{after}.")
    return redirect(address("read", document.pk, number))


def _place(key: str) -> At:
    match = _KEY.fullmatch(key)
    if match is None:
        raise Http404
    block, cell = match.groups()
    return int(block), None if cell is None else int(cell)


def _cells(read: Page, at: At) -> tuple[tuple[ShownCell, ...], ...]:
    """Return a table's printed cells by row; empty for other blocks, and for one of its cells."""
    block, cell = at
    table = read.blocks[block].table if block < len(read.blocks) else None
    if cell is not None or table is None or not table.cells:
        return ()
    return table_rows(block, asdict(table))


def _repaired(reading: ShownPage) -> set[int]:
    """Return the blocks that are repaired tables."""
    return {_place(shown.key)[0] for shown in reading.corrections if shown.key and shown.row.table}


def _now(reading: ShownPage, key: str, printed: str) -> str:
    return next((shown.row.text for shown in reading.corrections if shown.key == key), printed)
