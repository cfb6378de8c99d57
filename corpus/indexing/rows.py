"""Build database rows from parsed pages, passages and file metadata."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from django.core.exceptions import ValidationError

from core.language.detection import DEFAULT, base_of, language, prevailing
from corpus.chunking.cutting import Passage
from corpus.figures import figures_of
from corpus.filenames import title_from
from corpus.models import Chunk, Document, Page, PassageStatement
from corpus.parsing import serialise
from corpus.parsing.clean import clean_line
from corpus.parsing.types import Page as ParsedPage
from corpus.parsing.types import ParsedDocument
from corpus.statements import Statement

# What a file may say of itself, and where that goes when staff left it blank.
METADATA_FIELDS = {
    "source": "issuer",
    "url": "source_url",
    **{name: name for name in "journal licence year source_type language population".split()},
}

_PAGE = ("number", "text", "blocks", "width", "height", "ocr_confidence", "doubts")


def page_as_read(page: Page) -> ParsedPage:
    """Return a page as parsed, without corrections."""
    return _pages([{name: getattr(page, name) for name in _PAGE} | (page.as_read or {})])[0]


def pages_of(document: Document) -> tuple[ParsedPage, ...]:
    """Return the document's pages as quoted, in order. Runs one query."""
    return _pages(list(document.pages.order_by("number").values(*_PAGE)))


def _pages(raw: list[dict[str, Any]]) -> tuple[ParsedPage, ...]:
    whole = {"pages": raw, "engine": "", "title": "", "metadata": {}}
    return serialise.from_raw(whole).pages


def page_row(document: Document, page: ParsedPage) -> Page:
    blocks = [asdict(block) for block in page.blocks]
    doubts = [asdict(doubt) for doubt in page.doubts]
    size = {"width": page.width, "height": page.height}
    return Page(
        document=document,
        number=page.number,
        label=page.label,
        text=page.text,
        running_lines=list(page.running_lines),
        blocks=blocks,
        **size,
        ocr_confidence=page.ocr_confidence,
        doubts=doubts,
        figures=figures_of(page.text, blocks, doubts, **size),
        words_found=None if page.words is None else page.words.found,
        words_checked=None if page.words is None else page.words.checked,
    )


def chunk_rows(document: Document, passages: Sequence[Passage]) -> list[Chunk]:
    """Build the rows of passages."""
    return [
        Chunk(
            document=document,
            key=draft.key,
            index=draft.index,
            page=draft.page,
            position=passage.position,
            language=language(draft.text, default=base_of(document.language)),
            section_path=list(draft.section_path),
            context=draft.context,
            text=draft.text,
            spans=[list(span) for span in draft.spans],
            tokens=draft.tokens,
            twins=passage.twins,
        )
        for passage in passages
        for draft in (passage.draft,)
    ]


def statement_rows(chunk: Chunk, statements: Sequence[Statement]) -> list[PassageStatement]:
    """Build the rows of a saved passage's statements."""
    return [
        PassageStatement(
            chunk=chunk,
            index=index,
            kind=statement.kind,
            text=statement.text,
            pieces=[[piece.page, piece.start, piece.end, piece.text] for piece in statement.pieces],
            caption=statement.caption,
            table=statement.table,
            row=statement.row,
        )
        for index, statement in enumerate(statements)
    ]


def take_over(document: Document, parsed: ParsedDocument) -> None:
    """Adopt the file's metadata in fields where staff left the default."""
    title = clean_line(parsed.title)[:500]
    if title and document.title == title_from(document.filename):
        document.title = title
    for key, name in METADATA_FIELDS.items():
        value = clean_line(parsed.metadata.get(key, ""))
        if value and _is_default(document, name):
            with contextlib.suppress(ValidationError):  # what no form would accept is left out
                setattr(document, name, Document._meta.get_field(name).clean(value, None))  # type: ignore[union-attr]
    if document.language == DEFAULT and _is_default(document, "language"):
        document.language = prevailing(page.text for page in parsed.pages)
    document.page_count = len(parsed.pages)
    document.engine = parsed.engine[:300]


def _is_default(document: Document, name: str) -> bool:
    """Tell whether a field is blank or, before the first reading, has the model's default."""
    value = getattr(document, name)
    return not value or (not document.engine and value == getattr(Document(), name))
