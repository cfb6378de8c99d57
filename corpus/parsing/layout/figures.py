"""Figures: which words stand inside a drawing, found by its caption and by what is drawn.

Labels of a drawing are no sentences, and their order on the page says nothing. They are left out of
the text where the drawing is certain, and the approver is told.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from corpus.parsing.geometry import (
    PageCells,
    contains,
    height,
    middle,
    overlap,
    same_row,
    union,
    width,
)
from corpus.parsing.layout.runs import Line, merge_row, without
from corpus.parsing.layout.styles import CAPTION
from corpus.parsing.types import Box, Doubt

LEFT_OUT = Doubt(
    "figure_words_left_out",
    "The words inside this figure are not part of the text that is searched. Check on the page "
    "that nothing needed stands only there.",
)
KEPT = Doubt(
    "figure_words_kept",
    "Words inside this figure could not be told from running text and were kept. Check their "
    "order on the page.",
)

_PART = re.compile(r"^\(?[a-h]\)\s*(?=\S)")
_REACH = 40.0  # points between a caption and its drawing
_SIDE = 12.0  # points that a drawing may stand out of its caption's column
_PROSE_CHARS = 60
_MIN_ART = 3
_MAX_FIGURES = 20  # of a page
_MAX_PARTS = 200  # of all figures of a page
_MAX_ART = 1_500  # boxes drawn on a page


@dataclass(frozen=True)
class Figure:
    """A drawing with its caption. `labels` are the runs inside it; `parts` the captions of its
    parts, each as its lines; `caption` is the first line of the caption itself."""

    box: Box
    caption: Line
    labels: tuple[Line, ...]
    parts: tuple[tuple[Line, ...], ...]
    certain: bool

    @property
    def words(self) -> set[int]:
        """The ids of all words that the figure takes from the page's running text."""
        return _ids([*self.labels, *(line for part in self.parts for line in part)])


def is_figure_caption(text: str) -> bool:
    return bool(CAPTION.match(text)) and text.lower().startswith("fig")


def find_figures(page: PageCells, runs: Sequence[Line], tables: Sequence[Box] = ()) -> list[Figure]:
    """Return the figures of a page, from the top down; none without a caption or a drawing.

    What is drawn in `tables` belongs to them, unless they hold arrows and dots as a chart does.
    """
    real = [table for table in tables if not _is_chart(page, table)]
    drawn = tuple(
        box for box in page.drawn[:_MAX_ART] if not any(_inside(box, table) for table in real)
    )
    page = replace(page, drawn=drawn)
    runs = sorted(runs, key=lambda run: run.box[1])
    parts = _part_captions(runs)
    captions = [run for run in runs if is_figure_caption(run.text)][:_MAX_FIGURES]
    found = (_figure(page, runs, caption, parts) for caption in captions)
    return [figure for figure in found if figure is not None]


def _is_chart(page: PageCells, box: Box) -> bool:
    """Tell the grid of a chart from a table: small things are drawn in it."""
    small = [
        art
        for art in page.drawn[:_MAX_ART]
        if _inside(art, box) and 1 < min(width(art), height(art)) < 15
    ]
    return len(small) >= _MIN_ART


def _figure(
    page: PageCells, runs: Sequence[Line], caption: Line, parts: Sequence[Sequence[Line]]
) -> Figure | None:
    stack = _stack(caption, runs)
    column = union(line.box for line in stack)
    others = without(runs, stack)
    known = _ids(line for part in parts for line in part)
    prose = [run for run in others if known.isdisjoint(_ids([run])) and not _is_short(run, column)]
    art = [box for box in page.drawn if _in_column(box, column)]
    zone = _drawing(art, _with_parts(column, parts), prose)
    if zone is None:
        return None
    zone = _with_labels_around(zone, column, without(others, prose))
    inside = [run for run in others if _inside(run.box, zone)]
    own = tuple(tuple(part) for part in parts if all(_inside(line.box, zone) for line in part))
    told = _ids(line for part in own for line in part)
    labels = [run for run in inside if not _ids([run]) & told]
    certain = len(without(labels, prose)) == len(labels) and not _reads_on(labels, column)
    return Figure(zone, caption, tuple(labels), own, certain)


