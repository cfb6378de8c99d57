"""A table as somebody repairs it: cells that cover it without gaps, and the steps on them. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from core.errors import MedragError
from corpus.parsing.clean import clean_line, clean_lines
from corpus.parsing.geometry import union
from corpus.parsing.tables.printed import header_rows
from corpus.parsing.types import Cell

MAX_CELLS = 900  # a form of Django's has at most 1,000 fields
MAX_PLACES = 20_000  # that they cover
_CELL = re.compile(
    r"(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,4}(?:\+\d{1,4})*)?", re.ASCII
)


class BadTable(MedragError):
    """The table can't be changed in this way, or not be kept; nothing was stored."""

    code = "bad_table"


@dataclass(frozen=True, order=True)
class GridCell:
    """A cell; `origins` are the positions of the cells that it was made from."""

    row: int
    column: int
    rows: int = 1
    columns: int = 1
    text: str = ""
    origins: tuple[int, ...] = ()

    @property
    def place(self) -> str:
        return f"{self.row}.{self.column}"

    @property
    def shape(self) -> str:
        origins = "+".join(map(str, self.origins))
        return f"{self.place}.{self.rows}.{self.columns}.{origins}"


@dataclass(frozen=True)
class Grid:
    """The cells in order of row and column; the first `heads` rows name the columns."""

    cells: tuple[GridCell, ...]
    heads: int = 0

    @property
    def height(self) -> int:
        return max(cell.row + cell.rows for cell in self.cells)

    @property
    def width(self) -> int:
        return max(cell.column + cell.columns for cell in self.cells)

    @property
    def shape(self) -> str:
        """All of it but the texts, as `grid_posted` reads it."""
        return " ".join(cell.shape for cell in self.cells)

    @property
    def by_row(self) -> list[list[GridCell]]:
        """The cells that begin in each row."""
        return [[cell for cell in self.cells if cell.row == row] for row in range(self.height)]

    def at(self, row: int, column: int) -> GridCell:
        """Return the cell that covers a place."""
        return next(
            cell
            for cell in self.cells
            if cell.row <= row < cell.row + cell.rows
            and cell.column <= column < cell.column + cell.columns
        )


def grid_of(cells: Sequence[Cell]) -> Grid:
    """Return a read table for repair: gaps become empty cells, and no text is lost.

    A cell that lies over another is cut to one place, or its text added to the other's. Raises
    BadTable for one that is too large for a form.
    """
    if sum(cell.rows * cell.columns for cell in cells) > MAX_PLACES:
        raise _too_large()
    owners: dict[tuple[int, int], int] = {}
    made: list[GridCell] = []
    for index, cell in enumerate(cells):
        own = GridCell(cell.row, cell.column, cell.rows, cell.columns, cell.text, (index,))
        if (cell.row, cell.column) in owners:
            at = owners[cell.row, cell.column]
            text = " ".join(filter(None, (made[at].text, cell.text)))
            made[at] = replace(made[at], text=text, origins=(*made[at].origins, index))
            continue
        if any(place in owners for place in _places(own)):
            own = replace(own, rows=1, columns=1)
        owners |= dict.fromkeys(_places(own), len(made))
        made.append(own)
    height = max((row for row, _ in owners), default=0) + 1
    width = max((column for _, column in owners), default=0) + 1
    gaps = (GridCell(row, column) for row in range(height) for column in range(width))
    made += [cell for cell in gaps if (cell.row, cell.column) not in owners]
    return _checked(Grid(tuple(sorted(made)), header_rows(cells)))


def grid_posted(shape: str, *, texts: Sequence[str], heads: int) -> Grid:
    """Return the grid that a form shows. Raises BadTable unless its cells cover it exactly."""
    matches = [_CELL.fullmatch(part) for part in shape.split()]
    if not matches or len(matches) != len(texts) or len(matches) > MAX_CELLS or None in matches:
        raise _damaged()
    cells = []
    for match, text in zip(matches, texts, strict=True):
        *place, origins = match.groups() if match else ()
        row, column, rows, columns = map(int, place)
        known = tuple(map(int, origins.split("+"))) if origins else ()
        cells.append(GridCell(row, column, rows, columns, clean_lines(text), known))
    grid = Grid(tuple(sorted(cells)), heads)
    if sum(cell.rows * cell.columns for cell in cells) > MAX_PLACES:
        raise _damaged()
    covered = [place for cell in cells for place in _places(cell)]
    if len(covered) != len(set(covered)) or len(covered) != grid.height * grid.width:
        raise _damaged()
    return replace(grid, heads=min(max(heads, 0), grid.height - 1))


