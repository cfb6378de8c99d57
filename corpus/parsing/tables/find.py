"""Find the tables of a page, ruled ones and those of aligned cells only, and draft them."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from core.language.en.quantities.units import UNIT, unit_of
from corpus.parsing.drafts import DraftTable
from corpus.parsing.geometry import PageCells, Word, contains, middle, union
from corpus.parsing.layout.ordering import Item, has_gutter
from corpus.parsing.layout.runs import STRETCHED, Line, lines_of, rows_of, without
from corpus.parsing.layout.styles import CAPTION, is_sum
from corpus.parsing.lists import list_marker
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
BY_ALIGNMENT = Doubt(
    "table_by_alignment",
    "This was taken for a table only because its text stands in columns. Check its rows.",
)
IN_COLUMNS = Doubt(
    "text_in_columns",
    "This text stands in columns and may be a table; it was read line by line, from left to right.",
)
_VALUE = re.compile(rf"\d[\d.,]*({UNIT})")
_DIGIT = re.compile(r"\d")
_READS_ON = re.compile(r"\d.*(?:\b(?:to|and|or)|[<>≤≥/–-])$")  # `> 4 weeks to`, of a broken range
_MIN_ALIGNED_ROWS = 3
_ALIGNED = 4.0  # points between left (or right) edges of one column
_REFERENCE = re.compile(r"^\[\d{1,3}\]")
_LONE_LINES = 6  # consecutive lines, at most, with a cell in the first column only
_SHORT = 40  # characters of a cell, on the average


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
    doubts = (GUESSED_GROUPS, grid.guessed_groups), (VALUES_TOGETHER, together)
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


def find_wordy(lines: Sequence[Line]) -> list[tuple[list[Line], FoundTable]]:
    """Return the unruled tables of words among all runs of a page, each with its runs.

    Only tables with bold labels, and those with a caption on a page of one column. They are taken
    out before text is ordered, since their columns may be as long as those of prose.
    """
    tables = []
    for stretch in _stretches(lines):
        labelled = all(run.bold for run in stretch.rows[0])
        if not (labelled and _looks_like_labels_and_cells(stretch.rows)):
            if not stretch.announced or _reads_on(stretch.rows):
                continue
            if has_gutter([Item(0, line.box) for line in without(lines, stretch.runs)]):
                continue
        table = stretch.table()
        tables += [(stretch.runs, table)] if table else []
    return tables


def find_aligned(lines: Sequence[Line]) -> list[tuple[list[Line], FoundTable]]:
    """Return the unruled tables among the runs of one column of a page, each with its runs."""
    tables = []
    for stretch in _stretches(lines):
        if any(is_sum(run.text) for run in stretch.runs):
            continue
        table = stretch.table()
        sure = stretch.announced or _looks_like_labels_and_cells(stretch.rows)
        # Aligned names and addresses have few figures in the cells beside the first column.
        cells = [cell for row in table.draft.rows for cell in row[1:] if cell] if table else []
        figures = sum(bool(_DIGIT.search(cell)) for cell in cells)
        if table and (sure or (cells and figures * 10 >= 3 * len(cells))):
            tables.append((stretch.runs, table))
    return tables


def unsure_runs(lines: Sequence[Line]) -> list[Line]:
    """Return runs that are aligned as cells, where `find_aligned` found no table."""
    return [
        run
        for stretch in _stretches(lines)
        if len(stretch.rows) >= _MIN_ALIGNED_ROWS and not _reads_on(stretch.rows)
        if stretch.table() is not None
        for run in stretch.runs
    ]


@dataclass(frozen=True)
class _Stretch:
    """Rows whose runs are aligned in columns; `announced` by a caption right above them."""

    rows: list[list[Line]]
    announced: bool

    @property
    def runs(self) -> list[Line]:
        return [run for row in self.rows for run in row]

    def table(self) -> FoundTable | None:
        """Return the rows as a table, doubtful without a caption; None if they are no table."""
        box = union(run.box for run in self.runs)
        words = [word for run in self.runs for word in run.words]
        region = Region(box, (), (box[1], box[3] + 1), ())
        table = build_table(region, words, announced=self.announced)
        return table if table is None or self.announced else table.with_doubt(BY_ALIGNMENT)


def _stretches(lines: Sequence[Line]) -> Iterator[_Stretch]:
    for rows in _aligned_stretches(rows_of(lines)):
        if _is_marginal(rows):
            continue
        top = min(run.box[1] for row in rows for run in row)
        above = [line for line in lines if line.box[3] <= top + 2]
        text = max(above, key=lambda line: line.box[3]).text if above else ""
        announced = bool(CAPTION.match(text)) and text[:3] != "Fig"  # by the line right above
        if len(rows) >= (2 if announced else _MIN_ALIGNED_ROWS):
            yield _Stretch(rows, announced)


def _aligned_stretches(rows: Sequence[list[Line]]) -> list[list[list[Line]]]:
    """Return stretches of two or more rows whose runs are aligned in columns, from the top down."""
    stretches: list[list[list[Line]]] = []
    current: list[list[Line]] = []
    before: list[Line] = []
    for at, row in enumerate(rows):
        above_is_labels = len(current) == 1 and _fits(row) and _labels_above(current[0], row)
        goes_on = current and (
            _is_wrapped(current, row)
            or (_fits(row) and _near(current[-1], row) and _columns_agree(_widest(current), row))
            or _leads_on(current, rows[at:])
        )
        if goes_on or above_is_labels:
            current.append(row)
        else:
            starts = not current and _fits(row) and _labels_above(before, row)
            stretches.append(current)
            current = [before, row] if starts else [row] if _fits(row) else []
        before = row
    stretches.append(current)
    return [stretch for stretch in stretches if len(stretch) >= 2]


def _fits(row: Sequence[Line]) -> bool:
    return len(row) >= 2 and not _is_marker(row[0].text)


def _near(above: Sequence[Line], row: Sequence[Line]) -> bool:
    return row[0].box[1] - above[0].box[3] < 1.5 * row[0].size


def _leads_on(rows: Sequence[Sequence[Line]], below: Sequence[Sequence[Line]]) -> bool:
    """Tell whether only the first cell of a row is filled, while a row below it fills others."""
    edges = [run.box[0] for run in _widest(rows)]
    above = rows[-1]
    for row in below[:_LONE_LINES]:
        if not _near(above, row) or _is_marker(row[0].text):
            return False
        if len(row) > 1:
            return row is not below[0] and _columns_agree(_widest(rows), row)
        if abs(row[0].box[0] - edges[0]) > _ALIGNED or row[0].box[2] >= edges[1]:
            return False
        above = row
    return False


def _labels_above(above: Sequence[Line], row: Sequence[Line]) -> bool:
    """Tell whether a line is labels for the row below: fewer, one of them over several cells."""
    if not 0 < len(above) < len(row):
        return False
    near = 0 <= row[0].box[1] - above[0].box[3] < 1.2 * row[0].size
    inside = above[0].box[0] >= row[0].box[0] - _ALIGNED and above[-1].box[2] <= row[-1].box[2] + 20
    beside = all(run.box[0] >= row[0].box[2] for run in above) or (
        len(above) > 1 and abs(above[0].box[0] - row[0].box[0]) <= _ALIGNED
    )
    return near and inside and beside


def _is_marker(text: str) -> bool:
    """Tell whether a text is a list marker or the number of a reference, and no cell."""
    return list_marker(text) is not None or _REFERENCE.match(text) is not None


def _widest(rows: Sequence[Sequence[Line]]) -> Sequence[Line]:
    return max(rows, key=len)


def _is_wrapped(rows: Sequence[Sequence[Line]], row: Sequence[Line]) -> bool:
    """Tell whether a line continues cells of the row above, within their columns."""
    columns = _widest(rows)
    if row[0].box[1] - max(run.box[3] for run in rows[-1]) > 0.6 * row[0].size:
        return False
    edges = [run.box[0] for run in columns]
    for run in row:
        at = next((i for i, edge in enumerate(edges) if abs(run.box[0] - edge) <= _ALIGNED), None)
        if at is None or (at + 1 < len(edges) and run.box[2] >= edges[at + 1]):
            return False
    return len(row) < len(columns)


def _columns_agree(above: Sequence[Line], row: Sequence[Line]) -> bool:
    """Tell whether most runs, two at least, start or end where a run of the row above does."""
    agreeing = sum(
        any(
            abs(run.box[0] - other.box[0]) <= _ALIGNED or abs(run.box[2] - other.box[2]) <= _ALIGNED
            for other in above
        )
        for run in row
    )
    return agreeing >= 2 and agreeing * 2 > len(row)


def _looks_like_labels_and_cells(rows: Sequence[Sequence[Line]]) -> bool:
    """Tell whether rows are a table of words: bold labels above, or many short cells.

    Short cells must be in three columns or more. Columns of prose are no table.
    """
    widest = _widest(rows)
    full = [row for row in rows if len(row) == len(widest)]
    if len(full) < 3 or _reads_on(full):
        return False
    bold = [all(run.bold for run in row) for row in full]
    if bold[0] and not any(bold[1:]):
        return True
    texts = [run.text for row in full for run in row]
    short = sum(map(len, texts)) <= _SHORT * len(texts)
    return len(widest) >= 3 and len(full) >= 4 and len(full) * 3 >= 2 * len(rows) and short


def _is_marginal(rows: Sequence[Sequence[Line]]) -> bool:
    """Tell whether the first cells are marks or numbers beside text, as of recommendations."""
    beside = [row for row in rows if len(row) > 1]
    prose = sum(len(row[1].text) > _SHORT for row in beside) * 2 >= len(beside)
    marks = all(len(row[0].text) <= 3 for row in beside)
    return marks and (prose or not any(row[0].text.isdigit() for row in beside))


def _reads_on(rows: Sequence[Sequence[Line]]) -> bool:
    """Tell whether rows are columns of prose, in which lines continue with a small letter."""
    pairs = [
        (above, below)
        for row, next_row in itertools.pairwise(rows)
        for above, below in zip(row, next_row, strict=False)
    ]
    going_on = sum(
        below.text[0].islower() and above.text[-1] not in ".:;?!" and len(above.text) > 20
        for above, below in pairs
    )
    return going_on * 4 >= len(pairs)
