"""Find tables whose columns are told apart by shades: one coloured box down a whole column."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from itertools import pairwise

from corpus.parsing.geometry import PageCells, base_of, connected, contains, height, middle, union
from corpus.parsing.layout.runs import Line, link_runs, rows_of, without
from corpus.parsing.tables.grids import SHORT, Region
from corpus.parsing.types import Box

_MIN_LINES = 3
_SAME_LINE = 1.5  # points between the baselines of one row
_SAME_EDGE = 4.0  # points between the upper (or lower) edges of shades of one table
_MOST = 2 / 3  # of a table's rows: the least share in which a column has text
_Place = tuple[float, float, int]  # of a run: its middle, y and x, and its index
_LABELS = 1.6  # row pitches from the first shaded row to a row of labels above it


def shaded_regions(page: PageCells, taken: Iterable[Box]) -> list[Region]:
    """Return the tables with shaded columns outside `taken`.

    A shade is no cell and no panel where each of its short lines stands on the baseline of short
    lines beside it.
    """
    if not page.frames:
        return []
    places = list(taken)
    runs = [run for run in link_runs(page.words) if not _in_any(run.box, places)]
    by_height = sorted((*middle(run.box)[::-1], at) for at, run in enumerate(runs))
    shades = [box for box in page.frames if _is_column(box, runs, by_height)]
    tables: list[list[Box]] = []
    for box in shades:
        alike = [t for t in tables if all(abs(t[0][i] - box[i]) <= _SAME_EDGE for i in (1, 3))]
        if alike:
            alike[0].append(box)
        else:
            tables.append([box])
    return [_region(boxes, runs) for boxes in tables]


def _in_any(box: Box, places: Iterable[Box]) -> bool:
    return any(contains(place, middle(box), margin=1.0) for place in places)


def _is_column(box: Box, runs: Sequence[Line], by_height: Sequence[_Place]) -> bool:
    band = by_height[bisect_left(by_height, (box[1],)) : bisect_left(by_height, (box[3],))]
    inside = [at for _, x, at in band if box[0] <= x <= box[2]]
    lines = [runs[at] for at in inside]
    if not (len(lines) < len(band) and _are_aligned([line.box for line in lines])):
        return False
    if len(lines) < _MIN_LINES or not _are_short(lines):
        return False
    beside = _on_lines(without([runs[at] for _, _, at in band], lines), lines)
    return len(_on_lines(lines, beside)) == len(lines) and _are_short(beside)


def _are_aligned(boxes: Sequence[Box]) -> bool:
    """Tell whether boxes stand in columns of three or more, each with an x that all share."""
    columns: list[list[Box]] = []
    for box in sorted(boxes):
        if columns and box[0] < max(other[2] for other in columns[-1]):
            columns[-1].append(box)
        else:
            columns.append([box])
    return all(
        len(column) >= _MIN_LINES and max(b[0] for b in column) < min(b[2] for b in column)
        for column in columns
    )


def _are_short(lines: Sequence[Line]) -> bool:
    return sum(len(line.text) for line in lines) <= SHORT * len(lines)


def _on_lines(runs: Sequence[Line], others: Sequence[Line]) -> list[Line]:
    """Return the runs that stand on the baseline of one of the others."""
    bases = sorted(base_of(other.words[0]) for other in others)
    lows = ((run, base_of(run.words[0]) - _SAME_LINE) for run in runs)
    ends = ((run, low, bisect_left(bases, low)) for run, low in lows)
    return [run for run, low, at in ends if at < len(bases) and bases[at] <= low + 2 * _SAME_LINE]


def _region(shades: Sequence[Box], runs: Sequence[Line]) -> Region:
    """Return the place of a table around its shades, with the columns beside and labels above."""
    top, bottom = shades[0][1], shades[0][3]
    inside = [run for run in runs if top <= middle(run.box)[1] <= bottom]
    shaded = [run for run in inside if _in_any(run.box, shades)]
    columns = [
        column
        for column in connected(inside, lambda run: (run.box[0], 0.0, run.box[2], 0.0), 0.0)
        if len(without(column, shaded)) < len(column) or _are_rows(column, shaded)
    ]
    cells = [run for column in columns for run in column]
    left, _, right, _ = union([*shades, *(run.box for run in cells)])
    rows = rows_of(cells)
    pitch = min(low[0].box[3] - high[0].box[3] for high, low in pairwise(rows))
    labels = [
        run
        for run in runs
        if left - _SAME_EDGE <= run.box[0] and run.box[2] <= right + _SAME_EDGE
        if run.box[3] <= top + height(run.box) / 2
        and rows[0][0].box[3] - run.box[3] <= _LABELS * pitch
    ]
    top = min([top, *(run.box[1] for run in labels)]) if len(labels) > 1 else top
    return Region((left, top, right, bottom), (), (top, bottom), ())


def _are_rows(column: Sequence[Line], shaded: Sequence[Line]) -> bool:
    """Tell whether most rows of the shades, and few other lines, have text in a column."""
    held = _on_lines(column, shaded)
    return len(held) >= _MOST * max(len(rows_of(shaded)), len(column)) and _are_short(held)
