"""Find tables by their ruling lines; the types of regions, grids and cells.

The rules are a grid of level and upright ones, or level ones alone (as printed in journals).
"""

from __future__ import annotations

import itertools
import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from corpus.parsing.geometry import (
    PageCells,
    Word,
    area,
    common,
    connected,
    contains,
    height,
    middle,
    overlap,
    union,
    width,
)
from corpus.parsing.layout.joining import join_lines
from corpus.parsing.layout.ordering import Item, has_gutter
from corpus.parsing.layout.runs import Line, lines_of, link_runs, rows_of
from corpus.parsing.layout.styles import CAPTION, is_title_of
from corpus.parsing.types import Box, Cell

_TOUCH = 3.0  # points between the ends of rules that still meet
_SAME = 4.0  # points between edges that count as one
_DRAWN = 0.25  # of a table's height: the least average length of its upright rules
_OPEN_ROW = 40.0  # points: the greatest height of a row without its outer rule
_LABELLED = 3  # columns under labels of their own, at least: two may be columns of prose
_SHARING = 2  # rows, at least, in which the text of a column begins at the same place
_PARTED = 4  # lines for each that has two cells, at most, in a table whose cells wrap
_PROSE_ROWS = 3  # at least, of text in columns
_LONG = 20  # characters of a line that goes on, more than
SHORT = 24  # characters of a value at most
_VALUE = re.compile(r"[<>≤≥~±≈(]?\s?\d|[-–—]$")
_GRAPH_PAPER = 2000  # cells: a grid with more, of which 1 in 20 has words, is graph paper


@dataclass(frozen=True)
class Region:
    """The place of a table, and its inner lines. `xs` is empty if no upright rule divides it."""

    box: Box
    xs: tuple[float, ...]  # column edges, outer ones too
    ys: tuple[float, ...]  # row edges, outer ones too
    rules: tuple[Box, ...]


def ruled_regions(page: PageCells) -> list[Region]:
    """Return the ruled tables of a page, from the top down, none of them inside another."""
    regions: list[Region] = []
    grids = _grids(page)
    for region in [*grids, *_level_only(page, grids)]:
        box = region.box
        shared = (common(box, other.box) for other in regions)
        if not any(part and area(part) > 0.5 * max(1.0, area(box)) for part in shared):
            regions.append(region)
    return sorted(regions, key=lambda region: (region.box[1], region.box[0]))


def are_drawn(region: Region) -> bool:
    """Tell whether upright rules divide the columns in more than a row or two."""
    left, top, right, bottom = region.box
    inner = [r for r in region.rules if _upright(r) and left + _SAME < r[0] < right - _SAME]
    drawn = sum(min(rule[3], bottom) - max(rule[1], top) for rule in inner)
    return drawn >= _DRAWN * (bottom - top) * (len(region.xs) - 2)


def without_title(region: Region, words: Sequence[Word]) -> Region:
    """Return a region without a first row that is the table's own title, as `Table 3 ...`."""
    if len(region.ys) < 4:
        return region
    left, _, right, bottom = region.box
    row = (left, region.ys[0], right, region.ys[1])
    lines = rows_of(link_runs([word for word in words if contains(row, middle(word.box))]))
    if not lines or not is_title_of(lines[0][0].text):
        return region
    return replace(region, box=(left, region.ys[1], right, bottom), ys=region.ys[1:])


