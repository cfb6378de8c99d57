"""Find the cells of a table without upright rules, by level rules and the distance of lines."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

from corpus.parsing.geometry import Word, height, middle, union
from corpus.parsing.layout.runs import lines_of, link_runs, rows_of
from corpus.parsing.lists import is_bullet
from corpus.parsing.tables.columns import Columns, WordGroup, find_columns, label_cells
from corpus.parsing.tables.grids import Grid, GridCell, Region, tight
from corpus.parsing.types import Box

_RULED_ROWS = 4
_INDENTED = 4.0  # points
_BLANK = 0.25  # font heights between words
_BROKEN = 12  # characters of a line that a cell's text runs over, at least
_DIGIT = re.compile(r"\d")
_STAGGERED = 0.3  # of a line's height shared with the line above, more than by tight leading


@dataclass(frozen=True)
class StripRow:
    """The words of one row by column. `spans` if one label stands over all columns."""

    cells: tuple[tuple[Word, ...], ...]
    box: Box
    spans: bool = False

    @property
    def filled(self) -> int:
        return sum(bool(words) for words in self.cells)

    def joined(self, row: StripRow) -> StripRow:
        cells = tuple(a + b for a, b in zip(self.cells, row.cells, strict=True))
        return StripRow(cells, union([self.box, row.box]), self.spans and row.spans)


def strip_grid(region: Region, words: Sequence[Word]) -> Grid:
    """Return the cells of a region, rows divided by level rules and by the distance of lines."""
    lines = [[word for run in row for word in run.words] for row in rows_of(link_runs(words))]
    columns = find_columns(region, lines)
    pieces = [columns.cut(line) for line in lines]
    count = _label_lines(region, pieces, columns.count)
    cells, depth = label_cells(pieces[:count], columns, region.rules)
    strips = (
        [line for line in pieces[count:] if top <= middle(line[0].box)[1] < bottom]
        for top, bottom in itertools.pairwise(region.ys)
    )
    bands = [strip for strip in strips if strip]  # lines of the body between level rules
    guessed = cut = False
    at = depth
    # Level rules divide rows if most bands are one line; else they divide groups of rows.
    is_ruled = len(bands) >= _RULED_ROWS and 2 * sum(len(band) == 1 for band in bands) >= len(bands)
    for band in bands:
        rows = [_row(line, columns.count) for line in band]
        if is_ruled:
            rows = [reduce(StripRow.joined, rows)]
        else:
            rows = _join_wrapped(rows, columns, labelled=count > 0)
            cut = cut or any(_may_be_cut(*pair, columns) for pair in itertools.pairwise(rows))
        rows, reaches = _grouped(rows, is_one_of=len(bands))
        guessed = guessed or any(reach.guessed for reach in reaches)
        cells += _cells(rows, reaches, columns.edges, at)
        at += len(rows)
    return Grid(tuple(cells), depth, guessed, cut)


def _label_lines(region: Region, pieces: Sequence[Sequence[WordGroup]], width: int) -> int:
    """Return how many lines are known to be labels: those above the first inner rule.

    Without such a rule: bold lines that are closer to each other than to the line below them; and
    where the first lines have labels over several columns, those and the line below, unless that
    is a row of values.
    """
    if len(region.ys) > 2:
        above = sum(middle(line[0].box)[1] < region.ys[1] for line in pieces)
        return above if 0 < above < len(pieces) else 0
    bold = sum(
        1
        for _ in itertools.takewhile(
            lambda line: all(word.bold for piece in line for word in piece.words), pieces
        )
    )
    if 1 < bold < len(pieces):
        boxes = [union(piece.box for piece in line) for line in pieces[: bold + 1]]
        *gaps, below = [low[1] - high[3] for high, low in itertools.pairwise(boxes)]
        if all(2 * max(gap, 0.0) < below for gap in gaps):
            return bold
    spanning = 0
    for line in pieces:
        if not any(1 < piece.right - piece.left < width for piece in line):
            break
        spanning += 1
    if not 0 < spanning < len(pieces) - 1:
        return 0
    return spanning if _has_values(pieces[spanning], above=pieces[0]) else spanning + 1


def _has_values(line: Sequence[WordGroup], *, above: Sequence[WordGroup]) -> bool:
    """Tell whether a line below labels is a row: less bold, or mostly figures if none is bold."""
    bold, is_label = (all(w.bold for p in each for w in p.words) for each in (above, line))
    figures = sum(any(_DIGIT.search(word.text) for word in piece.words) for piece in line)
    return not is_label if bold else 2 * figures > len(line)


def _row(line: Sequence[WordGroup], width: int) -> StripRow:
    cells: list[tuple[Word, ...]] = [()] * width
    for piece in line:
        cells[piece.left] += piece.words
    spans = len(line) == 1 and width > 1 and line[0].right - line[0].left > 1
    return StripRow(tuple(cells), union(piece.box for piece in line), spans)


def _join_wrapped(rows: Sequence[StripRow], columns: Columns, *, labelled: bool) -> list[StripRow]:
    """Join a line to the row above if it only continues some of that row's cells."""
    measured = rows if labelled else rows[1:]  # the first row may be labels: its gap is no measure
    gaps = [below.box[1] - row.box[3] for row, below in itertools.pairwise(measured)]
    # Lines with a smaller gap are of one row; no gap is smaller where all are alike.
    differ = bool(gaps) and max(gaps) - min(gaps) >= 0.3 * height(measured[0].box)
    close = (min(gaps) + max(gaps)) / 2 if differ else float("-inf")
    joined: list[StripRow] = []
    for row in rows:
        if joined and (_goes_on(joined[-1], row, close) or _is_cut(joined[-1], row, columns)):
            joined[-1] = joined[-1].joined(row)
        else:
            joined.append(row)
    return joined


