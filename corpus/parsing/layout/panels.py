"""Find boxes drawn around text: panels beside the running text, and nodes of flow charts."""

from __future__ import annotations

import itertools
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from corpus.parsing.geometry import (
    PageCells,
    Word,
    connected,
    contains,
    height,
    middle,
    touch,
    union,
    width,
)
from corpus.parsing.layout.runs import link_runs
from corpus.parsing.types import Box, Doubt

FLOW_CHART = Doubt(
    "flow_chart",
    "This was read as a flow chart, a block for each box. Which box leads to which is not kept: "
    "check the order on the page.",
)
CHART_BOX = Doubt("flow_chart_box", "This is another box of the flow chart on this page.")
_TOUCH = 3.0  # points between the edges of boxes that stand side by side as cells do
_REACH = 4.0  # points between a box and the end of an arrow
_MIN_NODES = 3
_MANY = 12
_PADDING = 0.4  # font heights above and below the text of a box
_MAX_NODE_WORDS = 120
_MAX_OUTSIDE = 0.35  # words between the nodes of a chart, as a share of those in them
_MAX_LINES = 2_000  # of a page
_MAX_FRAMES = 400  # of a page; more are a pattern
_MAX_SHARE = 0.7  # of a page's words: a box around more is the page's own frame


@dataclass(frozen=True)
class Panel:
    """A box and the words in it. A node of a flow chart becomes a single block."""

    box: Box
    words: tuple[Word, ...]
    is_node: bool = False

    @cached_property
    def ids(self) -> set[int]:
        return {id(word) for word in self.words}


def chart_nodes(page: PageCells) -> list[Panel]:
    """Return the boxes of a page's flow chart; empty unless lines or arrows lead to half of them.

    Empty also for fewer than three boxes, and for many that stand in a grid.
    """
    panels = _filled(page)
    leaves = []  # boxes with no other box in them
    for leaf in panels:
        tall = height(leaf.box) - height(union(word.box for word in leaf.words))
        is_padded = tall >= _PADDING * leaf.words[0].size  # else it is a line's coloured ground
        held = (o for o in panels if o is not leaf and o.ids <= leaf.ids)
        if is_padded and not any(_inside(o.box, leaf.box) for o in held):
            leaves.append(leaf)
    groups = connected(leaves, lambda leaf: leaf.box, _TOUCH)
    nodes = [leaf for group in groups if not _is_grid(group) for leaf in group]
    nodes = [node for node in nodes if len(node.words) <= _MAX_NODE_WORDS]
    tops, lefts = ({round(node.box[side] / 4) for node in nodes} for side in (1, 0))
    are_cells = len(nodes) >= _MANY and 2 * len(nodes) >= len(tops) * len(lefts)  # of a grid
    if len(nodes) < _MIN_NODES or are_cells:
        return []
    boxes = {panel.box for panel in leaves}
    lines = [box for box in page.drawn[:_MAX_LINES] if box not in boxes]
    linked = sum(any(_leads_to(line, node.box) for line in lines) for node in nodes)
    around = union(node.box for node in nodes)
    inside = {name for node in nodes for name in node.ids}
    between = sum(contains(around, middle(w.box)) and id(w) not in inside for w in page.words)
    if 2 * linked < len(nodes) or between > _MAX_OUTSIDE * len(inside):
        return []
    return [Panel(node.box, node.words, is_node=True) for node in nodes]


def _leads_to(line: Box, box: Box) -> bool:
    """Tell whether a line or arrow meets a side of a box from outside, between its corners.

    The rules of a table run along the sides of its cells instead.
    """
    x, y = middle(line)
    if box[0] + 2 < x < box[2] - 2:
        return min(abs(line[1] - box[3]), abs(line[3] - box[1])) <= _REACH
    if box[1] + 2 < y < box[3] - 2:
        return min(abs(line[0] - box[2]), abs(line[2] - box[0])) <= _REACH
    return False


def find_panels(page: PageCells, taken: Iterable[Box]) -> list[Panel]:
    """Return the outermost boxes with two or more lines of text, except those in `taken`.

    Where boxes cross, only the larger one is a panel, and words in both belong to it.
    """
    places = list(taken)
    panels: list[Panel] = []
    held: set[int] = set()
    for panel in sorted(_filled(page), key=lambda p: (-width(p.box) * height(p.box), p.box)):
        if len(panel.words) > _MAX_SHARE * len(page.words) or not held.isdisjoint(panel.ids):
            continue
        if any(
            _inside(panel.box, other)
            or (touch(panel.box, other, _TOUCH) and not _inside(other, panel.box))
            for other in places
        ):
            continue
        if len({round(run.box[1]) for run in link_runs(panel.words)}) >= 2:
            panels.append(panel)
            held |= panel.ids
    return panels


def distinct(frames: Sequence[Box]) -> tuple[Box, ...]:
    """Return boxes in their order, without those drawn again hardly apart.

    Of more than 400 boxes only the first 400 are looked at.
    """
    kept: list[Box] = []
    begun: dict[tuple[int, int], list[Box]] = {}  # the kept boxes by their upper left corner
    for box in frames[:_MAX_FRAMES]:
        x, y = int(box[0] // _TOUCH), int(box[1] // _TOUCH)
        places = itertools.product((x - 1, x, x + 1), (y - 1, y, y + 1))
        near = (other for place in places for other in begun.get(place, ()))
        if not any(max(abs(a - b) for a, b in zip(box, o, strict=True)) <= _TOUCH for o in near):
            kept.append(box)
            begun.setdefault((x, y), []).append(box)
    return tuple(kept)


def _filled(page: PageCells) -> list[Panel]:
    """Return the frames of a page that hold words, each with its words."""
    by_height = sorted((middle(word.box)[1], at) for at, word in enumerate(page.words))
    panels = []
    for box in page.frames:
        first = bisect_left(by_height, (box[1],))
        last = bisect_left(by_height, (box[3], len(by_height)))
        near = [page.words[at] for at in sorted(at for _, at in by_height[first:last])]
        words = tuple(word for word in near if contains(box, middle(word.box)))
        panels += [Panel(box, words)] if words else []
    return panels


def _is_grid(group: Sequence[Panel]) -> bool:
    """Tell whether boxes are cells of a table: two or more have a box to their right."""
    corners = [(panel.box[1], panel.box[0]) for panel in group]
    rows = [any(abs(top - y) <= _TOUCH and left > x for top, left in corners) for y, x in corners]
    return sum(rows) >= 2


def _inside(box: Box, other: Box) -> bool:
    corners = (box[0], box[1]), (box[2], box[3])
    return all(contains(other, corner, margin=2) for corner in corners)
