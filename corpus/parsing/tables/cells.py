"""A table's region to cells: which words stand in which row and column, and how far cells span."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from corpus.parsing.geometry import Word, union
from corpus.parsing.layout.joining import join_lines
from corpus.parsing.layout.runs import link_runs, merge_row, rows_of
from corpus.parsing.types import Box, Cell


@dataclass(frozen=True)
class GridCell:
    """Words of one printed cell, and where it stands in the table and on the page."""

    row: int
    column: int
    words: tuple[Word, ...]
    box: Box
    rows: int = 1
    columns: int = 1

    @cached_property
    def text(self) -> str:
        return cell_text(self.words)

    @property
    def bold(self) -> bool:
        return bool(self.words) and all(word.bold for word in self.words)

    def printed(self) -> Cell:
        return Cell(self.row, self.column, self.text, self.rows, self.columns, box=self.box)


@dataclass(frozen=True)
class Grid:
    """The cells of a table. `labels` rows from the top are known to be labels; 0: not known."""

    cells: tuple[GridCell, ...]
    labels: int = 0
    guessed_groups: bool = False  # a label was taken to hold for empty cells below it

    @property
    def height(self) -> int:
        return max((cell.row + cell.rows for cell in self.cells), default=0)

    @property
    def width(self) -> int:
        return max((cell.column + cell.columns for cell in self.cells), default=0)

    def row(self, number: int) -> list[GridCell]:
        return [cell for cell in self.cells if cell.row == number]


def cell_text(words: Sequence[Word]) -> str:
    """Return a cell's lines as one text."""
    lines = [merge_row(row) for row in rows_of(link_runs(words))] if words else []
    return join_lines([line.text for line in lines])


def tight(words: Sequence[Word], empty: Box) -> Box:
    """Return the box around words, or that of the empty place where there are none."""
    return union(word.box for word in words) if words else empty


def without_empty(grid: Grid) -> Grid:
    """Leave out rows and columns in which no text begins: they lie between double rules."""
    filled = [cell for cell in grid.cells if cell.words]
    rows = sorted({cell.row for cell in filled})
    columns = sorted({cell.column for cell in filled})
    kept = []
    for cell in grid.cells:
        inside = _within(rows, cell.row, cell.rows), _within(columns, cell.column, cell.columns)
        if all(inside):
            (row, height), (column, width) = ((found[0], len(found)) for found in inside)
            kept.append(replace(cell, row=row, column=column, rows=height, columns=width))
    return replace(
        grid,
        cells=tuple(sorted(kept, key=lambda cell: (cell.row, cell.column))),
        labels=sum(row < grid.labels for row in rows),
    )


def _within(kept: Sequence[int], start: int, count: int) -> range:
    """Return the new places of those kept among `count` old ones from `start`."""
    return range(bisect_left(kept, start), bisect_left(kept, start + count))
