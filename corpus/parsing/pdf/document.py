"""Read PDFs: words and rules by PDFium, pictures by OCR, blocks by the layout engine.

Running headers, body size and heading levels show only over the whole document, so all pages are
read before any is laid out. With docling's own weights (`--docling-artifacts`) docling's pipeline
runs instead, see `docling_models`.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing, suppress
from dataclasses import replace

import pypdfium2.raw as raw
from pypdfium2 import PdfiumError

from corpus.filenames import is_filename, title_said
from corpus.parsing.clean import clean_line
from corpus.parsing.drafts import Draft, DraftTable, write_page
from corpus.parsing.geometry import PageCells
from corpus.parsing.layout.doubts import RAISED_UNSURE, SIGN_MISNAMED, TEXT_CUT, signs_mended
from corpus.parsing.layout.engine import lay_out
from corpus.parsing.office.markup import title_of
from corpus.parsing.pdf.annotations import unread
from corpus.parsing.pdf.cells import read_page
from corpus.parsing.pdf.render import Renderer
from corpus.parsing.pdf.scans import PictureReader, unsure_lines
from corpus.parsing.pdf.signs import Prints, misnamed
from corpus.parsing.pdf.struck import lines_at, struck_doubts
from corpus.parsing.registry import Request, engine_name
from corpus.parsing.selfcheck.pages import LeftOut, check_pages
from corpus.parsing.standing import NOT_IN_FORCE, is_said
from corpus.parsing.types import UNREADABLE_PAGE, Box, Doubt, Page, ParsedDocument, ParseError

A4 = (595.0, 842.0)  # points; the size of a page that does not tell its own
PAGE_UNREADABLE = Doubt(
    UNREADABLE_PAGE,
    "This page could not be read: nothing of it is searched. Look at it in the original file.",
)
# Of forms in XFA, whose pages only ask the reader to wait for Adobe Reader.
_STATEMENT = "if this message is not eventually replaced by the proper contents of the document"
_MAX_WORDS = 200  # of a placeholder, in whatever language; Adobe's English one has 80
_METADATA = {"Title": "title", "Author": "author", "Subject": "subject", "CreationDate": "created"}


def parse_pdf(request: Request) -> ParsedDocument:
    """Return the parsed document with all its pages and their labels. Raises ParseError."""
    renderer = Renderer(request.path)
    document = _parsed(request, renderer)
    doubts: tuple[Doubt, ...] = (unread("attached file"),) if renderer.has_attachments() else ()
    doubts += (NOT_IN_FORCE,) if is_said(renderer.bookmarks()) else ()
    first, *others = (replace(page, label=renderer.label(page.number)) for page in document.pages)
    return replace(document, pages=(replace(first, doubts=(*first.doubts, *doubts)), *others))


def _parsed(request: Request, renderer: Renderer) -> ParsedDocument:
    count, limit = renderer.page_count, request.max_pages
    if count == 0:
        raise ParseError(
            "The PDF has no pages.", code="pdf_empty", hint="Export it again from its source."
        )
    if count > limit:
        raise ParseError(
            f"The PDF has {count} pages; {limit} are allowed.",
            code="too_many_pages",
            hint="Split it, or ask for a higher number of pages in MEDRAG_PARSING.",
        )
    _refuse_forms(renderer)
    if request.docling_artifacts is not None:
        from corpus.parsing.pdf.docling_models import parse_with_models  # needs torch, so late

        return parse_with_models(request, renderer)
    pictures = PictureReader(renderer)
    prints = Prints()
    cells = _read_pages(request, renderer, pictures, prints)
    if all(PAGE_UNREADABLE in page.doubts for page in cells):
        raise ParseError(
            "None of the PDF's pages can be read.",
            code="pages_missing",
            hint="None of it is used. Save the PDF again and upload it.",
        )
    said = renderer.metadata()
    facts = {name: clean_line(said.get(key, ""))[:500] for key, name in _METADATA.items()}
    metadata = {key: value for key, value in facts.items() if value}
    named = title_said(metadata.get("title", ""))
    laid_out = lay_out(cells, named)
    hidden = [page.hidden for page in cells]
    left_out = list(map(LeftOut, laid_out.running, laid_out.labels, hidden))
    doubted = [
        [sign.box for sign in signs if not pictures.confirms(page.number, sign.around)]
        for page, signs in zip(cells, misnamed([page.signs for page in cells]), strict=True)
    ]
    read = map(_page, cells, laid_out.pages, doubted)
    whole = [
        replace(page, running_lines=lines)
        for page, lines in zip(read, laid_out.running_lines, strict=True)
    ]
    pages = check_pages(request.path, whole, left_out)
    is_name = is_filename(metadata.get("title", ""))
    title = laid_out.title or ("" if is_name else named) or title_of(pages) or named
    if prints.mended:
        noted = (*pages[0].doubts, signs_mended(prints.mended))
        pages = (replace(pages[0], doubts=noted), *pages[1:])
    return ParsedDocument(pages, engine_name(request.media_type), title=title, metadata=metadata)


def _refuse_forms(renderer: Renderer) -> None:
    """Raise ParseError (`pdf_xfa`) for a form whose content is not on its pages.

    Such a form is made by a program when it is opened (XFA 3.3, dynamic forms), and its one page
    names the program that is needed. Static forms, which have their content on pages, are read.
    """
    kind = renderer.form_type()
    is_form = kind in (raw.FORMTYPE_XFA_FULL, raw.FORMTYPE_XFA_FOREGROUND)
    if renderer.page_count != 1:
        return
    text = " ".join(_first_text(renderer).lower().split())
    short = len(text.split()) <= _MAX_WORDS
    if (short and _STATEMENT in text) or (is_form and short and "adobe" in text):
        raise ParseError(
            "The PDF is a form in Adobe's XFA format: its page holds only the request to wait, "
            "and its content is made when it is opened in Adobe Reader.",
            code="pdf_xfa",
            hint="Open it in Adobe Reader, print it to PDF, and upload that.",
        )


def _first_text(renderer: Renderer) -> str:
    """Return the text of the first page; empty for a damaged one, which its reader will refuse."""
    with suppress(ParseError, PdfiumError), closing(renderer.page(1).get_textpage()) as page:
        return str(page.get_text_range())
    return ""


def _page(cells: PageCells, drafts: Sequence[Draft | DraftTable], signs: Sequence[Box]) -> Page:
    width, height = (round(side, 2) for side in cells.displayed_size)
    blank = Page(cells.number, "", (), width, height, cells.ocr_confidence)
    page = write_page(blank, drafts)
    unsure = [(cells.displayed(box), score) for box, score in cells.unsure]
    parts = (cells, *cells.insets)
    raised = [part.displayed(box) for part in parts for box in part.raised]
    cut = [part.displayed(box) for part in parts for box in part.cut]
    doubts = (*page.doubts, *cells.doubts, *unsure_lines(page, unsure))
    doubts += (*lines_at(page, raised, RAISED_UNSURE), *lines_at(page, signs, SIGN_MISNAMED))
    doubts += (*lines_at(page, cut, TEXT_CUT), *struck_doubts(page, cells))
    return replace(page, doubts=doubts)


def _read_pages(
    request: Request, renderer: Renderer, pictures: PictureReader, prints: Prints
) -> list[PageCells]:
    """Return the cells of all pages; a page that can't be read is empty, with a doubt.

    Pages with signs that their fonts misname are read again once these are known.
    """
    cells: list[PageCells] = []
    total = renderer.page_count
    request.on_page(0, total)
    pages = {number: _read_page(renderer, number, prints) for number in range(1, total + 1)}
    prints.is_known = True
    for number, page in pages.items():
        page = _read_page(renderer, number, prints) if number in prints.pages else page
        cells.append(
            page
            if PAGE_UNREADABLE in page.doubts
            else replace(pictures.read(page), notes=page.notes, gone=page.gone)
        )
        request.on_page(number, total)
    return cells


def _read_page(renderer: Renderer, number: int, prints: Prints) -> PageCells:
    try:
        return read_page(renderer.page(number), number, prints)
    except MemoryError:
        raise
    except Exception:  # noqa: BLE001  whatever a damaged page makes a library raise
        return PageCells(number, *A4, (), doubts=(PAGE_UNREADABLE,))
