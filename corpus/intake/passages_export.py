"""Export passages as JSON lines, for other systems and `manage.py import_chunks`."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from django.db import connection, transaction
from django.db.models import Q, QuerySet

from corpus.boxes import boxes_of
from corpus.intake.manifest import FIELDS
from corpus.models import Chunk, Document, Lifecycle, Page

CHUNKS_FETCHED = 500
PAGES_FETCHED = 20  # their blocks are large
Blocks = dict[int, list[dict[str, Any]]]  # by page


@dataclass(frozen=True)
class Choice:
    """Which indexed passages to export: those that fit every field. "" and None mean all."""

    collection: str = ""  # its slug
    sha256: str = ""
    in_force_on: datetime.date | None = None
    with_disabled: bool = False


def passages_counted(choice: Choice) -> int:
    """Return the number of lines of `passages_exported`. Runs one query."""
    return _chunks(choice).count()


def passages_exported(choice: Choice) -> Iterator[dict[str, Any]]:
    """Yield a JSON object for each passage, by the document's SHA-256 and in reading order.

    Runs two queries with cursors, holding one document's pages in memory. They see the database as
    it was at the first line.
    """
    with _snapshot():
        chunks = _chunks(choice).order_by("document__sha256", "index")
        chunks = chunks.select_related("document__collection", "document__superseded_by")
        rows = chunks.defer("search_vector").iterator(CHUNKS_FETCHED)
        stored = Page.objects.filter(document__in=_documents(choice))
        stored = stored.order_by("document__sha256", "number")
        read = stored.values_list("document_id", "number", "blocks").iterator(PAGES_FETCHED)
        pages = groupby(read, key=lambda row: row[0])  # also of documents without such passages
        for document, group in groupby(rows, key=lambda chunk: chunk.document):
            of_document = next(own for pk, own in pages if pk == document.pk)
            blocks = {number: blocks for _, number, blocks in of_document}
            described = _described(document)
            for chunk in group:
                yield _line(chunk, document, described, blocks)


@contextmanager
def _snapshot() -> Iterator[None]:
    """Give both cursors one snapshot of the database; the caller's, inside a transaction."""
    if connection.in_atomic_block:
        yield
        return
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
        yield


def _documents(choice: Choice) -> QuerySet[Document]:
    documents = Document.objects.filter(indexed_at__isnull=False)
    if choice.collection:
        documents = documents.filter(collection__slug=choice.collection)
    if choice.sha256:
        documents = documents.filter(sha256=choice.sha256)
    if choice.in_force_on:
        begun = Q(effective_from=None) | Q(effective_from__lte=choice.in_force_on)
        documents = documents.filter(begun, lifecycle=Lifecycle.PUBLISHED)
    return documents.order_by()


def _chunks(choice: Choice) -> QuerySet[Chunk]:
    chunks = Chunk.objects.filter(document__in=_documents(choice))
    return chunks if choice.with_disabled else chunks.filter(disabled_at=None)


def _line(
    chunk: Chunk, document: Document, described: dict[str, Any], blocks: Blocks
) -> dict[str, Any]:
    """Return a passage; `boxes` are [page, left, top, right, bottom] of each line, in points."""
    spans: dict[int, list[tuple[int, int]]] = {}
    for page, start, end in chunk.spans:
        spans.setdefault(page, []).append((start, end))
    return {
        "id": chunk.key,
        "url": document.source_url,
        "title": document.title,
        "section_path": chunk.section_path,
        "text": chunk.text,
        "source": document.issuer,
        "page": chunk.page,
        "boxes": [
            [page, *(round(float(value), 2) for value in box)]
            for page, on_page in spans.items()
            for box in boxes_of(blocks[page], on_page)
        ],
        "context": chunk.context,
        "spans": chunk.spans,
        "tokens": chunk.tokens,
        **({"disabled": chunk.disabled_reason or True} if chunk.disabled_at else {}),
        "document": described,
    }


def _described(document: Document) -> dict[str, Any]:
    """Return the document's metadata and lifecycle state, without blank values."""
    values = {key: getattr(document, key) for key in FIELDS if key not in ("title", "source_url")}
    values |= {
        "sha256": document.sha256,
        "filename": document.filename,
        "collection": document.collection.slug,
        "lifecycle": document.lifecycle,
        "superseded_by": document.superseded_by.sha256 if document.superseded_by else "",
        "withdrawn_reason": document.withdrawn_reason,
        "engine": document.engine,
    }
    dates = {key: str(value) for key, value in values.items() if isinstance(value, datetime.date)}
    return {key: value for key, value in (values | dates).items() if value}
