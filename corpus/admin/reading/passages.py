"""Show a page's picture next to its text and passages."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from django.contrib import messages
from django.contrib.auth.models import User
from django.http import FileResponse, Http404, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from django.template.response import TemplateResponse
from django.utils.cache import patch_cache_control
from django.views.decorators.http import require_POST, require_safe

from core.errors import MedragError
from corpus.access import may_publish
from corpus.admin.forms import DisableForm
from corpus.admin.pages import StaffRequest, address, guarded, page
from corpus.files import FileDamaged, open_document
from corpus.indexing.rows import page_as_read
from corpus.models import Chunk, Correction, Document, Page
from corpus.review.corrections import At, corrections_current, placed
from corpus.review.pages import ReadPage, read_page
from corpus.review.pictures import has_picture, picture_response
from corpus.services.corrections import correctable
from corpus.services.passages import chunk_disable, chunk_enable
from corpus.staff_selectors import (
    Right,
    may_change,
    page_checks,
    pages_unseen,
    passages_on,
    spans_on,
)
from corpus.types import OCR_CONFIDENT

A_DAY_S = 86_400


@dataclass(frozen=True)
class ShownPassage:
    """A passage on a page. `key` highlights it; its spans may continue on other pages."""

    key: str
    chunk: Chunk
    first_page: int
    last_page: int


@dataclass(frozen=True)
class ShownCorrection:
    """A correction, the key of where it fits (empty: nowhere), and whether the page has it."""

    row: Correction
    key: str
    is_applied: bool


@dataclass(frozen=True)
class ShownPage:
    """All that the view shows of one page. `painted` are the keys highlighted at once."""

    page: Page
    read: ReadPage
    passages: tuple[ShownPassage, ...]
    corrections: tuple[ShownCorrection, ...]
    has_picture: bool
    painted: frozenset[str]

    @property
    def is_badly_scanned(self) -> bool:
        confidence = self.page.ocr_confidence
        return confidence is not None and confidence < OCR_CONFIDENT


def reading_of(document: Document, number: int, *, user: User, show: str = "") -> ShownPage:
    """Read one page with passages and corrections in three queries. Raises Http404."""
    row = get_object_or_404(document.pages, number=number)
    chunks = passages_on(document, page=number, user=user)
    spans = {f"c{chunk.index}": spans_on(chunk, page=number) for chunk in chunks}
    return ShownPage(
        page=row,
        read=read_page(row.text, blocks=row.blocks, doubts=row.doubts, passages=spans),
        passages=tuple(_shown(chunk) for chunk in chunks),
        corrections=_corrections(document, row),
        has_picture=has_picture(document, row),
        painted=frozenset({show} - {""}),
    )


@require_safe
@guarded(Right.SEE)
def read(request: StaffRequest, document: Document, number: int) -> HttpResponseBase:
    """Show one page; `?show=c12` highlights a passage, block, cell or doubt.

    With `?doubted` the ways on lead to pages in doubt only.

    htmx gets the page's two columns only, for the list that an approver works through.
    """
    show = request.GET.get("show", "")[:20]
    reading = reading_of(document, number, user=request.user, show=show)
    context = {"document": document, "reading": reading, "may_change": may_change(document)}
    context["may_correct"] = may_change(document) and correctable(document)
    if request.htmx:
        template = "admin/corpus/document/reading/_reading.html"
        return TemplateResponse(request, template, {**context, "is_part": True})
    checks = page_checks(document)
    only_doubted = "doubted" in request.GET
    steps = [check.number for check in checks if check.is_doubtful or not only_doubted]
    return page(
        request,
        "read.html",
        title=f"Page {number}",
        previous=max((each for each in steps if each < number), default=0),
        next=min((each for each in steps if each > number), default=0),
        last=checks[-1].number if checks else number,
        only_doubted=only_doubted,
        to_look_at=[check for check in checks if check.is_doubtful and check.number != number],
        unseen=pages_unseen(checks),
        check=next((check for check in checks if check.number == number), None),
        may_publish=may_publish(request.user, document),
        **context,
    )


@require_safe
@guarded(Right.SEE)
def picture(request: StaffRequest, document: Document, number: int) -> HttpResponseBase:
    response = picture_response(document, get_object_or_404(document.pages, number=number))
    return _private(response) if response.streaming else response


@require_safe
@guarded(Right.SEE)
def original(request: StaffRequest, document: Document) -> HttpResponseBase:
    """Return the uploaded bytes, always as a download: a browser must not run them."""
    try:
        stored = open_document(document.sha256)
    except (OSError, FileDamaged) as error:
        raise Http404 from error
    response = FileResponse(
        stored,
        as_attachment=True,
        filename=document.filename,
        content_type=document.media_type or "application/octet-stream",
    )
    return _private(response)


@require_POST
@guarded(Right.CHANGE)
def disable(request: StaffRequest, document: Document, index: int) -> HttpResponseBase:
    """Exclude a passage from all searches, for a reason."""
    form = DisableForm(request.POST)
    reason = form.cleaned_data["reason"] if form.is_valid() else ""
    done = "is disabled. Searches no longer find it."
    return _changed(request, document, index, partial(chunk_disable, reason=reason), done)


@require_POST
@guarded(Right.CHANGE)
def enable(request: StaffRequest, document: Document, index: int) -> HttpResponseBase:
    return _changed(request, document, index, chunk_enable, "is enabled. Searches find it again.")


def _changed(
    request: StaffRequest, document: Document, index: int, step: Callable[..., None], done: str
) -> HttpResponseRedirect:
    """Take the step and return to the form's page, or to the passage's first page."""
    chunk = get_object_or_404(document.chunks, index=index)
    try:
        step(chunk, by=request.user)
    except MedragError as error:
        messages.error(request, error.sentence)
    else:
        messages.success(request, f"Passage {chunk.number} {done}")
    pages = {number for number, _, _ in chunk.spans}
    typed = request.POST.get("page", "")
    number = int(typed) if typed.isdecimal() and int(typed) in pages else chunk.page
    target = address("read", document.pk, number)
    return HttpResponseRedirect(f"{target}?show=c{chunk.index}#p{number}-c{chunk.index}")


def _corrections(document: Document, page: Page) -> tuple[ShownCorrection, ...]:
    rows = list(corrections_current(document).filter(page=page.number))
    fits = placed(page_as_read(page), rows) if rows else {}
    applied = {correction["id"] for correction in page.corrected}
    return tuple(ShownCorrection(r, _key(fits.get(r.pk)), r.pk in applied) for r in rows)


def _key(at: At | None) -> str:
    if at is None:
        return ""
    block, cell = at
    return f"b{block}" if cell is None else f"b{block}.{cell}"


def _shown(chunk: Chunk) -> ShownPassage:
    pages = [number for number, _, _ in chunk.spans]
    return ShownPassage(f"c{chunk.index}", chunk, min(pages), max(pages))


def _private(response: HttpResponseBase) -> HttpResponseBase:
    patch_cache_control(response, private=True, max_age=A_DAY_S)
    return response