def _grids(page: PageCells) -> list[Region]:
    regions = []
    for group in connected([rule.box for rule in page.rules], lambda box: box, _TOUCH):
        xs = distinct([box[0] for box in group if _upright(box)])
        ys = distinct([box[1] for box in group if not _upright(box)]) if len(xs) > 2 else []
        while len(ys) > 2 and _is_beside_bar(group, xs, (ys[0], ys[1]), page.words):
            del ys[0]
        while len(ys) > 2 and _is_beside_bar(group, xs, (ys[-2], ys[-1]), page.words):
            del ys[-1]
        if len(ys) < 3:
            continue
        left, _, right, _ = union(group)
        box = (left, ys[0], right, ys[-1])
        xs = _with_open_sides(xs, box, page.words)
        places_of = (middle(word.box) for word in page.words)
        inside = [place for place in places_of if contains(box, place)]
        filled = {(bisect_right(xs, x), bisect_right(ys, y)) for x, y in inside}
        places = (len(xs) - 1) * (len(ys) - 1)
        if places > _GRAPH_PAPER and len(filled) * 20 < places:
            continue
        if len({column for column, _ in filled}) >= 2 and len({row for _, row in filled}) >= 2:
            regions.append(Region(box, tuple(xs), tuple(ys), tuple(group)))
    return regions


def _with_open_sides(xs: list[float], box: Box, words: Sequence[Word]) -> list[float]:
    """Return column edges, with the ends of level rules that reach over words beyond the others."""
    sides = (box[0], box[1], xs[0], box[3]), (xs[-1], box[1], box[2], box[3])
    wide = [width(side) > _SAME for side in sides]
    filled = [any(contains(side, middle(word.box)) for word in words) for side in sides]
    left, right = (w and f for w, f in zip(wide, filled, strict=True))
    return [*([box[0]] if left else []), *xs, *([box[2]] if right else [])]


def _is_beside_bar(
    rules: Sequence[Box], xs: Sequence[float], band: tuple[float, float], words: Sequence[Word]
) -> bool:
    """Tell whether a row belongs to a bar that touches a table's side, and not to the table.

    Only two upright rules bound the row, close together at one end, and most words are outside
    them.
    """
    top, bottom = band
    tall = 0.5 * (bottom - top)
    drawn = [r[0] for r in rules if _upright(r) and overlap(r[1], r[3], top, bottom) > tall]
    row = (xs[0], top, xs[-1], bottom)
    inside = [middle(word.box)[0] for word in words if contains(row, middle(word.box))]
    edges = distinct(drawn)
    if len(edges) != 2 or edges[1] - edges[0] > 0.5 * (xs[-1] - xs[0]):
        return False
    if edges[0] > xs[0] + _SAME and edges[1] < xs[-1] - _SAME:
        return False
    return 2 * sum(edges[0] <= x <= edges[1] for x in inside) < len(inside)


def _upright(box: Box) -> bool:
    return height(box) > width(box)


def distinct(values: list[float]) -> list[float]:
    """Return values in rising order, without those within 4 points of one kept."""
    kept: list[float] = []
    for value in sorted(values):
        if not kept or value - kept[-1] > _SAME:
            kept.append(value)
    return kept


def _level_only(page: PageCells, grids: Sequence[Region]) -> list[Region]:
    """Find tables between level rules of equal length, such as those set with booktabs."""
    edge = 0.08 * page.height  # beyond it stand the rules of running headers and footers
    rules = [r.box for r in page.rules if r.horizontal and edge < r.box[1] < page.height - edge]
    free = (
        rule
        for rule in rules
        if not any(contains(grid.box, middle(rule), margin=1.0) for grid in grids)
    )
    level = sorted(free, key=lambda box: box[1])
    regions: list[Region] = []
    while level:
        first = level.pop(0)
        stack = [first]
        for box in list(level):
            if abs(box[0] - first[0]) > _SAME or abs(box[2] - first[2]) > _SAME:
                continue
            above = union(stack[-2:]) if len(stack) > 1 else None
            if not _is_tabular(page, union([stack[-1], box]), above):
                break
            stack.append(box)
            level.remove(box)
        if len(stack) >= 2:
            taken = [region.box for region in [*grids, *regions]]
            stack = [*_row_beyond(page, stack, taken, above=True), *stack]
            stack = [*stack, *_row_beyond(page, stack, taken, above=False)]
            box = union(stack)
            inner = [rule.box for rule in page.rules if contains(box, middle(rule.box), margin=1.0)]
            regions.append(Region(box, (), tuple(distinct([b[1] for b in stack])), tuple(inner)))
    candidates = [(region, rows_of(link_runs(_words_in(page, region.box)))) for region in regions]
    return [region for region, rows in candidates if len(rows) >= 2 and _are_cells(rows)]


