"""Turn a printed table's cells into the labels and rows that are searched and quoted. Pure.

Every row can be read alone: a cell that spans is repeated in each row and column that it covers,
the labels of header rows below each other are joined, and a row that is one label over the whole
width (`Children`) becomes a first column of the rows below it.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from core.language.en.statements.clauses import has_verb, is_imperative
from core.language.words import sentences, words
from corpus.parsing.types import Cell

# Not `>`, a dash or a slash: before a number they would change its meaning.
LABEL_JOINT = ", "
_MAX_GROUP_CHARS = 80
_LEAST_SAID = 3  # words of a sentence
_FIGURE = re.compile(r"^\W*\d")
_NOTHING = Cell(-1, -1, "")


@dataclass(frozen=True)
class Entry:
    """One text of a row, from the cells that make it up, the outermost first."""

    cells: tuple[Cell, ...] = ()

    @property
    def text(self) -> str:
        return LABEL_JOINT.join(cell.text for cell in self.cells)


@dataclass(frozen=True)
class ReadTable:
    """The labels of a table (empty if it has none) and its body rows, all of one length."""

    header: tuple[Entry, ...]
    rows: tuple[tuple[Entry, ...], ...]


def read_cells(cells: Sequence[Cell]) -> ReadTable:
    """Return the labels and rows of printed cells; empty for no cells.

    Rows without text are left out.
    """
    if not any(cell.text for cell in cells):
        return ReadTable((), ())
    width = max(cell.column + cell.columns for cell in cells)
    grid = [[_NOTHING] * width for _ in range(max(cell.row + cell.rows for cell in cells))]
    for cell in cells:
        for at in range(cell.row, cell.row + cell.rows):
            grid[at][cell.column : cell.column + cell.columns] = [cell] * cell.columns
    count = header_rows(cells)
    header = []
    for column in zip(*grid[:count], strict=True) if count else ():
        by_text: dict[str, Cell] = {}  # a repeated label counts once
        for cell in column:
            by_text.setdefault(cell.text, cell)
        header.append(Entry(tuple(cell for text, cell in by_text.items() if text)))
    groups = _groups(grid[count:], width)
    grouped = any(group is not None for group, _ in groups)
    rows = []
    for group, row in groups:
        whole = row[0].columns == width > 1  # its text is not repeated
        entries = tuple(
            Entry((cell,)) if cell.text and not (whole and at) else Entry()
            for at, cell in enumerate(row)
        )
        rows.append((group or Entry(), *entries) if grouped else entries)
    if header and grouped:
        header.insert(0, Entry())
    return ReadTable(tuple(header), tuple(row for row in rows if any(entry.text for entry in row)))


def header_rows(cells: Sequence[Cell]) -> int:
    """Return the number of rows at the top that are all labels; 0 if all rows are.

    The first row that holds what its columns have to say ends the labels.
    """
    height = max((cell.row + cell.rows for cell in cells), default=0)
    body = [cell.row for cell in cells if not cell.is_header]
    marked = min(body, default=height)
    count = next((row for row in range(marked) if _holds_content(cells, row)), marked)
    return count if count < height else 0


def _holds_content(cells: Sequence[Cell], row: int) -> bool:
    """Tell whether the cells of a row are texts, and no labels of those below.

    Half of them have several sentences, or a long one, and they are longer than the cells below.
    """
    own = [cell.text for cell in cells if cell.row == row and cell.text]
    below = [cell.text for cell in cells if cell.row > row and cell.text]
    if not own or 2 * sum(map(_is_content, own)) < len(own):
        return False
    return not below or sum(map(len, own)) * len(below) > sum(map(len, below)) * len(own)


def _is_content(text: str) -> bool:
    said = [part for part in sentences(text) if len(words(part)) >= _LEAST_SAID]
    is_long = len(text) > _MAX_GROUP_CHARS and (has_verb(text) or is_imperative(text))
    return len(said) > 1 or is_long


def with_header(cells: Sequence[Cell], count: int) -> tuple[Cell, ...]:
    """Return cells in order of row and column, the first `count` rows marked as labels.

    None are marked if the first row names the first of several sections, each below a bar.
    """
    labels = 0 if count and begins_with_section(cells, count) else count
    marked = (replace(cell, is_header=cell.row < labels) for cell in cells)
    return tuple(sorted(marked, key=lambda cell: (cell.row, cell.column)))


def begins_with_section(cells: Sequence[Cell], labels: int = 0) -> bool:
    """Tell whether a first row over all columns names a section, and not the whole table.

    Other rows over all columns (bars) must follow. The first row is a title if up to the next bar
    there are only labels: the `labels` rows, or one row without figures. Even then it names a
    section if a later section is as short, or has two bars above it.
    """
    width = max((cell.column + cell.columns for cell in cells), default=0)
    body = [cell for cell in cells if cell.text and not _is_bar(cell, width)]
    last = max((cell.row for cell in body), default=-1)
    bars = sorted(cell.row for cell in cells if _is_bar(cell, width) and cell.row < last)
    if len(bars) < 2 or bars[0] != 0:
        return False
    lengths = [below - bar - 1 for bar, below in itertools.pairwise([*bars, last + 1])]
    between = [cell for cell in body if max(labels, 1) <= cell.row < bars[1]]
    are_labels = not any(_FIGURE.search(cell.text) for cell in between)
    is_title = bars[1] <= max(labels, 1) or (bars[1] == 2 and are_labels)
    unlabelled = bars[1] - max(labels, 1)
    return not is_title or min(lengths[1:]) <= unlabelled


def label_rows(cells: Sequence[Cell], least: int = 1) -> int:
    """Return the number of rows at the top that are labels; `least` of them are known to be.

    A label over several rows adds all of them. A label over several columns adds the row below if
    only its columns are filled there, without figures.
    """
    width = max(cell.column + cell.columns for cell in cells)
    height = max(cell.row + cell.rows for cell in cells)
    tops = [cell for cell in cells if cell.row < least]
    count = max([least, *(cell.row + cell.rows for cell in tops)])
    spanned = {
        column
        for cell in tops
        if 1 < cell.columns < width
        for column in range(cell.column, cell.column + cell.columns)
    }
    below = [cell for cell in cells if cell.row == least and cell.text]
    hangs = bool(below) and all(
        cell.column in spanned and not _FIGURE.search(cell.text) for cell in below
    )
    count = max(count, least + 1) if spanned and hangs else count
    return count if count < height else least


def _groups(
    grid: Sequence[Sequence[Cell]], width: int
) -> list[tuple[Entry | None, Sequence[Cell]]]:
    """Return each row with the label over the whole width that it stands below, None for none.

    Labels right below each other are combined; a label with no row below it is itself a row.
    """
    groups: list[tuple[Entry | None, Sequence[Cell]]] = []
    last = max((at for at, row in enumerate(grid) if not _is_bar(row[0], width)), default=-1)
    stack: tuple[Cell, ...] = ()
    for at, row in enumerate(grid):
        if at < last and _is_bar(row[0], width):
            above = at > 0 and _is_bar(grid[at - 1][0], width)
            stack = (*stack, row[0]) if above else (row[0],)
        else:
            groups.append((Entry(stack) if stack else None, row))
    return groups


def _is_bar(cell: Cell, width: int) -> bool:
    """Tell whether a cell is a short label over all columns, and no note set into the table."""
    short = 0 < len(cell.text) <= _MAX_GROUP_CHARS and cell.text[-1] not in ".;"
    return width > 1 and cell.columns == width and cell.rows == 1 and short