def _drawing(art: Sequence[Box], column: Box, prose: Sequence[Line]) -> Box | None:
    """Return what is drawn next to a caption, above it or else below, up to the next text."""
    for above in (True, False):
        zone: Box | None = None
        for box in sorted(art, key=lambda b: -b[3] if above else b[1]):
            edge = zone or column
            gap = edge[1] - box[3] if above else box[1] - edge[3]
            reach = _REACH if zone is None else 2.5 * _REACH  # captions of parts stand between
            if gap > reach or (gap < -4 and zone is None):
                continue
            between = union([box, zone]) if zone else box
            if any(_crosses(run.box, between) for run in prose):
                continue
            zone = between
        if zone is not None and height(zone) > 20:
            return zone
    return None


def _with_parts(column: Box, parts: Sequence[Sequence[Line]]) -> Box:
    """Return a caption's box with the captions of parts that stand right above it."""
    boxes = [union(line.box for line in part) for part in parts]
    near = [box for box in boxes if _in_column(box, column) and 0 <= column[1] - box[3] <= _REACH]
    return union([column, *near])


def _in_column(box: Box, column: Box) -> bool:
    return box[0] >= column[0] - _SIDE and box[2] <= column[2] + _SIDE


def _crosses(box: Box, zone: Box) -> bool:
    return zone[1] < middle(box)[1] < zone[3] and overlap(box[0], box[2], zone[0], zone[2]) > 0


def _inside(box: Box, zone: Box) -> bool:
    return contains(zone, middle(box))


def _is_short(run: Line, column: Box) -> bool:
    return width(run.box) < 0.6 * width(column) and len(run.text) <= _PROSE_CHARS


def _with_labels_around(zone: Box, column: Box, short: Sequence[Line]) -> Box:
    """Widen a drawing by the labels at its edges: those beside it, and a few lines over or under
    it.

    What begins at the column's edge over a drawing is a heading or the end of a paragraph.
    """
    drawn = zone
    left, right = min(zone[0], column[0] - _SIDE), max(zone[2], column[2] + _SIDE)
    zone = (left, zone[1], right, zone[3])
    for _ in range(3):
        near = [
            run.box
            for run in short
            if (_inside(run.box, drawn) or run.box[0] > column[0] + 3)
            and left <= run.box[0]
            and run.box[2] <= right
            and zone[1] - 1.2 * run.size < middle(run.box)[1] < zone[3] + 1.2 * run.size
        ]
        zone = union([zone, *near])
    if zone[3] <= column[1]:
        return (left, zone[1], right, column[1])
    return zone


def _reads_on(labels: Sequence[Line], column: Box) -> bool:
    """Tell running text: lines below each other that fill the column's width."""
    full = sum(width(run.box) > 0.6 * width(column) for run in labels)
    return full >= 2


def _part_captions(runs: Sequence[Line]) -> list[list[Line]]:
    """Return the captions of parts, `(a) ...`, each with the lines that go on below it."""
    firsts = [run for run in runs if _PART.match(run.text)][:_MAX_PARTS]
    return [_filled(_stack(run, runs), runs) for run in firsts]


def _filled(stack: Sequence[Line], runs: Sequence[Line]) -> list[Line]:
    """Return lines with the words that stretched blanks set apart from them."""
    left, _, right, _ = union(line.box for line in stack)
    others = without(runs, stack)
    near = [run for run in others if left <= run.box[0] and run.box[2] <= right + 2]
    return [
        merge_row([line, *(run for run in near if same_row(line.box, run.box))]) for line in stack
    ]


def _ids(lines: Iterable[Line]) -> set[int]:
    return {id(word) for line in lines for word in line.words}


def _stack(first: Line, runs: Iterable[Line]) -> list[Line]:
    """Return a run and those that follow right below it at its left edge and in its size; `runs`
    come from the top down."""
    stack = [first]
    for run in runs:
        step = run.box[3] - stack[-1].box[3]
        if run.box[1] - stack[-1].box[3] >= 1.6 * first.size:
            break
        same = abs(run.box[0] - first.box[0]) < 6 and abs(run.size - first.size) < 0.6
        below = run is not first and 0.5 * first.size < step < 1.6 * first.size
        if below and same and not (_PART.match(run.text) or CAPTION.match(run.text)):
            stack.append(run)
    return stack