def grid_cells(grid: Grid, read: Sequence[Cell]) -> tuple[Cell, ...]:
    """Return the grid as a table's cells, each where the cells that it was made from stand.

    Raises BadTable for a table without text, or with a cell that is both a head and none.
    """
    if not any(clean_line(cell.text) for cell in grid.cells):
        raise BadTable(
            "Nothing was changed: the table is empty.",
            hint="Type what the page says, or disable the passages that quote it.",
        )
    if any(cell.row < grid.heads < cell.row + cell.rows for cell in grid.cells):
        raise BadTable(
            "Nothing was changed: a cell begins among the heads and reaches into the rows below.",
            hint="Split it, or change how many rows are heads.",
        )
    return tuple(_printed(cell, read, is_header=cell.row < grid.heads) for cell in grid.cells)


def _printed(cell: GridCell, read: Sequence[Cell], *, is_header: bool) -> Cell:
    boxes = [read[origin].box for origin in cell.origins if origin < len(read)]
    known = [box for box in boxes if box is not None]
    return Cell(
        cell.row, cell.column, clean_line(cell.text), cell.rows, cell.columns, is_header,
        union(known) if known else None,
    )  # fmt: skip


def row_added(grid: Grid, at: GridCell, *, above: bool) -> Grid:
    """Add an empty row next to a cell; cells that reach over the place grow."""
    where, like = (at.row, at.row) if above else (at.row + at.rows, at.row + at.rows - 1)
    kept = tuple(_pushed(cell, where, 1) for cell in grid.cells)
    taken = {place for cell in kept for place in _places(cell)}
    new = (
        GridCell(where, column, origins=grid.at(like, column).origins)
        for column in range(grid.width)
        if (where, column) not in taken
    )
    heads = grid.heads + (like < grid.heads and (above or where < grid.heads))
    return _checked(Grid(tuple(sorted((*kept, *new))), heads))


def row_removed(grid: Grid, at: GridCell) -> Grid:
    """Remove the row in which a cell begins; cells that reach over it shrink."""
    if grid.height == 1:
        raise BadTable("Nothing was changed: it is the only one.", hint="Change its words instead.")
    row = at.row
    kept = [
        replace(cell, row=cell.row - (cell.row > row), rows=cell.rows - (row in _span(cell)))
        for cell in grid.cells
        if cell.rows > 1 or cell.row != row
    ]
    heads = min(grid.heads - (row < grid.heads), grid.height - 2)
    return Grid(tuple(sorted(kept)), max(heads, 0))


def joined_below(grid: Grid, at: GridCell) -> Grid:
    """Join a cell to the one below, and to all that must come with them for a rectangle."""
    if at.row + at.rows >= grid.height:
        raise BadTable("Nothing was changed: no cell is there.", hint="Choose another cell.")
    parts = [at, grid.at(at.row + at.rows, at.column)]
    while True:
        whole = _together(parts)
        inside = set(_places(whole))
        grown = [cell for cell in grid.cells if not inside.isdisjoint(_places(cell))]
        if len(grown) == len(parts):
            break
        parts = grown
    kept = (cell for cell in grid.cells if cell not in parts)
    return replace(grid, cells=tuple(sorted((*kept, whole))))


def split_in_rows(grid: Grid, at: GridCell) -> Grid:
    """Split a cell at the lines of its text, one below the other.

    One that spans rows is split into these. Another is split into as many as it has lines, at
    least two, in rows of their own, which the cells beside it span.
    """
    lines = [line for line in at.text.split("\n") if line.strip()]
    count = at.rows if at.rows > 1 else max(len(lines), 2)
    more = count - at.rows
    lines = [*lines[: count - 1], " ".join(lines[count - 1 :])]
    parts = [
        replace(at, row=at.row + n, rows=1, text=lines[n] if n < len(lines) else "")
        for n in range(count)
    ]
    kept = [_split_beside(cell, at, more) for cell in grid.cells if cell != at]
    heads = grid.heads + (more if at.row < grid.heads else 0)
    return _checked(Grid(tuple(sorted((*kept, *parts))), heads))


