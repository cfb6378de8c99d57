"""PDFs: docling-parse reads cells, RapidOCR what has no text layer, `layout` makes blocks of them.

Not docling's whole pipeline, because it stands in the way of what citations need: it hands pages on
one by one, while running headers, body size and heading levels show only over the whole document;
its assembly changes characters (quotes, bullets) and drops the boxes of lines; its layout stage
comes before OCR; and its stages load torch, which takes two seconds and 200 MB a file. With
docling's own weights at hand (`--docling-artifacts`) its pipeline runs, see `docling_models`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from corpus.parsing.clean import clean_line
from corpus.parsing.drafts import Draft, DraftTable, Sheet, place_draft, write_page
from corpus.parsing.layout.engine import lay_out
from corpus.parsing.layout.geometry import PageCells
from corpus.parsing.pdf.cells import CellReader
from corpus.parsing.pdf.render import Renderer
from corpus.parsing.pdf.scans import PictureReader, unsure_lines
from corpus.parsing.registry import Request, engine_name
from corpus.parsing.types import Page, ParsedDocument, ParseError

_METADATA = {"Title": "title", "Author": "author", "Subject": "subject", "CreationDate": "created"}


def parse_pdf(request: Request) -> ParsedDocument:
    """Return all pages. Raises ParseError."""
    renderer = Renderer(request.path)
    _check_count(renderer.page_count, request.max_pages)
    if request.docling_artifacts is not None:
        from corpus.parsing.pdf.docling_models import parse_with_models  # needs torch, so late

        return parse_with_models(request, renderer)
    cells = _read_pages(request, renderer)
    laid_out = lay_out(cells)
    pages = tuple(map(_page, cells, laid_out.pages))
    if len(pages) != renderer.page_count:
        raise ParseError(
            f"Only {len(pages)} of {renderer.page_count} pages could be read.",
            code="pages_missing",
            hint="Save the PDF again and upload it; nothing of it is used as it is.",
        )
    metadata = pdf_metadata(renderer)
    title = laid_out.title or metadata.get("title", "")
    return ParsedDocument(pages, engine_name(request.media_type), title=title, metadata=metadata)


def _page(cells: PageCells, drafts: Sequence[Draft | DraftTable]) -> Page:
    sheet = Sheet(cells.number, *cells.displayed_size, cells.ocr_confidence)
    page = write_page(sheet, [place_draft(draft, cells.displayed) for draft in drafts])
    unsure = [(cells.displayed(box), score) for box, score in cells.unsure]
    return replace(page, doubts=(*page.doubts, *cells.doubts, *unsure_lines(page, unsure)))


def _check_count(count: int, limit: int) -> None:
    if count == 0:
        raise ParseError(
            "The PDF has no pages.", code="pdf_empty", hint="Export it again from its source."
        )
    if count > limit:
        raise ParseError(
            f"The PDF has {count} pages; {limit} are allowed.",
            code="too_many_pages",
            hint="Split it, or ask for a higher limit.",
        )


def _read_pages(request: Request, renderer: Renderer) -> list[PageCells]:
    reader, pictures = CellReader(request.path), PictureReader(renderer)
    cells: list[PageCells] = []
    total = renderer.page_count
    request.on_page(0, total)
    for number in range(1, total + 1):
        cells.append(pictures.read(reader.read(number, renderer)))
        request.on_page(number, total)
    return cells


def pdf_metadata(renderer: Renderer) -> dict[str, str]:
    raw = renderer.metadata()
    facts = {name: clean_line(raw.get(key, ""))[:500] for key, name in _METADATA.items()}
    return {key: value for key, value in facts.items() if value}
