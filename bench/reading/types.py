"""The content of a page, in one form for a person's transcript and a reader's result."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from bench.reading.words import Words

FACTS = ("has_table", "has_boxes", "scanned", "unsure")  # yes or no for each page


class TruthError(ValueError):
    """A transcript that can't be used; the message names the place."""


class Kind(StrEnum):
    HEADING = "heading"
    PARAGRAPH = "paragraph"
    LIST_ITEM = "list_item"
    TABLE = "table"
    CAPTION = "caption"
    FOOTNOTE = "footnote"
    BOX = "box"  # of a flow chart; a reader may take it for any kind of text block


@dataclass(frozen=True)
class Cell:
    """A cell with words. Rows and columns count from 0 within this page's part of the table."""

    row: int
    column: int
    words: Words
    rows: int = 1
    columns: int = 1
    is_header: bool = False

    @property
    def end(self) -> tuple[int, int]:
        return self.row + self.rows, self.column + self.columns


@dataclass(frozen=True)
class Block:
    """A block; the words of a table are those of its cells. `text` is empty in the truth."""

    kind: Kind
    words: Words
    level: int = 0  # of a heading, 1 is the highest
    cells: tuple[Cell, ...] = ()
    text: str = ""


@dataclass(frozen=True)
class TruePage:
    """A transcribed page of the document with this SHA-256. Words are hashed, see `hashing`."""

    document: str
    number: int  # from 1
    blocks: tuple[Block, ...]  # in the order a person reads them
    dropped: tuple[Words, ...]  # running headers and footers: no content of the page
    has_table: bool = False
    has_boxes: bool = False
    scanned: bool = False
    unsure: bool = False  # a careful person could read the page in two ways