def _split_beside(cell: GridCell, split: GridCell, more: int) -> GridCell:
    if more and split.row in _span(cell):
        return replace(cell, rows=cell.rows + more)
    return _pushed(cell, split.row + 1, more)


def _turned(step: Callable[..., Grid], grid: Grid, at: GridCell, **how: bool) -> Grid:
    """Do to columns what the step does to rows."""
    made = step(Grid(_over(grid.cells)), _over([at])[0], **how)
    return Grid(_over(made.cells), min(grid.heads, grid.height - 1))


def _over(cells: Iterable[GridCell]) -> tuple[GridCell, ...]:
    turned = (replace(c, row=c.column, column=c.row, rows=c.columns, columns=c.rows) for c in cells)
    return tuple(sorted(turned))


STEPS: dict[str, tuple[str, Callable[[Grid, GridCell], Grid]]] = {
    "right": ("Join with the right", lambda g, c: _turned(joined_below, g, c)),
    "below": ("Join with below", joined_below),
    "columns": ("Split side by side", lambda g, c: _turned(split_in_rows, g, c)),
    "rows": ("Split into rows", split_in_rows),
    "row_above": ("Add row above", lambda g, c: row_added(g, c, above=True)),
    "row_below": ("Add row below", lambda g, c: row_added(g, c, above=False)),
    "row_removed": ("Remove row", row_removed),
    "column_left": ("Add column left", lambda g, c: _turned(row_added, g, c, above=True)),
    "column_right": ("Add column right", lambda g, c: _turned(row_added, g, c, above=False)),
    "column_removed": ("Remove column", lambda g, c: _turned(row_removed, g, c)),
}


def grid_step(grid: Grid, step: str, *, place: str) -> Grid:
    """Take one of STEPS at the cell of a place. Raises BadTable where that can't be done."""
    at = next((cell for cell in grid.cells if cell.place == place), None)
    if at is None:
        raise BadTable("Nothing was changed: no cell is chosen.", hint="Choose a cell first.")
    return STEPS[step][1](grid, at)


def _together(parts: Sequence[GridCell]) -> GridCell:
    """Return the smallest cell over all parts, with their texts in order."""
    row, column = min(c.row for c in parts), min(c.column for c in parts)
    lowest = max(c.row + c.rows for c in parts)
    rightmost = max(c.column + c.columns for c in parts)
    texts = [part.text.strip() for part in sorted(parts)]
    origins = tuple(sorted({origin for part in parts for origin in part.origins}))
    return GridCell(
        row, column, lowest - row, rightmost - column, " ".join(filter(None, texts)), origins
    )


def _pushed(cell: GridCell, where: int, by: int) -> GridCell:
    """Return the cell after `by` rows came in at `where`."""
    if cell.row >= where:
        return replace(cell, row=cell.row + by)
    return replace(cell, rows=cell.rows + by) if where in _span(cell) else cell


def _span(cell: GridCell) -> range:
    return range(cell.row, cell.row + cell.rows)


def _places(cell: GridCell) -> list[tuple[int, int]]:
    columns = range(cell.column, cell.column + cell.columns)
    return [(row, column) for row in _span(cell) for column in columns]


def _checked(grid: Grid) -> Grid:
    if len(grid.cells) > MAX_CELLS or max(grid.height, grid.width) > MAX_CELLS:
        raise _too_large()
    return grid


def _too_large() -> BadTable:
    return BadTable(
        f"Nothing was changed: a table of more than {MAX_CELLS} cells can't be repaired here.",
        hint="Correct its cells one by one.",
    )


def _damaged() -> BadTable:
    return BadTable(
        "Nothing was changed: the table arrived incomplete.",
        hint="Open the page again and begin anew.",
    )
