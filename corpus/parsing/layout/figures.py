"""Find figures by their captions and drawings, and the words inside them.

Labels of a drawing are not sentences, and their order on the page means nothing. They are left out
of the text where the drawing is certain, and the approver is told.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Sequence
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
from corpus.parsing.layout.flow import Part
from corpus.parsing.layout.paragraphs import Group, draft_of
from corpus.parsing.layout.runs import Line, merge_row, without
from corpus.parsing.layout.styles import CAPTION, heading_depth
from corpus.parsing.tables.find import FoundTable
from corpus.parsing.types import BlockKind, Box, Doubt

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
_SIDE = 12.0  # points by which a drawing may exceed its caption's column
_PROSE_CHARS = 60
_MIN_ART = 3
_MAX_FIGURES = 20  # of a page
_MAX_PARTS = 200  # of all figures of a page
_MAX_ART = 1_500  # boxes drawn on a page


@dataclass(frozen=True)
class Figure:
    """A drawing with its caption.

    `labels` are the runs inside the drawing; `parts` are the captions of its parts (`(a) ...`),
    each as its lines; `caption` is the first line of the figure's own caption. Not `certain` where
    the labels may be running text.
    """

    box: Box
    caption: Line
    labels: tuple[Line, ...]
    parts: tuple[tuple[Line, ...], ...]
    certain: bool

    @property
    def words(self) -> set[int]:
        """The ids of all words that belong to the figure and not to the running text."""
        return _ids([*self.labels, *(line for part in self.parts for line in part)])


def is_figure_caption(text: str) -> bool:
    return bool(CAPTION.match(text)) and text.lower().startswith("fig")


def find_figures(page: PageCells, runs: Sequence[Line], tables: Sequence[Box] = ()) -> list[Figure]:
    """Return the figures of a page, from the top down. A figure has a caption and a drawing.

    Drawings inside `tables` belong to the tables, unless a table holds small shapes, such as the
    arrows and dots of a chart.
    """
    drawn = page.drawn[:_MAX_ART]
    small = [box for box in drawn if 1 < min(width(box), height(box)) < 15]
    real = [t for t in tables if sum(_inside(box, t) for box in small) < _MIN_ART]
    drawn = tuple(box for box in drawn if not any(_inside(box, table) for table in real))
    page = replace(page, drawn=drawn)
    runs = sorted(runs, key=lambda run: run.box[1])
    firsts = [run for run in runs if _PART.match(run.text)][:_MAX_PARTS]
    parts = [_filled(_stack(run, runs), runs) for run in firsts]  # captions, `(a) ...`
    captions = [run for run in runs if is_figure_caption(run.text)][:_MAX_FIGURES]
    figures = (_figure(page, runs, caption, parts) for caption in captions)
    return [figure for figure in figures if figure is not None]


def _figure(
    page: PageCells, runs: Sequence[Line], caption: Line, parts: Sequence[Sequence[Line]]
) -> Figure | None:
    stack = _stack(caption, runs)
    column = union(line.box for line in stack)
    others = without(runs, stack)
    known = _ids(line for part in parts for line in part)
    prose = [
        run
        for run in others
        if known.isdisjoint(_ids([run]))
        and (width(run.box) >= 0.6 * width(column) or len(run.text) > _PROSE_CHARS)
    ]
    art = [box for box in page.drawn if _in_column(box, column)]
    boxes = [union(line.box for line in part) for part in parts]
    above = [b for b in boxes if _in_column(b, column) and 0 <= column[1] - b[3] <= _REACH]
    zone = _drawing(art, union([column, *above]), prose)
    if zone is None:
        return None
    zone = _with_labels_around(zone, column, without(others, prose))
    inside = [run for run in others if _inside(run.box, zone)]
    own = tuple(tuple(part) for part in parts if all(_inside(line.box, zone) for line in part))
    placed = _ids(line for part in own for line in part)
    labels = [run for run in inside if not _ids([run]) & placed]
    full = sum(width(run.box) > 0.6 * width(column) for run in labels)
    certain = len(without(labels, prose)) == len(labels) and full < 2  # two full lines are text
    return Figure(zone, caption, tuple(labels), own, certain)


def _drawing(art: Sequence[Box], column: Box, prose: Sequence[Line]) -> Box | None:
    """Return the box of the drawing above a caption, or else below; None if there is none.

    The drawing ends where running text begins.
    """
    for above in (True, False):
        zone: Box | None = None
        for box in sorted(art, key=lambda b: -b[3] if above else b[1]):
            edge = zone or column
            gap = edge[1] - box[3] if above else box[1] - edge[3]
            reach = _REACH if zone is None else 2.5 * _REACH  # captions of parts stand between
            if gap > reach or (gap < -4 and zone is None):
                continue
            between = union([box, zone]) if zone else box
            if not any(
                between[1] < middle(run.box)[1] < between[3]
                and overlap(run.box[0], run.box[2], between[0], between[2]) > 0
                for run in prose
            ):
                zone = between
        if zone is not None and height(zone) > 20:
            return zone
    return None


def _in_column(box: Box, column: Box) -> bool:
    return box[0] >= column[0] - _SIDE and box[2] <= column[2] + _SIDE


def _inside(box: Box, zone: Box) -> bool:
    return contains(zone, middle(box))


def _with_labels_around(zone: Box, column: Box, short: Sequence[Line]) -> Box:
    """Widen a drawing's box by the labels beside it and a few lines above and below it.

    Text outside the drawing that begins at the column's left edge is a heading or the end of a
    paragraph, and no label. A drawing above its caption is extended down to the caption.
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


