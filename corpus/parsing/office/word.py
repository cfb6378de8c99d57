"""Read Word files by docling: one page, since a Word file has no pages until it is printed."""

from __future__ import annotations

from corpus.parsing.office.docling_documents import Word, html_of, opened
from corpus.parsing.office.html_tree import html_tree
from corpus.parsing.office.markup import document_of
from corpus.parsing.office.package import damaged, without_lost_links
from corpus.parsing.office.word_losses import mark_word
from corpus.parsing.registry import Request
from corpus.parsing.types import ParsedDocument, ParseError


def parse_docx(request: Request) -> ParsedDocument:
    """Return one page. Running headers are left out."""
    request.on_page(0, 1)
    try:
        html = _written(request)
    except (MemoryError, RecursionError, ParseError):
        raise
    except Exception as error:  # whatever the libraries and those below them raise
        raise damaged() from error
    return document_of(request, html_tree(html))


def _written(request: Request) -> str:
    reader = opened(Word, without_lost_links(request.path))
    mark_word(reader)
    document = reader.convert()
    return html_of(document.body, document)
