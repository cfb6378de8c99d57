"""Find the tables of a page, ruled ones and those of aligned cells only, and draft them."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from core.language.en.quantities.units import UNIT, unit_of
from corpus.parsing.drafts import DraftTable
from corpus.parsing.geometry import PageCells, Word, contains, middle
from corpus.parsing.layout.runs import STRETCHED, Line, lines_of
from corpus.parsing.tables.grids import (
    Grid,
    GridCell,
    Region,
    are_drawn,
    is_value,
    ruled_regions,
    without_empty,
    without_title,
)
from corpus.parsing.tables.lattices import lattice_grid
from corpus.parsing.tables.printed import header_rows, label_rows, with_header
from corpus.parsing.tables.shaded import shaded_regions
from corpus.parsing.tables.strips import strip_grid
from corpus.parsing.types import Box, Doubt

GUESSED_GROUPS = Doubt(
    "table_groups_guessed",
    "Empty cells at the left of this table were taken to belong to the label above them. Check "
    "that each row stands in its group.",
)
VALUES_TOGETHER = Doubt(
    "values_in_one_cell",
    "A cell of this table holds values that stand apart or on the lines of several rows: they may "
    "be of other columns or rows. Compare the table with the page, and correct it if they are.",
)
ROWS_UNSURE = Doubt(
    "table_rows_unsure",
    "A row of this table may be the rest of the row above it: its lines stand as close. Compare "
    "the rows with the page, and correct them if they are cut.",
)
BY_ALIGNMENT = Doubt(
    "table_by_alignment",
    "This was taken for a table only because its text stands in columns. Check its rows.",
)
_VALUE = re.compile(rf"\d[\d.,]*({UNIT})")
_DIGIT = re.compile(r"\d")
_READS_ON = re.compile(r"\d.*(?:\b(?:to|and|or)|[<>≤≥/–-])$")  # `> 4 weeks to`, of a broken range


@dataclass(frozen=True)
class FoundTable:
    """A table, and the words of the page that belong to it."""

    draft: DraftTable
    box: Box
    words: frozenset[int]  # ids of the words
    lines: tuple[Line, ...]  # as printed, in case the table turns out to be a figure
    bold_labels: bool = False

    def with_caption(self, caption: str) -> FoundTable:
        return replace(self, draft=replace(self.draft, caption=caption))

    def with_doubt(self, doubt: Doubt) -> FoundTable:
        return replace(self, draft=replace(self.draft, doubts=(*self.draft.doubts, doubt)))


def find_ruled(page: PageCells) -> list[FoundTable]:
    """Return the tables of a page that are drawn with rules, and those with shaded columns."""
    tables = []
    ruled = [without_title(region, page.words) for region in ruled_regions(page)]
    shaded = shaded_regions(page, [region.box for region in ruled])
    for region in [*ruled, *shaded]:
        words = [word for word in page.words if contains(region.box, middle(word.box), margin=1.0)]
        table = build_table(region, words)
        if table is not None:
            tables.append(table.with_doubt(BY_ALIGNMENT) if region in shaded else table)
    return tables


def build_table(
    region: Region, words: Sequence[Word], *, announced: bool = True
) -> FoundTable | None:
    """Return the table in `region`; None if it has fewer than two columns or rows.

    Two columns without rules or a caption are names and values, unless their labels are bold.
    """
    if not words:
        return None
    ruled = len(region.xs) >= 3 and are_drawn(region)
    grid = without_empty(lattice_grid(region, words) if ruled else strip_grid(region, words))
    if grid.height < 2 or grid.width < 2:
        return None
    count = grid.labels if grid.labels < grid.height else 0
    if not count and (ruled or len(region.ys) <= 2):
        count = _label_rows(grid, plain=announced or grid.width > 2)
    elif count:
        count = label_rows([cell.printed() for cell in grid.cells], count)
    cells = with_header([cell.printed() for cell in grid.cells], count)
    count = header_rows(cells)
    together = any(map(_holds_values, grid.cells))
    doubts = (
        (GUESSED_GROUPS, grid.guessed_groups),
        (VALUES_TOGETHER, together),
        (ROWS_UNSURE, grid.cut_rows),
    )
    draft = DraftTable(cells, doubts=tuple(doubt for doubt, is_there in doubts if is_there))
    bold = count > 0 and all(cell.bold for cell in grid.cells if cell.row < count and cell.words)
    return FoundTable(draft, region.box, frozenset(map(id, words)), tuple(lines_of(words)), bold)


def _holds_values(cell: GridCell) -> bool:
    """Tell whether a cell holds values far apart on one line, or of several rows one per row."""
    lines = lines_of(cell.words) if cell.words else []
    values = [is_value(line.text) for line in lines]
    reads_on = any(_READS_ON.search(line.text) for line in lines[:-1])
    if 1 < cell.rows == len(lines) and all(values) and not reads_on:
        return True
    return any(_are_values_apart(line) for line in lines)


def _are_values_apart(line: Line) -> bool:
    parts = [[line.words[0]]]
    for before, word in itertools.pairwise(line.words):
        if word.box[0] - before.box[2] >= STRETCHED * max(before.size, word.size):
            parts.append([])
        parts[-1].append(word)
    return len(parts) > 1 and all(is_value(Line(tuple(part)).text) for part in parts)


def _label_rows(grid: Grid, *, plain: bool) -> int:
    """Return how many rows at the top look like labels.

    They are bold above rows that are not or, if `plain`, have figures in at most half of their
    cells.
    """
    rows = [[cell for cell in grid.row(at) if cell.words] for at in range(grid.height)]
    bold = [bool(row) and all(cell.bold for cell in row) for row in rows]
    printed = [cell.printed() for cell in grid.cells]
    count = label_rows(printed)
    if bold[0] and not all(bold[: count + 1]):
        return count
    if not plain or (not bold[0] and all(row[0].bold for row in rows if row)):
        return 0  # names and values
    first = rows[0]
    figures = sum(bool(_DIGIT.search(cell.text)) for cell in first)
    filled = sum(cell.columns for cell in first) >= grid.width - (first[0].column == 1)
    if count == 1 and any(_is_value(cell, grid.row(1)) for cell in first):
        return 0
    return count if filled and figures * 2 <= len(first) else 0


def _is_value(cell: GridCell, below: Sequence[GridCell]) -> bool:
    """Tell whether a cell is an amount, as that of its column below it is: `250 mg` over `5 mg`."""
    same_column = (other.text for other in below if other.column == cell.column)
    own = _kind_of_value(cell.text)
    return own is not None and any(_kind_of_value(text) == own for text in same_column)


def _kind_of_value(text: str) -> tuple[str, bool] | None:
    """Return what an amount at the beginning of a text measures; None without one.

    A weight in kg is no dose in mg.
    """
    match = _VALUE.match(text)
    return (unit_of(match[1].strip(" -"))[0], "kg" in match[1]) if match else None
