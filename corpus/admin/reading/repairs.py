"""Repair a misread table beside the page's picture: a form that is drawn again after each step."""

from __future__ import annotations

from dataclasses import replace

from django.contrib import messages
from django.http import Http404, QueryDict
from django.http.response import HttpResponseBase
from django.shortcuts import redirect

from core.errors import MedragError
from corpus.admin.forms import RepairForm
from corpus.admin.pages import StaffRequest, address, guarded, page
from corpus.admin.reading.corrections import done
from corpus.admin.reading.passages import reading_of
from corpus.indexing.rows import page_as_read
from corpus.models import Document
from corpus.review.corrections import TableNow
from corpus.review.grid import STEPS, Grid, grid_cells, grid_of, grid_posted, grid_step
from corpus.services.corrections import correction_repair, table_in
from corpus.staff_selectors import Right
from corpus.statements.table_rows import labelled


@guarded(Right.CHANGE)
def repair(request: StaffRequest, document: Document, number: int, block: int) -> HttpResponseBase:
    """Show a table as a grid of fields; take a step on it, or keep it."""
    reading = reading_of(document, number, user=request.user, show=f"b{block}")
    table = table_in(document, page_as_read(reading.page), block)
    if table is None:
        raise Http404
    stored = reading.page.blocks[block]["table"]
    if table.inherited and not any(cell["is_header"] for cell in stored["cells"]):
        table = replace(table, inherited=tuple(stored["header"]))  # as corrected there
    try:
        grid = grid_of(table.cells)
    except MedragError as error:
        messages.error(request, error.sentence)
        return redirect(address("read", document.pk, number))
    posted, step = request.POST, request.POST.get("step", "")
    is_kept = request.method == "POST" and not step
    form = RepairForm(posted) if is_kept else RepairForm(initial=posted)
    rows: list[str] = []
    try:
        if request.method == "POST":
            grid = _posted(posted)
        if step in STEPS:
            grid = grid_step(grid, step, place=posted.get("chosen", ""))
        if is_kept and form.is_valid():
            correction_repair(
                document,
                page=number,
                block=block,
                seen=posted.get("seen", ""),
                grid=grid,
                by=request.user,
                **form.cleaned_data,
            )
            return done(request, document, number, f"Table repaired on page {number}.")
        rows = _read_as(table, grid)
    except MedragError as error:
        messages.error(request, error.sentence)
    return page(
        request,
        "repair.html",
        title=f"Repair a table on page {number}",
        document=document,
        reading=reading,
        table_at=block,
        table=table,
        grid=grid,
        form=form,
        rows=rows,
        steps=[(name, words) for name, (words, _) in STEPS.items()],
        chosen=posted.get("chosen", ""),
        seen=posted.get("seen", table.seen),
    )


def _posted(posted: QueryDict) -> Grid:
    heads = posted.get("heads", "")
    return grid_posted(
        posted.get("shape", ""),
        texts=posted.getlist("text"),
        heads=int(heads) if heads.isascii() and heads.isdecimal() and len(heads) < 4 else 0,
    )


def _read_as(table: TableNow, grid: Grid) -> list[str]:
    """Return each row as answers will quote it."""
    _, written = table.written(grid_cells(grid, table.cells))
    return [labelled(written.header, row.cells) for row in written.rows]
