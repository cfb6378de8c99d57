"""The lines and cells of a page with their texts, and the printed words in each. Pure."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice, product

from corpus.parsing.geometry import contains, height, middle, union, width
from corpus.parsing.selfcheck.printed import PrintedWord, plain_texts
from corpus.parsing.types import Box, Page

_MARGIN = 0.5  # points by which a word may stand out of its line
_PARTS = 32  # parts of the page, across and down, by which areas are looked up
_MOST_NEAR = 50
_JOINTS = re.compile(r"\s*\|\s*")


@dataclass(frozen=True)
class Area:
    """A line of a block, or a cell of its table; `text` has the form of `plain_texts`."""

    block: int
    text: str
    box: Box
    is_cell: bool


def areas_of(page: Page) -> list[Area]:
    """Return all lines of text and cells of tables in order; lines for a table without cells."""
    parts: list[tuple[int, str, Box, bool]] = []
    for index, block in enumerate(page.blocks):
        cells = [cell for cell in block.table.cells if cell.box] if block.table else []
        parts += [(index, cell.text, cell.box, True) for cell in cells if cell.box]
        if not cells:
            parts += [
                (index, unjoined(page.text[line.start : line.end]), line.box, False)
                for line in block.lines
            ]
    texts = plain_texts([text for _, text, _, _ in parts])
    return [
        Area(block, text, box, is_cell)
        for (block, _, box, is_cell), text in zip(parts, texts, strict=True)
    ]


def words_by_area(areas: Sequence[Area], printed: Sequence[PrintedWord]) -> list[list[int]]:
    """Return the indexes of the words in each area, in the order of the file; each word once.

    Where boxes overlap, a word belongs to the area whose middle line is nearest to the word's
    middle, and of cells within cells to the smallest.
    """
    grid = _Grid(areas)
    held: list[list[int]] = [[] for _ in areas]
    for number, word in enumerate(printed):
        point = middle(word.box)
        near = grid.near(point)
        if near:
            held[near[0] if len(near) == 1 else _nearest(near, areas, point)].append(number)
    return held


class _Grid:
    """Areas by the parts of the page that they touch, to compare a word with few of them."""

    def __init__(self, areas: Sequence[Area]) -> None:
        self._areas = areas
        left, top, right, bottom = union([a.box for a in areas]) if areas else (0.0, 0.0, 0.0, 0.0)
        self._corner = left - _MARGIN, top - _MARGIN
        self._steps = (
            max((right - left + 2 * _MARGIN) / _PARTS, _MARGIN),
            max((bottom - top + 2 * _MARGIN) / _PARTS, _MARGIN),
        )
        self._cells: dict[tuple[int, int], list[int]] = defaultdict(list)
        for index, area in enumerate(areas):
            x0, y0, x1, y1 = area.box
            first = self._cell((x0 - _MARGIN, y0 - _MARGIN))
            last = self._cell((x1 + _MARGIN, y1 + _MARGIN))
            across, down = range(first[0], last[0] + 1), range(first[1], last[1] + 1)
            for cell in product(across, down):
                self._cells[cell].append(index)

    def near(self, point: tuple[float, float]) -> list[int]:
        """Return the indexes of areas around a point in order; only the first 50."""
        here = self._cells.get(self._cell(point), ())
        held = (i for i in here if contains(self._areas[i].box, point, margin=_MARGIN))
        return list(islice(held, _MOST_NEAR))

    def _cell(self, point: tuple[float, float]) -> tuple[int, int]:
        x, y = (
            int((at - begin) // step)
            for at, begin, step in zip(point, self._corner, self._steps, strict=True)
        )
        return x, y


def _nearest(near: Sequence[int], areas: Sequence[Area], point: tuple[float, float]) -> int:
    def distance(index: int) -> tuple[float, float, int]:
        box = areas[index].box
        across = 1 if width(box) >= height(box) else 0  # 0 for a line that runs up or down
        size = max(box[across + 2] - box[across], 1.0)
        off = round(abs(middle(box)[across] - point[across]) / size, 1)
        return 0.0 if areas[index].is_cell else off, width(box) * height(box), index

    return min(near, key=distance)


def unjoined(text: str) -> str:
    """Return a row's text without the joints (`|`) between its cells."""
    return _JOINTS.sub(" ", text)


def unboxed(page: Page) -> list[str]:
    """Return the words of blocks that are in none of the blocks' lines."""
    left_out: list[str] = []
    for block in page.blocks:
        at = block.start
        for line in sorted(block.lines, key=lambda item: item.start):
            left_out.append(page.text[at : max(at, line.start)])
            at = max(at, line.end)
        left_out.append(page.text[at : block.end])
    words = unjoined(" ".join(left_out)).split()
    return [word for word in words if word != ","]


_EDGE = 1.0  # points by which a cell may stand out of its row


def row_faults(page: Page, areas: Sequence[Area]) -> tuple[set[int], int]:
    """Return the cells missing in the rows of their tables, and the number of words added to rows.

    Cells are indexes of `areas`; a word is added if no cell in the row's box has it. A cell that
    spans is repeated in each row that it covers, and labels are joined by commas.
    """
    lost = {i for i, area in enumerate(areas) if area.is_cell}
    added = 0
    by_block: dict[int, list[tuple[float, int]]] = defaultdict(list)
    for i in lost:
        by_block[areas[i].block].append((middle(areas[i].box)[1], i))
    for number, by_height in by_block.items():
        by_height.sort()
        lines = page.blocks[number].lines
        texts = plain_texts([unjoined(page.text[line.start : line.end]) for line in lines])
        for line, text in zip(lines, texts, strict=True):
            first = bisect_left(by_height, (line.box[1] - _EDGE,))
            last = bisect_left(by_height, (line.box[3] + _EDGE, len(areas)))
            near = [i for _, i in by_height[first:last]]
            here = [i for i in near if contains(line.box, middle(areas[i].box), margin=_EDGE)]
            words = _words(text)
            printed = {word for i in here for word in _words(areas[i].text)}
            lost -= {i for i in here if words.issuperset(_words(areas[i].text))}
            added += len(words - printed)
    return lost, added


def _words(text: str) -> set[str]:
    return {word.rstrip(",") for word in text.split()} - {""}
