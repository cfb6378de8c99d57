"""Make small indexed documents from text, by the real chunker and encoder, without the parser.

    # heading    ## deeper heading    - list item    ^ footnote
    : caption
    | Header | of a table |
    | a row  | of it      |

Every other line is a paragraph. A line that holds only `---` begins a new page.
"""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace
from functools import lru_cache
from typing import Any

import numpy as np
from django.db import connection
from django.utils import timezone

from core.language.configurations import configuration_of
from corpus.chunking import ChunkSettings, split
from corpus.chunking.cutting import passages_of
from corpus.encoders import vectors
from corpus.encoders.query_cache import QueryCache
from corpus.encoders.registry import get_embedder, searched_rows
from corpus.encoders.types import Embedder, Vectors
from corpus.indexing import search_vectors, statistics
from corpus.indexing.rows import chunk_rows
from corpus.models import Chunk, Collection, Document, Encoder, Job, JobState, Lifecycle, Stage
from corpus.parsing.types import Block, BlockKind, Page, Row, Table
from corpus.services.passages import passages_write
from corpus.statements import STATEMENTS_VERSION

_KINDS = {"- ": BlockKind.LIST_ITEM, "^ ": BlockKind.FOOTNOTE, ": ": BlockKind.CAPTION}
SETTINGS = ChunkSettings(220, 40)


def pages_of(text: str) -> tuple[Page, ...]:
    """Return pages with their blocks, as a parser makes them."""
    parts = text.strip().split("\n---\n")
    return tuple(_page(number, part) for number, part in enumerate(parts, start=1))


def shelf(slug: str = "general") -> Collection:
    defaults = {"name": slug.title(), "owner_name": f"Dr {slug}", "owner_contact": "4417"}
    return Collection.objects.get_or_create(slug=slug, defaults=defaults)[0]


def publish(
    text: str,
    *,
    indexed: bool = True,
    collection: str = "general",
    pages: Sequence[Page] = (),
    **fields: Any,
) -> Document:
    """Publish and index a document, unless `fields` or `indexed` say otherwise.

    Its pages are `pages` where given, else read from `text`.
    """
    first_line = (text.strip() or "Untitled").splitlines()[0]
    title = str(fields.setdefault("title", first_line.lstrip("# ")))
    values: dict[str, Any] = {
        "sha256": hashlib.sha256(f"{title}\n{text}".encode()).hexdigest(),
        "filename": "guideline.md",
        "media_type": "text/markdown",
        "size_bytes": len(text.encode()),
        "collection": shelf(collection),
        "version": "1.0",
        "lifecycle": Lifecycle.PUBLISHED,
    }
    values["search_configuration"] = configuration_of(fields.get("language", "en"))
    document = Document.objects.create(**(values | fields))
    pages = pages or pages_of(text)
    Document.objects.filter(pk=document.pk).update(page_count=len(pages))
    for page in pages:
        blocks = [asdict(block) for block in page.blocks]
        document.pages.create(number=page.number, text=page.text, blocks=blocks, width=0, height=0)
    _chunks(document, pages)
    Job.objects.create(document=document, state=JobState.DONE, stage=Stage.INDEXED)
    if indexed:
        mark_indexed(document)
    return document


def cut_again(document: Document, text: str) -> None:
    """Replace the passages by those of the same text, as reading a document again does."""
    document.chunks.all().delete()
    _chunks(document, pages_of(text))


def mark_indexed(document: Document) -> None:
    statistics.add(document.pk)
    document.indexed_at = timezone.now()
    document.save(update_fields=["indexed_at"])


def vectors_only(document: Document, given: Iterable[Sequence[float]]) -> None:
    """Store chunks that hold nothing but a vector, for searches by vector alone."""
    made = np.asarray(list(given), dtype=np.float32)
    rows = Chunk.objects.bulk_create(
        Chunk(
            key=f"{document.sha256}_p1_c{index}",
            document=document,
            index=index,
            page=1,
            text=str(index),
            spans=[],
            tokens=1,
        )
        for index in range(len(made))
    )
    embed(rows, made)


def embed(chunks: Sequence[Chunk], made: Vectors) -> None:
    """Give chunks a vector of the primary encoder."""
    vectors.write(primary(), [chunk.pk for chunk in chunks], made)


def forget_vectors(chunk_ids: Iterable[int]) -> None:
    """Delete the chunks' vectors from the primary encoder's table."""
    with connection.cursor() as cursor:
        cursor.execute(f"DELETE FROM {primary().table} WHERE chunk_id = ANY(%s)", [list(chunk_ids)])


def vector_of(chunk: Chunk) -> Vectors:
    """Return the chunk's vector by the primary encoder."""
    return vectors.read(primary(), [chunk.pk])[chunk.pk]


def primary() -> Encoder:
    return searched_rows()[0]


def _chunks(document: Document, pages: Sequence[Page]) -> None:
    embedder = get_embedder()
    drafts = split(
        pages,
        title=document.title,
        population=document.population,
        sha256=document.sha256,
        settings=SETTINGS,
        count_tokens=embedder.count_tokens,
    )
    made = _remembered(embedder).vectors([f"{draft.context}\n{draft.text}" for draft in drafts])
    cut = passages_of(drafts, pages, title=document.title, population=document.population)
    passages = [replace(passage, position="") for passage in cut]  # as if it had pages
    rows = chunk_rows(document, passages)
    passages_write(rows, passages)
    Document.objects.filter(pk=document.pk).update(statements_version=STATEMENTS_VERSION)
    embed(rows, made)
    search_vectors.write(rows)


@lru_cache(maxsize=1)
def _remembered(embedder: Embedder) -> QueryCache:
    """Cache vectors: nearly every test publishes one of a few guidelines."""
    return QueryCache(embedder.encode, entries=4096)


class _Draft:
    """A page while it is written: its text so far, and its blocks."""

    def __init__(self) -> None:
        self.text = ""
        self.blocks: list[Block] = []

    def write(self, text: str) -> tuple[int, int]:
        self.text += "\n" if self.text else ""
        start = len(self.text)
        self.text += text
        return start, len(self.text)

    def block(self, kind: BlockKind, text: str, *, level: int = 0) -> None:
        start, end = self.write(text)
        self.blocks.append(Block(kind, start, end, level=level))

    def table(self, lines: Sequence[str]) -> None:
        cells = [tuple(cell.strip() for cell in line.strip("|").split("|")) for line in lines]
        places = [self.write(" | ".join(row)) for row in cells]
        rows = tuple(
            Row(start, end, row) for (start, end), row in zip(places[1:], cells[1:], strict=True)
        )
        block = Block(
            BlockKind.TABLE, places[0][0], places[-1][1], table=Table(header=cells[0], rows=rows)
        )
        self.blocks.append(block)


def _page(number: int, text: str) -> Page:
    draft = _Draft()
    lines = [line for line in text.splitlines() if line.strip()]
    position = 0
    while position < len(lines):
        line = lines[position]
        position += 1
        if line.startswith("|"):
            stop = position
            while stop < len(lines) and lines[stop].startswith("|"):
                stop += 1
            draft.table(lines[position - 1 : stop])
            position = stop
        elif line.startswith("#"):
            level = len(line) - len(line.lstrip("#"))
            draft.block(BlockKind.HEADING, line.lstrip("# "), level=level)
        else:
            kind = _KINDS.get(line[:2], BlockKind.PARAGRAPH)
            draft.block(kind, line[2:] if line[:2] in _KINDS else line)
    return Page(number=number, text=draft.text, blocks=tuple(draft.blocks))