def _are_cells(rows: Sequence[Sequence[Line]]) -> bool:
    """Tell whether most rows have two cells, or keep to columns that several rows share.

    Where the text of cells wraps, most lines have only one run.
    """
    parted = [row for row in rows if len(row) >= 2]
    if 2 * len(parted) > len(rows):
        return True
    lefts = [run.box[0] for row in parted for run in row]
    shared = [x for x in lefts if sum(abs(x - other) <= _SAME for other in lefts) >= _SHARING]
    edges = distinct(shared)
    keeping = sum(_keeps_to(row, edges) for row in rows)
    return len(edges) >= 2 and _PARTED * len(parted) >= len(rows) and 5 * keeping >= 4 * len(rows)


def _keeps_to(row: Sequence[Line], edges: Sequence[float]) -> bool:
    """Tell whether a row begins where a column does, and a lone run ends before the next column."""
    at = next((at for at, x in enumerate(edges) if abs(row[0].box[0] - x) <= _SAME), None)
    if at is None or len(row) > 1:
        return at is not None
    return at + 1 == len(edges) or row[0].box[2] < edges[at + 1]


def _row_beyond(
    page: PageCells, stack: Sequence[Box], taken: Sequence[Box], *, above: bool
) -> list[Box]:
    """Return the edge of a row outside the outer rule of a table; empty if there is none.

    Such a row is aligned like the row inside that rule. Rows that overlap `taken` are of other
    tables.
    """
    near, next_ = (stack[0], stack[1]) if above else (stack[-1], stack[-2])
    tall = min(abs(next_[1] - near[1]), _OPEN_ROW)
    edge = near[1] - tall if above else near[1] + tall
    top, bottom = sorted((near[1], edge))
    outside = (near[0], top, near[2], bottom)
    inside = (near[0], min(near[1], next_[1]), near[2], max(near[1], next_[1]))
    if any(overlap(top, bottom, box[1], box[3]) > 1 for box in taken):
        return []
    lefts = [[run.box[0] for run in link_runs(_words_in(page, box))] for box in (outside, inside)]
    alike = [x for x in set(map(round, lefts[0])) if any(abs(x - y) <= _SAME for y in lefts[1])]
    return [(near[0], edge, near[2], edge)] if len(alike) >= 2 else []


def _words_in(page: PageCells, box: Box) -> list[Word]:
    return [word for word in page.words if contains(box, middle(word.box))]


