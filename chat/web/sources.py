"""Show the page behind a citation, rendered from the original, with the cited span painted."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import IO, Any

from django.db import transaction
from django.http import FileResponse, Http404, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.cache import patch_cache_control
from django.views.decorators.http import require_safe

from chat.audit import log as audit
from chat.caveats.notices import document_notices
from chat.models import Citation
from chat.selectors import (
    access_citation,
    access_document,
    access_page,
    chunk_spans,
    may_read_every_turn,
    sibling_citations,
)
from chat.web.http import SignedInRequest, reads, signed_in
from chat.web.painting import Corrected, paint, show, standing_of
from corpus.access import readable_ids
from corpus.boxes import Span
from corpus.files import FileDamaged, open_document
from corpus.models import Document, Page
from corpus.review.pictures import has_picture, picture_response
from corpus.stops import stops_held

A_DAY_S = 86_400


@dataclass(frozen=True)
class Marks:
    """The spans to paint on a page: the cited text, and the claim's other citations.

    `main` is empty if nothing is cited, or if the quote is no longer on the page.
    """

    main: list[Span]
    quote: str
    also: list[Span] = field(default_factory=list)
    corrected: tuple[Corrected, ...] = ()


def marks_of_citation(cited: Citation, page: Page) -> Marks:
    """Find the spans to paint for a citation of this page. One query."""
    standing = standing_of(cited, page)
    siblings = [span for c in sibling_citations(cited) for span in standing_of(c, page).spans]
    return Marks(
        main=list(standing.spans),
        also=siblings if standing.spans else [],
        quote=cited.quote,
        corrected=standing.corrected,
    )


def marks_of_chunk(key: str, page: Page) -> Marks:
    """Find the spans of a passage on this page; none for a key of another document. One query."""
    spans = chunk_spans(page.document, key=key, page=page.number)
    quote = "\n".join(page.text[start:end] for start, end in spans)
    return Marks(main=spans, quote=quote)


@reads
def citation(request: SignedInRequest, pk: int) -> HttpResponseBase:
    """Show the cited page, with a banner if the document is no longer in force."""
    cited = access_citation(request.user, pk=pk)
    page = access_page(access_document(request.user, sha256=cited.sha256), number=cited.page)
    _record_opened(request, page.document, page=page.number, citation=cited.pk)
    return _viewer(request, page, marks_of_citation(cited, page), cited=cited)


@reads
def source(request: SignedInRequest, sha256: str, number: int) -> HttpResponseBase:
    """Show any page; `?chunk=<key>` paints the part of that passage on it."""
    document = access_document(request.user, sha256=sha256)
    page = access_page(document, number=number)
    _record_opened(request, document, page=page.number)
    return _viewer(request, page, marks_of_chunk(request.GET.get("chunk", ""), page))


@require_safe
@signed_in
def page_image(request: SignedInRequest, sha256: str, number: int) -> HttpResponseBase:
    document = access_document(request.user, sha256=sha256)
    response = picture_response(document, access_page(document, number=number))
    return _kept(response, document) if response.streaming else response


@require_safe
@signed_in
def original(request: SignedInRequest, sha256: str) -> HttpResponseBase:
    """Send the uploaded bytes, always as a download: a browser must not run them."""
    document = access_document(request.user, sha256=sha256)
    content = _opened(document.sha256)
    _record_opened(request, document, original=True)
    response = FileResponse(
        content,
        as_attachment=True,
        filename=document.filename,
        content_type=document.media_type or "application/octet-stream",
    )
    return _kept(response, document)


def _viewer(
    request: SignedInRequest, page: Page, marks: Marks, *, cited: Citation | None = None
) -> HttpResponse:
    document = page.document
    context = {
        "document": document,
        "page": page,
        "cited": cited,
        "back": _answer_address(request, cited) if cited else "",
        "marks": marks,
        "notices": document_notices(
            document,
            on=timezone.localdate(),
            stops=stops_held(),
            readable=readable_ids(request.user),
        ),
        "has_pages": document.page_count > 1 or page.width > 0,
        "has_image": page.width > 0 and has_picture(document, page),
        "painted": paint(page.blocks, marks.main),
        "also": paint(page.blocks, marks.also),
        "blocks": show(page.text, page.blocks, [*marks.main, *marks.also]),
        "previous": page.number - 1,
        "next": page.number + 1 if page.number < document.page_count else 0,
    }
    return render(request, "chat/source.html", context)


def _record_opened(request: SignedInRequest, document: Document, **what: Any) -> None:
    """Log who opened a document, before it is sent."""
    with transaction.atomic():
        subject = f"document:{document.pk}"
        audit.record("source.opened", actor=request.user, subject=subject, payload=what)


def _answer_address(request: SignedInRequest, cited: Citation) -> str:
    """Return the address of the answer for its asker, or for a user it is shared with.

    Empty if there is no such conversation, or for an auditor, who came from the administration.
    """
    turn = cited.claim.turn
    thread = turn.conversation
    if thread is None or thread.deleted_at:
        return ""
    is_own = turn.user_id == request.user.pk
    if not is_own and (not thread.shared_at or may_read_every_turn(request.user)):
        return ""
    name = "chat:conversation" if is_own else "chat:shared"
    return f"{reverse(name, args=[thread.pk])}#turn-{turn.pk}"


def _kept(response: HttpResponseBase, document: Document) -> HttpResponseBase:
    """Let the reader's browser cache a response for a day; not if the collection is restricted."""
    if document.collection.searchers.exists():
        patch_cache_control(response, private=True, no_store=True)
    else:
        patch_cache_control(response, private=True, max_age=A_DAY_S)
    return response


def _opened(sha256: str) -> IO[bytes]:
    """Open a document's bytes. Raises Http404 and FilesUnavailable."""
    try:
        return open_document(sha256)
    except (OSError, FileDamaged) as error:
        raise Http404 from error
