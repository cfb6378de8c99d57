"""The rows of tables, which are what is searched and quoted, beside their cells. Pure."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from corpus.parsing.geometry import contains, middle
from corpus.parsing.selfcheck.areas import Area, unjoined
from corpus.parsing.selfcheck.plain import plain_texts
from corpus.parsing.types import Block, Box, Line, Page

_EDGE = 1.0  # points by which a cell may stand out of its row


def row_faults(page: Page, areas: Sequence[Area]) -> tuple[set[int], int]:
    """Return which cells (indexes of `areas`) no row of their table holds, and how many words of
    rows stand in none of the cells in their boxes.

    A cell that spans is repeated in each row that it covers, and labels are joined by commas.
    """
    lost: set[int] = set()
    added = 0
    for number, block in enumerate(page.blocks):
        cells = [i for i, area in enumerate(areas) if area.block == number and area.is_cell]
        if cells:
            of_table = _faults(page, block, {i: areas[i] for i in cells})
            lost |= of_table[0]
            added += of_table[1]
    return lost, added


def _faults(page: Page, block: Block, cells: dict[int, Area]) -> tuple[set[int], int]:
    texts = plain_texts([unjoined(page.text[line.start : line.end]) for line in block.lines])
    lost, added = set(cells), 0
    by_height = sorted((middle(cell.box)[1], i) for i, cell in cells.items())
    for line, text in zip(block.lines, texts, strict=True):
        first = bisect_left(by_height, (line.box[1] - _EDGE,))
        last = bisect_left(by_height, (line.box[3] + _EDGE, max(cells) + 1))
        here = [i for _, i in by_height[first:last] if _holds(line, cells[i].box)]
        words = _words(text)
        printed = {word for i in here for word in _words(cells[i].text)}
        lost -= {i for i in here if words.issuperset(_words(cells[i].text))}
        added += len(words - printed)
    return lost, added


def _holds(line: Line, cell: Box) -> bool:
    return contains(line.box, middle(cell), margin=_EDGE)


def _words(text: str) -> set[str]:
    return {word.rstrip(",") for word in text.split()} - {""}
