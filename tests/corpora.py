"""Small indexed documents from plain text, by the real chunker and encoder, without the parser.

    # heading    ## deeper heading    - list item    ^ footnote
    : caption
    | Header | of a table |
    | a row  | of it      |

Every other line is a paragraph. A line that holds only `---` begins a new page.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any

from django.db import connection
from django.utils import timezone

from corpus import statistics
from corpus.chunking import ChunkSettings, split
from corpus.embedding import get_embedder
from corpus.models import Chunk, Collection, Document, Job, JobState, Lifecycle, Stage
from corpus.parsing.types import Block, BlockKind, Page, Row, Table
from corpus.search_text import normalise
from corpus.twins import meaning_label

_KINDS = {"- ": BlockKind.LIST_ITEM, "^ ": BlockKind.FOOTNOTE, ": ": BlockKind.CAPTION}
SETTINGS = ChunkSettings(220, 40)


def pages_of(text: str) -> tuple[Page, ...]:
    """Pages with their blocks, as a parser makes them."""
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
    """A document in force and indexed, unless `fields` or `indexed` say otherwise.

    Its pages are those that a parser made, where they are given; else they are read from `text`.
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


def mark_indexed(document: Document) -> None:
    statistics.add(document.pk)
    document.indexed_at = timezone.now()
    document.save(update_fields=["indexed_at"])


def vectors_only(document: Document, vectors: Iterable[Sequence[float]]) -> None:
    """Chunks that hold nothing but a vector, for searches by vector alone."""
    Chunk.objects.bulk_create(
        Chunk(
            key=f"{document.sha256}_p1_c{index}",
            document=document,
            index=index,
            page=1,
            text=str(index),
            spans=[],
            tokens=1,
            embedding=vector,
        )
        for index, vector in enumerate(vectors)
    )


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
    vectors = embedder.encode([f"{draft.context}\n{draft.text}" for draft in drafts])
    for draft, vector in zip(drafts, vectors, strict=True):
        values = asdict(draft) | {"section_path": list(draft.section_path)}
        values["spans"] = [list(span) for span in draft.spans]
        label = meaning_label(
            draft.text,
            title=document.title,
            section_path=draft.section_path,
            population=document.population,
        )
        Chunk.objects.create(document=document, embedding=vector, twins=label, **values)
    _search_vectors(document)


def _search_vectors(document: Document) -> None:
    for chunk in document.chunks.all():
        with connection.cursor() as cursor:
            cursor.execute(
                "UPDATE corpus_chunk SET search_vector = v.tsv, length = (SELECT "
                "coalesce(sum(cardinality(positions)), 0) FROM unnest(v.tsv)) "
                "FROM (SELECT to_tsvector('english', %s) AS tsv) AS v WHERE id = %s",
                [normalise(f"{chunk.context}\n{chunk.text}"), chunk.pk],
            )


class _Draft:
    """A page while it is written: its text so far, and the blocks on it."""

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
