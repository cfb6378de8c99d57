"""Tables of a page as drafts: ruled ones, and rows of cells that are only aligned."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from corpus.parsing.drafts import DraftTable
from corpus.parsing.geometry import PageCells, Word, contains, middle, union
from corpus.parsing.layout.ordering import Item, has_gutter
from corpus.parsing.layout.runs import Line, link_runs, merge_row, rows_of, without
from corpus.parsing.layout.styles import CAPTION, is_sum
from corpus.parsing.tables.aligned import (
    aligned_stretches,
    is_marginal,
    looks_like_labels_and_cells,
    reads_on,
)
from corpus.parsing.tables.cells import Grid, without_empty
from corpus.parsing.tables.grids import Region, are_drawn, ruled_regions, without_title
from corpus.parsing.tables.lattices import lattice_grid
from corpus.parsing.tables.printed import header_rows, label_rows, with_header
from corpus.parsing.tables.strips import strip_grid
from corpus.parsing.types import Box, Doubt

GUESSED_GROUPS = Doubt(
    "table_groups_guessed",
    "Empty cells at the left of this table were taken to belong to the label above them. Check "
    "that each row stands in its group.",
)
BY_ALIGNMENT = Doubt(
    "table_by_alignment",
    "This was taken for a table only because its text stands in columns. Check its rows.",
)
IN_COLUMNS = Doubt(
    "text_in_columns",
    "This text stands in columns and may be a table; it was read line by line, from left to right.",
)
_DIGIT = re.compile(r"\d")
_MIN_ALIGNED_ROWS = 3


@dataclass(frozen=True)
class FoundTable:
    """A table and the words that it took from the page."""

    draft: DraftTable
    box: Box
    words: frozenset[int]  # ids of the words
    lines: tuple[Line, ...]  # as printed, should it turn out to be a figure
    bold_labels: bool = False

    def with_caption(self, caption: str) -> FoundTable:
        return replace(self, draft=replace(self.draft, caption=caption))

    def with_doubt(self, doubt: Doubt) -> FoundTable:
        return replace(self, draft=replace(self.draft, doubts=(*self.draft.doubts, doubt)))


def find_ruled(page: PageCells) -> list[FoundTable]:
    """Return the tables of a page that are drawn with rules."""
    found = []
    for region in map(without_title, ruled_regions(page), itertools.repeat(page.words)):
        words = [word for word in page.words if contains(region.box, middle(word.box), margin=1.0)]
        table = build_table(region, words)
        if table is not None:
            found.append(table)
    return found


def build_table(
    region: Region, words: Sequence[Word], *, announced: bool = True
) -> FoundTable | None:
    """Return the table in `region`, or None where it has fewer than two columns or rows.

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
    draft = DraftTable(cells, doubts=(GUESSED_GROUPS,) if grid.guessed_groups else ())
    lines = tuple(merge_row(row) for row in rows_of(link_runs(words)))
    bold = count > 0 and all(cell.bold for cell in grid.cells if cell.row < count and cell.words)
    return FoundTable(draft, region.box, frozenset(id(word) for word in words), lines, bold)


def _label_rows(grid: Grid, *, plain: bool) -> int:
    """Return how many rows look like labels: bold above what is not, or, where `plain`, with few
    figures."""
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
    return count if filled and figures * 2 <= len(first) else 0


def find_wordy(lines: Sequence[Line]) -> list[tuple[list[Line], FoundTable]]:
    """Return the unruled tables of words among all runs of a page, each with its runs.

    Their columns may be as long as those of prose, so they are taken out before text is ordered;
    only those with bold labels are, and those with a caption on a page of one column.
    """
    found = []
    for stretch in _stretches(lines):
        labelled = all(run.bold for run in stretch.rows[0])
        if not (labelled and looks_like_labels_and_cells(stretch.rows)):
            if not stretch.announced or reads_on(stretch.rows):
                continue
            if has_gutter([Item(0, line.box) for line in without(lines, stretch.runs)]):
                continue
        table = stretch.table()
        found += [(stretch.runs, table)] if table else []
    return found


def find_aligned(lines: Sequence[Line]) -> list[tuple[list[Line], FoundTable]]:
    """Return the unruled tables among the runs of one column of a page, each with its runs."""
    found = []
    for stretch in _stretches(lines):
        if any(is_sum(run.text) for run in stretch.runs):
            continue
        table = stretch.table()
        sure = stretch.announced or looks_like_labels_and_cells(stretch.rows)
        if table and (sure or _has_figures(table.draft)):
            found.append((stretch.runs, table))
    return found


def unsure_runs(lines: Sequence[Line]) -> list[Line]:
    """Return runs that keep to columns as cells do, where `find_aligned` took no table."""
    return [
        run
        for stretch in _stretches(lines)
        if len(stretch.rows) >= _MIN_ALIGNED_ROWS and not reads_on(stretch.rows)
        if stretch.table() is not None
        for run in stretch.runs
    ]


@dataclass(frozen=True)
class _Stretch:
    """Rows that stand in columns; `announced` by a caption right above them."""

    rows: list[list[Line]]
    announced: bool

    @property
    def runs(self) -> list[Line]:
        return [run for row in self.rows for run in row]

    def table(self) -> FoundTable | None:
        """Return the table that the rows are, in doubt without a caption."""
        box = union(run.box for run in self.runs)
        words = [word for run in self.runs for word in run.words]
        region = Region(box, (), (box[1], box[3] + 1), ())
        table = build_table(region, words, announced=self.announced)
        return table if table is None or self.announced else table.with_doubt(BY_ALIGNMENT)


def _stretches(lines: Sequence[Line]) -> Iterator[_Stretch]:
    for rows in aligned_stretches(rows_of(lines)):
        if is_marginal(rows):
            continue
        announced = _announced(lines, union(run.box for row in rows for run in row))
        if len(rows) >= (2 if announced else _MIN_ALIGNED_ROWS):
            yield _Stretch(rows, announced)


def _announced(lines: Sequence[Line], box: Box) -> bool:
    """Tell whether the line right above is the caption of a table."""
    above = [line for line in lines if line.box[3] <= box[1] + 2]
    nearest = max(above, key=lambda line: line.box[3], default=None)
    return nearest is not None and bool(CAPTION.match(nearest.text)) and nearest.text[:3] != "Fig"


def _has_figures(draft: DraftTable) -> bool:
    """Ask for figures in the cells beside the first column: aligned names and addresses have
    few."""
    cells = [cell for row in draft.rows for cell in row[1:] if cell]
    return bool(cells) and sum(bool(_DIGIT.search(cell)) for cell in cells) * 10 >= 3 * len(cells)
