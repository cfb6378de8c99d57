"""What can be quoted of a passage: whole sentences, list items and table rows, with places.

A statement keeps the place of each of its parts. A sentence brings the headings that turn it round,
a list item the lines that introduce it, a table row its header, caption and the footnotes that it
is marked with: quoted without them it could say something else. What that is may not be told apart,
or a page break may have cut it: then it is no statement.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from core.text.sentences import sentence_spans
from corpus.statements.lead_ins import Leads, as_lead, introduction, limiting_headings
from corpus.statements.leads import binds_to_before
from corpus.statements.page_breaks import whole_statements
from corpus.statements.places import Piece, Place, Views, one_line
from corpus.statements.table_rows import caption_of, table_rows

# What no sentence ends on: a box of a chart that was read in part, such as `Give 10 mL every`.
_BROKEN_OFF = re.compile(
    r"\b(?:a|an|at|by|each|every|for|from|in|of|per|than|the|to|with)\s*$", re.IGNORECASE
)
MAX_CHARS = 240  # up to which sentences of one paragraph are quoted together

Span = tuple[int, int, int]  # page, start, end


@dataclass(frozen=True)
class Statement:
    """A quotable piece: the first piece is what is said, the others are what it depends on."""

    text: str  # as shown: a row with its labels, an item with its introduction
    pieces: tuple[Piece, ...]
    kind: str  # of the block that it stands in: `paragraph`, `list_item`, `table` ...
    caption: str = ""  # of the row's table
    table: int | None = None  # of a row: where its table starts on the page
    row: int | None = None  # 0-based, among all rows of that table

    @property
    def is_row(self) -> bool:
        return self.table is not None


def statements_of(
    passages: Iterable[tuple[Sequence[str], Sequence[Span]]], views: Views
) -> list[list[Statement]]:
    """Return the statements of each passage of a document, in order of reading.

    A passage is its section path and its spans; `views` are all pages of the document.
    """

    @lru_cache(maxsize=64)  # a long table is cut into many passages
    def of_block(page: int, position: int, path: tuple[str, ...]) -> tuple[Statement, ...]:
        return tuple(_of_block(Place(page, position, views), path))

    return [
        [
            one
            for page, start, end in spans
            for position, block in enumerate(views[page].blocks)
            if block["end"] > start and block["start"] < end
            for one in of_block(page, position, tuple(path))
            if start <= one.pieces[0].start and one.pieces[0].end <= end
        ]
        for path, spans in passages
    ]


def _of_block(at: Place, section_path: Sequence[str]) -> Iterator[Statement]:
    if at.block.get("table"):
        return _rows(at, section_path)
    return _sentences(at, section_path) if _says_something(at) else iter(())


def _says_something(at: Place) -> bool:
    """Tell whether a block says something by itself: no heading, and no caption of a table."""
    if at.kind == "caption":
        following = next(at.below(), None)
        return following is None or not following.block.get("table")
    return at.kind != "heading"


def _rows(at: Place, section_path: Sequence[str]) -> Iterator[Statement]:
    caption, start = caption_of(at), int(at.block["start"])
    for row in table_rows(at, section_path):
        shown = " ".join([*(as_lead(part.text) for part in row.leads), row.shown])
        yield Statement(one_line(shown), row.pieces, at.kind, caption, start, row.index)


def _sentences(at: Place, section_path: Sequence[str]) -> Iterator[Statement]:
    headings, above = limiting_headings(at, section_path), _introduction(at)
    if headings is None or above is None:
        return
    leads = (*headings, *above)
    offset = at.block["start"]
    for start, end in whole_statements(at, _spans(at.text)):
        said = at.piece(offset + start, offset + end)
        if _BROKEN_OFF.search(said.text):
            continue
        shown = " ".join([*(as_lead(part.text) for part in leads), said.text])
        yield Statement(one_line(shown), (said, *leads), at.kind)


def _introduction(at: Place) -> Leads | None:
    return introduction(at) if at.kind in ("paragraph", "list_item") else ()


def _spans(text: str) -> list[tuple[int, int]]:
    """Return spans of sentences, joined while they fit: a condition stays with what it limits."""
    spans: list[tuple[int, int]] = []
    for start, end in sentence_spans(text):
        fits = spans and end - spans[-1][0] <= MAX_CHARS
        if fits or (spans and binds_to_before(text[start:end])):
            spans[-1] = (spans[-1][0], end)
        else:
            spans.append((start, end))
    return spans
