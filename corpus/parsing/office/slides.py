"""Read PowerPoint files by docling: a page for each slide."""

from __future__ import annotations

from typing import Any

from corpus.parsing.office.docling_documents import Slides, children_of, html_of, opened
from corpus.parsing.office.docling_losses import mark_slide
from corpus.parsing.office.html_tree import html_tree
from corpus.parsing.office.markup import first_heading, page_of
from corpus.parsing.office.package import damaged, too_many
from corpus.parsing.registry import Request, engine_name
from corpus.parsing.types import ParsedDocument, ParseError


def parse_pptx(request: Request) -> ParsedDocument:
    """Return a page for each slide, empty for a hidden one. Notes and footers are left out."""
    try:
        written = _written(request)
    except (MemoryError, RecursionError, ParseError):
        raise
    except Exception as error:  # whatever the libraries and those below them raise
        raise damaged() from error
    pages = tuple(page_of(html_tree(html), number) for number, html in enumerate(written, start=1))
    request.on_page(len(pages), len(pages))
    return ParsedDocument(pages, engine_name(request.media_type), title=first_heading(pages))


def _written(request: Request) -> list[str]:
    reader = opened(Slides, request.path)
    if reader.page_count() > request.max_pages:
        raise too_many(reader.page_count(), "slides", request.max_pages)
    for slide in reader.pptx_obj.slides:
        mark_slide(slide)
    document = reader.convert()
    slides = [group for group in children_of(document.body, document) if _is_slide(group)]
    return [_slide(group, document) for group in slides]


def _is_slide(group: Any) -> bool:
    return str(group.label.value) == "chapter"


def _slide(group: Any, document: Any) -> str:
    """Return a slide as HTML, its title first."""
    items = children_of(group, document)
    items.sort(key=lambda item: item.label.value != "title")
    return "".join(html_of(item, document) for item in items)
