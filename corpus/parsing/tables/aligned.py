"""Runs of text that stand in columns without rules: stretches of rows that may be tables."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence

from corpus.parsing.layout.runs import Line
from corpus.parsing.lists import list_marker

_ALIGNED = 4.0  # points between left (or right) edges of one column
_REFERENCE = re.compile(r"^\[\d{1,3}\]")
_LONE_LINES = 6  # of cells in the first column, one below the other, with nothing beside them
_SHORT = 40  # characters of a cell, on the average


def aligned_stretches(rows: Sequence[list[Line]]) -> list[list[list[Line]]]:
    """Return the stretches of two or more rows whose runs keep to columns, from the top down."""
    stretches: list[list[list[Line]]] = []
    current: list[list[Line]] = []
    before: list[Line] = []
    for at, row in enumerate(rows):
        above_is_labels = len(current) == 1 and _fits(row) and _labels_above(current[0], row)
        goes_on = current and (_belongs(current, row) or _leads_on(current, rows[at:]))
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


def _belongs(rows: Sequence[Sequence[Line]], row: Sequence[Line]) -> bool:
    if _is_wrapped(rows, row):
        return True
    return _fits(row) and _near(rows[-1], row) and _columns_agree(_widest(rows), row)


def _leads_on(rows: Sequence[Sequence[Line]], below: Sequence[Sequence[Line]]) -> bool:
    """Tell a row of which only the first cell is filled: a row below it fills others again."""
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
    """Tell a line of fewer labels, one of them over several columns of the line below it."""
    if not 0 < len(above) < len(row):
        return False
    near = 0 <= row[0].box[1] - above[0].box[3] < 1.2 * row[0].size
    inside = above[0].box[0] >= row[0].box[0] - _ALIGNED and above[-1].box[2] <= row[-1].box[2] + 20
    beside = all(run.box[0] >= row[0].box[2] for run in above) or (
        len(above) > 1 and abs(above[0].box[0] - row[0].box[0]) <= _ALIGNED
    )
    return near and inside and beside


def _is_marker(text: str) -> bool:
    """Tell a list item, or an entry of a list of references, from a cell."""
    return list_marker(text) is not None or _REFERENCE.match(text) is not None


def _widest(rows: Sequence[Sequence[Line]]) -> Sequence[Line]:
    return max(rows, key=len)


def _is_wrapped(rows: Sequence[Sequence[Line]], row: Sequence[Line]) -> bool:
    """Tell a line that goes on with cells of the row above: it keeps to their columns."""
    columns = _widest(rows)
    if row[0].box[1] - max(run.box[3] for run in rows[-1]) > 0.6 * row[0].size:
        return False
    edges = [run.box[0] for run in columns]
    return len(row) < len(columns) and all(_keeps_to_column(run, edges) for run in row)


def _keeps_to_column(run: Line, edges: Sequence[float]) -> bool:
    at = next((i for i, edge in enumerate(edges) if abs(run.box[0] - edge) <= _ALIGNED), None)
    return at is not None and (at + 1 == len(edges) or run.box[2] < edges[at + 1])


def _columns_agree(above: Sequence[Line], row: Sequence[Line]) -> bool:
    """Tell whether most runs start or end where one of the row above does."""
    agreeing = sum(
        any(
            abs(run.box[0] - other.box[0]) <= _ALIGNED or abs(run.box[2] - other.box[2]) <= _ALIGNED
            for other in above
        )
        for run in row
    )
    return agreeing >= 2 and agreeing * 2 > len(row)


def looks_like_labels_and_cells(rows: Sequence[Sequence[Line]]) -> bool:
    """Tell a table of words: bold labels above what is not, or many short cells in three columns.

    Columns of prose are no table, whatever stands above them.
    """
    widest = _widest(rows)
    full = [row for row in rows if len(row) == len(widest)]
    if len(full) < 3 or reads_on(full):
        return False
    bold = [all(run.bold for run in row) for row in full]
    if bold[0] and not any(bold[1:]):
        return True
    texts = [run.text for row in full for run in row]
    short = sum(map(len, texts)) <= _SHORT * len(texts)
    return len(widest) >= 3 and len(full) >= 4 and len(full) * 3 >= 2 * len(rows) and short


def is_marginal(rows: Sequence[Sequence[Line]]) -> bool:
    """Tell marks and numbers beside text, as those of recommendations, from a first column."""
    beside = [row for row in rows if len(row) > 1]
    prose = sum(len(row[1].text) > _SHORT for row in beside) * 2 >= len(beside)
    marks = all(len(row[0].text) <= 3 for row in beside)
    return marks and (prose or not any(row[0].text.isdigit() for row in beside))


def reads_on(rows: Sequence[Sequence[Line]]) -> bool:
    """Tell prose: lines of a column go on in the one below, which begins with a small letter."""
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
