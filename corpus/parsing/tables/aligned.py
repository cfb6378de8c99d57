"""Find the tables of a page that no rule divides, by their aligned cells."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from corpus.parsing.geometry import union
from corpus.parsing.layout.ordering import Item, has_gutter
from corpus.parsing.layout.runs import Line, rows_of, without
from corpus.parsing.layout.styles import CAPTION, is_sum
from corpus.parsing.lists import is_bullet, list_marker
from corpus.parsing.tables.find import BY_ALIGNMENT, FoundTable, build_table
from corpus.parsing.tables.grids import Region, is_prose, is_value, reads_on
from corpus.parsing.types import Doubt

IN_COLUMNS = Doubt(
    "text_in_columns",
    "This text stands in columns and may be a table, but was read as text. Check that words stand "
    "with what they belong to.",
)
_DIGIT = re.compile(r"\d")
_MIN_ALIGNED_ROWS = 3
_ALIGNED = 4.0  # points between left (or right) edges of one column
_REFERENCE = re.compile(r"^\[\d{1,3}\]")
_LONE_LINES = 6  # consecutive lines, at most, with a cell in the first column only
_TELLING = 3  # columns that rows apart from each other must share
_APART = 3.0  # font heights between such rows at most
_SHORT = 40  # characters of a cell, on the average


def find_wordy(lines: Sequence[Line]) -> list[tuple[list[Line], FoundTable]]:
    """Return the unruled tables of words among all runs of a page, each with its runs.

    Only tables with bold labels, and those with a caption on a page of one column. They are taken
    out before text is ordered, since their columns may be as long as those of prose.
    """
    tables = []
    for stretch in _stretches(lines):
        labelled = all(run.bold for run in stretch.rows[0])
        if not (labelled and _looks_like_labels_and_cells(stretch.rows)):
            if not stretch.announced or _read_on(stretch.rows):
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
        if any(is_sum(run.text) for run in stretch.runs) or is_prose(stretch.rows):
            continue
        table = stretch.table()
        sure = stretch.announced or _looks_like_labels_and_cells(stretch.rows)
        # Aligned names and addresses have few figures in the cells beside the first column.
        beside = [run for row in stretch.rows for run in row[1:]]
        figures = sum(bool(_DIGIT.search(run.text)) for run in beside)
        if table and (sure or figures * 10 >= 3 * len(beside)):
            tables.append((stretch.runs, table))
    return tables


def unsure_runs(lines: Sequence[Line]) -> list[Line]:
    """Return runs that are aligned as cells, where `find_aligned` found no table."""
    return [
        run
        for stretch in _stretches(lines)
        if len(stretch.rows) >= _MIN_ALIGNED_ROWS and not _read_on(stretch.rows)
        if stretch.table() is not None
        for run in stretch.runs
    ]


def parted_runs(regions: Sequence[Sequence[Line]]) -> list[Line]:
    """Return runs that are aligned as short cells of rows, but are read column by column.

    `regions` are the runs of each column of a page.
    """
    column = {id(run): at for at, region in enumerate(regions) for run in region}
    rows = rows_of([run for region in regions for run in region])
    parted = []
    for stretch in _aligned_stretches(rows, fits=_is_divided):
        full = [
            row
            for row in stretch
            if len({column[id(run)] for run in row}) > 1
            and max(len(run.text) for run in row) <= _SHORT
        ]
        if len(full) >= max(_MIN_ALIGNED_ROWS, 0.5 * len(stretch)) and not _read_on(full):
            parted += [run for row in stretch for run in row]
    return parted


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


def _fits(row: Sequence[Line]) -> bool:
    """Tell whether a row may be cells: values beside a bullet's text, or anything without one."""
    if len(row) < 2 or not _is_marker(row[0].text):
        return len(row) >= 2
    return is_bullet(row[0].text) and all(is_value(run.text) for run in row[1:])


def _is_divided(row: Sequence[Line]) -> bool:
    """Tell whether a row may be cells, with bullets or without; not items of two lists alike."""
    signs = {run.text[0] if _is_marker(run.text) else "" for run in row}
    return len(row) >= 2 and (signs == {""} or len(signs) > 1)


def _aligned_stretches(
    rows: Sequence[list[Line]], *, fits: Callable[[Sequence[Line]], bool] = _fits
) -> list[list[list[Line]]]:
    """Return stretches of two or more rows whose runs are aligned in columns, from the top down.

    A row that `fits` may be cells.
    """
    stretches: list[list[list[Line]]] = []
    current: list[list[Line]] = []
    before: list[Line] = []
    for at, row in enumerate(rows):
        above_is_labels = len(current) == 1 and fits(row) and _labels_above(current[0], row)
        goes_on = current and (
            _is_wrapped(current, row)
            or (fits(row) and _near(current[-1], row) and _columns_agree(_widest(current), row))
            or _is_spaced(current, row)
            or _leads_on(current, rows[at:])
        )
        if goes_on or above_is_labels:
            current.append(row)
        else:
            starts = not current and fits(row) and _labels_above(before, row)
            stretches.append(current)
            current = [before, row] if starts else [row] if fits(row) else []
        before = row
    stretches.append(current)
    return [stretch for stretch in stretches if len(stretch) >= 2]


def _near(above: Sequence[Line], row: Sequence[Line]) -> bool:
    return row[0].box[1] - above[0].box[3] < 1.5 * row[0].size


def _is_spaced(rows: Sequence[Sequence[Line]], row: Sequence[Line]) -> bool:
    """Tell whether a row stands apart from those above, but fills all of their columns.

    Two columns don't tell: lists and addresses stand in as many.
    """
    lefts = [run.box[0] for run in _widest(rows)]
    if not len(row) == len(lefts) >= _TELLING or not _fits(row):
        return False
    aligned = all(abs(run.box[0] - x) <= _ALIGNED for run, x in zip(row, lefts, strict=True))
    above = max(run.box[3] for run in rows[-1])
    return aligned and row[0].box[1] - above < _APART * row[0].size


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
    if len(full) < 3 or _read_on(full):
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


def _read_on(rows: Sequence[Sequence[Line]]) -> bool:
    """Tell whether rows are columns of prose, in which lines continue with a small letter."""
    return reads_on(rows, least=0.25)
