"""Find the notes of tables that are printed as other text is. Pure.

A note in small print is known by that (`layout.paragraphs`). Any other text is one only if it
begins with a mark that a cell of the table above it carries.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile

from core.language.marks import begins_raised, cell_marks, cell_signs, note_mark
from corpus.parsing.types import BlockKind, Doubt, Page, Row

NOTE_MISSING = Doubt(
    "table_note_missing",
    "A sign in this row (*, † or ‡) refers to a note that was not found on this page or the next: "
    "the row may hold only for some. Compare it with the page.",
)
_TEXTS = (BlockKind.PARAGRAPH, BlockKind.LIST_ITEM)


@dataclass(frozen=True)
class Printed:
    """A block as printed, with a list's marker; the text of a table is its cells, line by line."""

    kind: BlockKind
    text: str
    page: int = 1
    continues: bool = False


def note_places(blocks: Sequence[Printed]) -> list[int]:
    """Return the places among a document's blocks of the texts that are notes of a table.

    They stand below it, before a heading or another table, on its page or right at the top of the
    next. A sign that several texts begin with is a bullet. Letters and figures count right below
    the table, where they are raised, or all of them marks of its cells: else they number a list.
    """
    places: list[int] = []
    marks: set[str] = set()
    for at, block in enumerate(blocks):
        if block.kind is BlockKind.TABLE:
            own = {mark for line in block.text.split("\n") for mark in cell_marks(line)}
            marks = own | (marks if block.continues else set())
            places += _notes_below(at, blocks, marks)
    return places


def doubt_notes(pages: Sequence[Page]) -> tuple[Page, ...]:
    """Return the pages with a doubt for each row that carries a sign explained nowhere.

    A note is sought on the row's page, and on the next pages as far as tables continue there.
    """
    marked = [_with_doubts(page, pages[at + 1 :]) for at, page in enumerate(pages)]
    return tuple(marked)


def _with_doubts(page: Page, following: Sequence[Page]) -> Page:
    signs = {row: marks for row in _rows(page) if (marks := _signs(row))}
    if not signs:
        return page
    explained = "\n".join(_explaining(page, following))
    doubts = [
        replace(NOTE_MISSING, start=row.start, end=row.end)
        for row, marks in signs.items()
        if not all(_explains(explained, mark) for mark in marks)
    ]
    return replace(page, doubts=(*page.doubts, *doubts))


def _rows(page: Page) -> list[Row]:
    return [row for block in page.blocks if block.table for row in block.table.rows]


def _signs(row: Row) -> set[str]:
    return {mark for cell in row.cells for mark in cell_signs(cell)}


def _explains(text: str, mark: str) -> bool:
    """Tell whether a line, a sentence or a clause of the text begins with a mark."""
    return bool(re.search(rf"(?:^|[\s(;,.:])(?<![*†‡]){re.escape(mark)}(?![*†‡])\s?\S", text, re.M))


def _explaining(page: Page, following: Sequence[Page]) -> Iterator[str]:
    """Yield the texts in which a note to a row of a page may stand; of rows, those it begins."""
    for at, here in enumerate((page, *following)):
        for block in here.blocks:
            if block.table is None:
                yield here.text[block.start : block.end]
        for row in _rows(here):
            yield from (cell for cell in row.cells if note_mark(cell))
        if at and not any(block.continues and block.table for block in here.blocks):
            return


def _notes_below(table: int, blocks: Sequence[Printed], marks: set[str]) -> Iterator[int]:
    ends = (BlockKind.TABLE, BlockKind.HEADING)
    below = range(table + 1, len(blocks))
    zone = list(takewhile(lambda at: blocks[at].kind not in ends, below))
    led = {at: note_mark(blocks[at].text) for at in zone}
    adjoining = list(takewhile(lambda at: led[at] or blocks[at].kind is BlockKind.FOOTNOTE, zone))
    on_page = [at for at in zone if at in adjoining or blocks[at].page == blocks[table].page]
    times = Counter(led[at] for at in on_page)
    raised = [at for at in adjoining if begins_raised(blocks[at].text)]
    numbers = {led[at] for at in adjoining if (led[at] or "-").isalnum()}
    for at in on_page:
        mark = led[at]
        if mark is None or blocks[at].kind not in _TEXTS:
            continue
        is_number = at in adjoining and mark.isalnum() and numbers <= marks
        if at in raised or is_number or (mark in marks and not mark.isalnum() and times[mark] == 1):
            yield at
