"""Index many short texts at once, published: for databases that only measure searches.

Uses the splitter, encoder and search vectors of every other document, but no upload, queue or
parser. Writes no files and sends no signals: never use it for a corpus that people search.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from corpus.chunking import ChunkDraft, CountTokens, split
from corpus.chunking.cutting import Passage, passages_of
from corpus.encoders import vectors as vector_tables
from corpus.encoders.batches import refuse_bad_vectors
from corpus.encoders.registry import embedder_of, encoder_facts, get_embedder
from corpus.encoders.types import Embedder
from corpus.indexing import statistics
from corpus.indexing.recipe import chunk_settings, fingerprint, site_recipe
from corpus.indexing.rows import chunk_rows, page_row
from corpus.models import Collection, Document, Lifecycle, Page
from corpus.parsing.clean import clean_line
from corpus.parsing.drafts import text_draft, write_page
from corpus.parsing.types import BlockKind
from corpus.parsing.types import Page as ParsedPage
from corpus.services.embedding import write_vectors
from corpus.services.passages import passages_write
from corpus.services.summaries import document_summarise, documents_to_summarise
from corpus.statements import STATEMENTS_VERSION

TOGETHER = 256  # documents cut, encoded and committed together


@dataclass(frozen=True)
class PlainDocument:
    """A text of one page, with paragraphs separated by newlines."""

    sha256: str
    name: str
    title: str
    text: str
    size_bytes: int


class Cut(Protocol):
    """Cuts a text into passages, in order, in place of the site's splitter."""

    def __call__(
        self, page: ParsedPage, *, title: str, sha256: str, count_tokens: CountTokens
    ) -> list[ChunkDraft]: ...


def documents_load(
    texts: Iterable[PlainDocument],
    *,
    collection: Collection,
    cut: Cut | None = None,
    on_progress: Callable[[int, int], None] = lambda documents, passages: None,
) -> None:
    """Index the documents not present yet, and recount the statistics of the whole index.

    Then makes missing summaries if the site makes any (MEDRAG_SUMMARIES). Commits as it goes, so
    that the next call continues an interrupted one. `cut` replaces the site's splitter.
    `on_progress` is called with the documents and passages made so far.
    """
    embedder = get_embedder()
    known = set(Document.objects.values_list("sha256", flat=True))
    waiting = [text for text in texts if text.sha256 not in known]
    passages = 0
    for start in range(0, len(waiting), TOGETHER):
        batch = waiting[start : start + TOGETHER]
        passages += _load(batch, collection, embedder, cut)
        on_progress(start + len(batch), passages)
    with transaction.atomic():
        statistics.recount()
    if settings.SUMMARIES != "none":
        for document in list(documents_to_summarise()):
            document_summarise(document)


def _load(
    batch: Sequence[PlainDocument],
    collection: Collection,
    embedder: Embedder,
    cut: Cut | None,
) -> int:
    recipe = site_recipe(encoder_facts())
    cut_up: list[tuple[Document, ParsedPage, list[Passage]]] = []
    for text in batch:
        document, page = _document(text, collection, recipe), _page(text)
        drafts = _drafts(document, page, embedder, cut)
        passages = passages_of(drafts, [page], title=document.title, population=document.population)
        cut_up.append((document, page, passages))
    # Outside the transaction; the encoder sorts by length, which pays over as many as these.
    drafts = [passage.draft for _, _, passages in cut_up for passage in passages]
    read = [f"{draft.context}\n{draft.text}" for draft in drafts]
    made = [(row, embedder_of(row).encode(read)) for row in vector_tables.searched()]
    with transaction.atomic():
        Document.objects.bulk_create(document for document, _, _ in cut_up)
        Page.objects.bulk_create(page_row(document, page) for document, page, _ in cut_up)
        rows = [row for document, _, passages in cut_up for row in chunk_rows(document, passages)]
        for _, vectors in made:
            refuse_bad_vectors(vectors, len(rows))
        passages_write(rows, [passage for _, _, passages in cut_up for passage in passages])
        write_vectors(rows, made)
        ids = [document.pk for document, _, _ in cut_up]
        Document.objects.filter(pk__in=ids).update(indexed_at=timezone.now())
    return len(rows)


def _document(text: PlainDocument, collection: Collection, recipe: str) -> Document:
    document = Document(
        sha256=text.sha256,
        filename=text.name[:255],
        media_type="text/plain",
        size_bytes=text.size_bytes,
        collection=collection,
        title=clean_line(text.title)[:500],
        lifecycle=Lifecycle.PUBLISHED,
        page_count=1,
        engine="loaded as text",
    )
    document.index_fingerprint = fingerprint(document, recipe)
    document.statements_version = STATEMENTS_VERSION
    return document


def _page(text: PlainDocument) -> ParsedPage:
    """Return a page of paragraphs; a text without any consists of its title."""
    lines = [clean_line(line) for line in (text.text or "").splitlines()]
    kept = [line for line in lines if line] or [clean_line(text.title) or text.name]
    return write_page(
        ParsedPage(1, "", ()), [text_draft(BlockKind.PARAGRAPH, line) for line in kept]
    )


def _drafts(
    document: Document, page: ParsedPage, embedder: Embedder, cut: Cut | None
) -> list[ChunkDraft]:
    if cut:
        about = {"title": document.title, "sha256": document.sha256}
        return cut(page, **about, count_tokens=embedder.count_tokens)
    return split(
        (page,),
        title=document.title,
        population="",
        sha256=document.sha256,
        settings=chunk_settings(embedder),
        count_tokens=embedder.count_tokens,
    )