def _goes_on(above: StripRow, row: StripRow, close: float) -> bool:
    gap = row.box[1] - above.box[3]
    if gap < -_STAGGERED * (row.box[3] - row.box[1]):
        return True  # cells of one row at slightly different heights
    few = row.filled <= max(1, len(row.cells) // 2)
    if gap >= 0.6 * (row.box[3] - row.box[1]) or not (few or gap < close):
        return False
    if row.spans or above.spans:
        first = next(words for words in row.cells if words)
        return row.spans and above.spans and first[0].text[0].islower()
    if any(words and not cell for words, cell in zip(row.cells, above.cells, strict=True)):
        return False
    return gap < close or not row.cells[0] or row.cells[0][0].text[0].islower()


def _is_cut(above: StripRow, row: StripRow, columns: Columns) -> bool:
    """Tell whether a line surely goes on with the row above: a sentence of a cell breaks off there.

    All cells of a row begin on one line, so none does on this one.
    """
    pairs = list(zip(above.cells, row.cells, strict=True))
    news = any(words and (not cell or words[0].text[0].isupper()) for cell, words in pairs)
    return not news and any(
        row.cells[at][0].text[0].islower()
        and not above.cells[at][0].text[0].islower()
        and _is_full(at, above, row, columns)
        for at in _reading_on(above, row)
    )


def _may_be_cut(above: StripRow, row: StripRow, columns: Columns) -> bool:
    """Tell whether a row may go on with the one above: a cell reads on, and has no room there.

    Where the row lacks cells that the one above has, a small letter is enough.
    """
    fewer = row.filled < above.filled
    on = [(at, row.cells[at][0].text[0].islower()) for at in _reading_on(above, row)]
    full = ((small, _is_full(at, above, row, columns)) for at, small in on)
    return any((small or fewer) if is_full else (small and fewer) for small, is_full in full)


def _reading_on(above: StripRow, row: StripRow) -> list[int]:
    """Return the columns in which no capital begins a row below a long line without a stop.

    Below a figure only a small letter reads on.
    """
    found = []
    for at, (cell, words) in enumerate(zip(above.cells, row.cells, strict=True)):
        if cell and words and not words[0].text[0].isupper() and not (above.spans or row.spans):
            text = lines_of(cell)[-1].text
            goes_on = text[-1].islower() or words[0].text[0].islower()
            if len(text) >= _BROKEN and text[-1] not in ".:;!?" and goes_on:
                found.append(at)
    return found


def _is_full(at: int, above: StripRow, row: StripRow, columns: Columns) -> bool:
    """Tell whether the first word of a cell had no room on the last line of the cell above."""
    last, word = lines_of(above.cells[at])[-1], row.cells[at][0]
    room = columns.extents[at][1] - last.box[2]
    return room < word.box[2] - word.box[0] + _BLANK * last.size


@dataclass(frozen=True)
class _Reach:
    """The rows of a band, half-open, for which a label in the first column holds."""

    top: int
    bottom: int
    words: tuple[Word, ...]
    guessed: bool = False


def _grouped(rows: list[StripRow], *, is_one_of: int) -> tuple[list[StripRow], list[_Reach]]:
    """Return the rows, and for each label in the first column the rows for which it holds.

    A row that has only the label of all rows is left out. A single label between rules holds for
    all rows there, wherever it stands. Otherwise the empty cells below a label are taken to belong
    to it, which is a guess.
    """
    labelled = [row for row in rows if row.cells[0]]
    alone = len(rows) >= 3 and len(labelled) == 1 and labelled[0].filled == 1
    if alone and labelled[0] is not rows[0]:
        rows = [row for row in rows if row is not labelled[0]]
        return rows, [_Reach(0, len(rows), labelled[0].cells[0])]
    if is_one_of > 1 and len(labelled) == 1 and not alone:
        return rows, [_Reach(0, len(rows), labelled[0].cells[0])]
    reaches: list[_Reach] = []
    for at, row in enumerate(rows):
        last = reaches[-1] if reaches else None
        if row.cells[0] or last is None or not last.words or _stands_alone(rows[last.top]):
            reaches.append(_Reach(at, at + 1, row.cells[0]))
        else:
            reaches[-1] = _Reach(last.top, at + 1, last.words, guessed=True)
    return rows, reaches


def _stands_alone(row: StripRow) -> bool:
    """Tell whether a row has only one cell: a label over the rows below it."""
    return row.spans or row.filled == 1


def _is_section(rows: Sequence[StripRow], at: int) -> bool:
    """Tell whether a row is a label over all columns, by its width, weight, indent or bullets."""
    row = rows[at]
    if row.spans:
        return True
    if row.filled != 1 or not row.cells[0] or at + 1 == len(rows) or not rows[at + 1].cells[0]:
        return False
    below = rows[at + 1].cells[0]
    bold = all(w.bold for w in row.cells[0]) and not all(w.bold for w in below)
    if is_bullet(below[0].text):
        return bold or not is_bullet(row.cells[0][0].text)
    return bold or below[0].box[0] - row.cells[0][0].box[0] > _INDENTED


def _cells(
    rows: Sequence[StripRow], reaches: Sequence[_Reach], edges: Sequence[float], start: int
) -> list[GridCell]:
    cells = []
    for reach in reaches:
        spans = reach.bottom - reach.top == 1 and _is_section(rows, reach.top)
        place = (edges[0], rows[reach.top].box[1], edges[1], rows[reach.bottom - 1].box[3])
        box = tight(reach.words, place)
        width = len(edges) - 1 if spans else 1
        tall = reach.bottom - reach.top
        cells.append(GridCell(start + reach.top, 0, reach.words, box, tall, width))
    wide = {cell.row for cell in cells if cell.columns > 1}
    for at, row in enumerate(rows, start=start):
        if at in wide:
            continue
        for column in range(1, len(edges) - 1):
            place = (edges[column], row.box[1], edges[column + 1], row.box[3])
            words = row.cells[column]
            cells.append(GridCell(at, column, words, tight(words, place)))
    return cells
