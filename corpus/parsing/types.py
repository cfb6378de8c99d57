"""What a parser makes of a file: pages of text, blocks on them, and where each line stands.

Offsets count Unicode code points of `Page.text`, half-open. Boxes are `(left, top, right, bottom)`
in points from the page's top left corner, y growing downwards.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from corpus.errors import MedragError

Box = tuple[float, float, float, float]


class ParseError(MedragError):
    """A file that can't be read. `code` is stable, the message is for staff."""

    def __init__(self, message: str, *, code: str, hint: str = "", retryable: bool = False) -> None:
        super().__init__(message, hint=hint, retryable=retryable)
        self.code = code


class BlockKind(StrEnum):
    HEADING = "heading"
    PARAGRAPH = "paragraph"
    LIST_ITEM = "list_item"
    TABLE = "table"
    CAPTION = "caption"
    FOOTNOTE = "footnote"


@dataclass(frozen=True)
class Line:
    """A run of a block's text and the box that it fills on the page."""

    start: int
    end: int
    box: Box


@dataclass(frozen=True)
class Row:
    """One body row of a table; `page.text[start:end]` is its cells joined by ` | `."""

    start: int
    end: int
    cells: tuple[str, ...]


@dataclass(frozen=True)
class Table:
    """A table's labels and rows. `header` is empty where the table has none."""

    header: tuple[str, ...]
    rows: tuple[Row, ...]
    caption: str = ""


@dataclass(frozen=True)
class Block:
    """A paragraph, heading, list item or table: `page.text[start:end]`."""

    kind: BlockKind
    start: int
    end: int
    level: int = 0  # 1 is the highest heading; 0 for what is no heading
    lines: tuple[Line, ...] = ()  # empty for formats without geometry
    table: Table | None = None


@dataclass(frozen=True)
class Page:
    """One page. `text` is the text of its blocks in reading order, joined by a newline."""

    number: int  # 1-based, physical
    text: str
    blocks: tuple[Block, ...]
    width: float = 0.0  # points; 0 for formats without geometry
    height: float = 0.0
    ocr_confidence: float | None = None  # [0, 1]; None where the text layer was read


@dataclass(frozen=True)
class ParsedDocument:
    """All pages of a file, what the file says of itself, and which engine read it."""

    pages: tuple[Page, ...]
    engine: str  # names and versions; part of the fingerprint of what is derived
    title: str = ""
    metadata: dict[str, str] = field(default_factory=dict)