def _is_tabular(page: PageCells, box: Box, above: Box | None) -> bool:
    """Tell whether rows between two rules are cells, and no paragraph.

    `above` is what stands between the rules above, which may be labels.
    """
    rows = rows_of(link_runs(_words_in(page, box)))
    if not rows:
        return box[3] - box[1] < 8  # a double rule
    if any(_is_title(row) for row in rows):
        return False  # below the caption is another table
    if box[3] - box[1] > 0.8 * page.height:
        return False
    if is_prose(rows):
        return False
    tall = box[3] - box[1] > 0.3 * page.height
    if tall and has_gutter([Item(0, run.box) for row in rows for run in row]):
        labels = rows_of(link_runs(_words_in(page, above))) if above else []
        if not labels or not _are_labels(labels[-1], rows[0]):
            return False  # the text of two columns
    single = [row for row in rows if len(row) == 1 and width(row[0].box) > 0.7 * width(box)]
    return len(single) <= max(1, len(rows) // 3)


def is_prose(rows: Sequence[Sequence[Line]]) -> bool:
    """Tell whether rows are lines of text in columns: all filled, and most go on with the last.

    Where the text of cells wraps, some end before others.
    """
    widest = max(map(len, rows))
    full = [row for row in rows if len(row) == widest > 1]
    if len(full) < _PROSE_ROWS or 5 * len(full) < 4 * len(rows):
        return False
    return reads_on(full, least=0.5)


def reads_on(rows: Sequence[Sequence[Line]], *, least: float) -> bool:
    """Tell whether at least this share of lines continue with a small letter below a long one."""
    pairs = [
        (above.text, below.text)
        for row, next_row in itertools.pairwise(rows)
        for above, below in zip(row, next_row, strict=False)
    ]
    going_on = sum(
        below[0].islower() and above[-1] not in ".:;?!" and len(above) > _LONG
        for above, below in pairs
    )
    return going_on >= least * len(pairs)


def _is_title(row: Sequence[Line]) -> bool:
    text = row[0].text
    return CAPTION.match(text) is not None or (len(row) == 1 and is_title_of(text))


def _are_labels(row: Sequence[Line], below: Sequence[Line]) -> bool:
    """Tell whether a row labels the one below: three runs or more, one above each of its cells."""
    lefts = [run.box[0] for run in row]
    under = (any(abs(run.box[0] - x) <= _SAME for x in lefts) for run in below)
    return len(row) == len(below) >= _LABELLED and all(under)


@dataclass(frozen=True)
class GridCell:
    """The words of one printed cell, and its place in the table and on the page."""

    row: int
    column: int
    words: tuple[Word, ...]
    box: Box
    rows: int = 1
    columns: int = 1

    @cached_property
    def text(self) -> str:
        return join_lines([line.text for line in lines_of(self.words)] if self.words else [])

    @property
    def bold(self) -> bool:
        return bool(self.words) and all(word.bold for word in self.words)

    def printed(self) -> Cell:
        return Cell(self.row, self.column, self.text, self.rows, self.columns, box=self.box)


@dataclass(frozen=True)
class Grid:
    """The cells of a table; its first `labels` rows are known to be labels, 0 if unknown."""

    cells: tuple[GridCell, ...]
    labels: int = 0
    guessed_groups: bool = False  # a label was taken to hold for empty cells below it
    cut_rows: bool = False  # a row may go on with the text of the row above it

    @property
    def height(self) -> int:
        return max((cell.row + cell.rows for cell in self.cells), default=0)

    @property
    def width(self) -> int:
        return max((cell.column + cell.columns for cell in self.cells), default=0)

    def row(self, number: int) -> list[GridCell]:
        return [cell for cell in self.cells if cell.row == number]


def is_value(text: str) -> bool:
    """Tell whether a text is a number with its sign and unit, or a dash that stands for none."""
    return len(text) <= SHORT and _VALUE.match(text) is not None


def tight(words: Sequence[Word], empty: Box) -> Box:
    """Return the box around words, or `empty` if there are none."""
    return union(word.box for word in words) if words else empty


def without_empty(grid: Grid) -> Grid:
    """Return the grid without rows and columns in which no text begins, as between double rules."""
    filled = [cell for cell in grid.cells if cell.words]
    rows = sorted({cell.row for cell in filled})
    columns = sorted({cell.column for cell in filled})
    kept = []
    for cell in grid.cells:
        inside = _within(rows, cell.row, cell.rows), _within(columns, cell.column, cell.columns)
        if all(inside):
            (row, height), (column, width) = ((numbers[0], len(numbers)) for numbers in inside)
            kept.append(replace(cell, row=row, column=column, rows=height, columns=width))
    return replace(
        grid,
        cells=tuple(sorted(kept, key=lambda cell: (cell.row, cell.column))),
        labels=sum(row < grid.labels for row in rows),
    )


def _within(kept: Sequence[int], start: int, count: int) -> range:
    """Return the new indexes of those `kept` among `count` old indexes from `start`."""
    return range(bisect_left(kept, start), bisect_left(kept, start + count))
