"""Types of a parsed document: pages of text, blocks on them, and the place of each line.

Offsets count Unicode code points of `Page.text`, half-open. Boxes are `(left, top, right, bottom)`
in points from the page's top left corner, y growing downwards.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from core.errors import MedragError
from corpus.parsing.doubts.grades import Grade, grade_of

Box = tuple[float, float, float, float]


class ParseError(MedragError):
    """A file that can't be read. `code` is stable, the message is for staff."""

    def __init__(self, message: str, *, code: str, hint: str = "", retryable: bool = False) -> None:
        super().__init__(message, hint=hint, retryable=retryable)
        self.code = code


def too_deep() -> ParseError:
    """Return the error of a file whose parts are nested too deeply."""
    return ParseError(
        "The file's parts are nested too deeply to be read.",
        code="too_deep",
        hint="Save it again in a simpler form, for example as a PDF, and upload that.",
    )


class BlockKind(StrEnum):
    HEADING = "heading"
    PARAGRAPH = "paragraph"
    LIST_ITEM = "list_item"
    TABLE = "table"
    CAPTION = "caption"
    FOOTNOTE = "footnote"
    CONTENTS = "contents"  # of a list of contents or an index: neither cut into passages nor quoted


@dataclass(frozen=True)
class Line:
    """A span of a block's text, and the box that it fills on the page."""

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
class Cell:
    """A cell as printed: its place in the table, how far it spans, and its box on the page.

    Rows and columns count from 0 over the whole printed table, header rows first.
    """

    row: int
    column: int
    text: str
    rows: int = 1
    columns: int = 1
    is_header: bool = False
    box: Box | None = None  # None for formats without geometry


@dataclass(frozen=True)
class Table:
    """A table's labels and rows. `header` is empty where the table has none.

    `header` and `rows` are searched and quoted. They have one label a column, and a cell that spans
    is repeated in each row and column that it covers. Labels below each other are joined by commas,
    and a label over the whole width becomes a first column of the rows below it. Part of a table
    that continues without labels has the labels of the part before in `header`, but not in the
    page's text. `cells` is the table as printed, in order of row and column.
    """

    header: tuple[str, ...]
    rows: tuple[Row, ...]
    caption: str = ""
    cells: tuple[Cell, ...] = ()


@dataclass(frozen=True)
class Block:
    """A paragraph, heading, list item or table: `page.text[start:end]`."""

    kind: BlockKind
    start: int
    end: int
    # Of a heading: 1 is the highest. Of a list item: 1 is the outermost, 0 unknown. 0 for all other
    # blocks.
    level: int = 0
    lines: tuple[Line, ...] = ()  # empty for formats without geometry
    table: Table | None = None
    continues: bool = False  # continues the last block of its kind on the page before


@dataclass(frozen=True)
class Doubt:
    """Something the parser was not sure of at `page.text[start:end]`, for the person who approves.

    `code` is stable; the message is a sentence for staff without text of the page. Without a span
    it is about the whole page. The grade is that of the code, until the words are known.
    """

    code: str
    message: str
    start: int = 0
    end: int = 0
    grade: Grade | None = None  # never None after its making

    def __post_init__(self) -> None:
        if self.grade is None:
            object.__setattr__(self, "grade", grade_of(self.code))


PAGE_ENOUGH = 0.97  # of a page's words: if fewer are found, somebody has to look at it
UNREADABLE_PAGE = "page_unreadable"  # the doubt of a page that could not be read
DOCUMENT_ENOUGH = 0.85  # of all words: with fewer each page must be looked at before publishing


@dataclass(frozen=True)
class WordsFound:
    """How many of a page's words were found in its blocks (`selfcheck/share.py`)."""

    found: int
    checked: int

    @property
    def share(self) -> float:
        """The share of words found, in [0, 1], higher is better; 1 for a page without words."""
        return self.found / self.checked if self.checked else 1.0


@dataclass(frozen=True)
class Page:
    """One page. `text` is the text of its blocks in reading order, joined by a newline."""

    number: int  # 1-based, physical
    text: str
    blocks: tuple[Block, ...]
    width: float = 0.0  # points; 0 for formats without geometry
    height: float = 0.0
    ocr_confidence: float | None = None  # [0, 1]; None where the text layer was read
    doubts: tuple[Doubt, ...] = ()
    words: WordsFound | None = None  # None where there is no text layer to compare with
    label: str = ""  # as the page calls itself (`ii`); empty if that is its number, or unknown
    running_lines: tuple[str, ...] = ()  # running headers and footers, which `text` leaves out


@dataclass(frozen=True)
class ParsedDocument:
    """All pages of a file, its metadata, and the engine that read it."""

    pages: tuple[Page, ...]
    engine: str  # names and versions; part of the fingerprint of derived rows
    title: str = ""
    metadata: dict[str, str] = field(default_factory=dict)