def _filled(stack: Sequence[Line], runs: Sequence[Line]) -> list[Line]:
    """Return lines merged with the runs that a wide blank had split from them."""
    left, _, right, _ = union(line.box for line in stack)
    others = without(runs, stack)
    near = [run for run in others if left <= run.box[0] and run.box[2] <= right + 2]
    return [
        merge_row([line, *(run for run in near if same_row(line.box, run.box))]) for line in stack
    ]


def _ids(lines: Iterable[Line]) -> set[int]:
    return {id(word) for line in lines for word in line.words}


def _stack(first: Line, runs: Iterable[Line]) -> list[Line]:
    """Return a run and the runs that follow below it, with its left edge and font size.

    `runs` are ordered from the top down.
    """
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


def without_figures(parts: Sequence[Part]) -> list[Part]:
    """Turn tables right above a figure's caption into paragraphs: they are labels in a drawing.

    A table below its own caption stays.
    """
    kept: list[Part] = []
    for index, part in enumerate(parts):
        below = parts[index + 1] if index + 1 < len(parts) else None
        above = parts[index - 1] if index else None
        drawn = _is_caption(below, of_figure=True) and not _is_caption(above, of_figure=False)
        if isinstance(part, FoundTable) and drawn:
            kept += [
                Group(BlockKind.PARAGRAPH, [line], line.box[0], part.box) for line in part.lines
            ]
        else:
            kept.append(part)
    return kept


def demote_labels(parts: Sequence[Part], *, known: set[int]) -> None:
    """Turn short headings right above a figure's caption into paragraphs: they are labels.

    Skips captions whose first word has an id in `known`: their labels are no longer in the text.
    """
    for index, part in enumerate(parts):
        is_caption = isinstance(part, Group) and _is_caption(part, of_figure=True)
        if not is_caption or id(part.lines[0].words[0]) in known:
            continue
        for above in reversed(parts[:index]):
            if not isinstance(above, Group) or len(above.text) > 60:
                break
            if above.text[-1] in ".:?!" or heading_depth(above.text) is not None:
                break
            above.kind = BlockKind.PARAGRAPH


def doubt_figures(parts: Sequence[Part], figures: Sequence[Figure]) -> None:
    """Add to each figure's caption the doubt that its words were left out, or kept."""
    doubts = {
        id(figure.caption.words[0]): LEFT_OUT if figure.certain else KEPT
        for figure in figures
        if figure.labels
    }
    for part in parts:
        if isinstance(part, Group) and id(part.lines[0].words[0]) in doubts:
            part.doubts.append(doubts[id(part.lines[0].words[0])])


def captioned(parts: list[Part]) -> list[Part]:
    """Return the parts, each table with the text of the caption right before or after it.

    A caption between two tables is that of the second, unless another one stands below that.
    """
    result = list(parts)
    free = {index for index, part in enumerate(parts) if _is_caption(part, of_figure=False)}
    for index, part in enumerate(parts):
        if not isinstance(part, FoundTable):
            continue
        near = [other for other in (index - 1, index + 1) if other in free]
        if near and (near[0] < index or not _are_above(parts, free, near[0])):
            caption = parts[near[0]]
            free.discard(near[0])
            if isinstance(caption, Group):
                result[index] = part.with_caption(draft_of(caption, None).text)
    return result


def _are_above(parts: Sequence[Part], free: Container[int], at: int) -> bool:
    """Tell whether captions and tables alternate from a caption on, and end with a table."""
    while at in free:
        if not isinstance(next(iter(parts[at + 1 : at + 2]), None), FoundTable):
            return False
        at += 2
    return True


def _is_caption(part: Part | None, *, of_figure: bool) -> bool:
    """Tell whether a part is a caption: a figure's if `of_figure`, else a table's or box's."""
    if not isinstance(part, Group) or part.kind is not BlockKind.CAPTION:
        return False
    return is_figure_caption(part.lines[0].text) == of_figure
