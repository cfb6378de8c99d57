"""Find the figures and flow charts of a page by its blocks, so that they can be shown. Pure.

A drawing is no text: its place is the room that the text leaves above or below its caption. A flow
chart is the boxes that were read as its nodes. Where it branches, which leads to which is not
known, so nothing of it is quoted. `blocks` is the JSON of `corpus.parsing.types.Block`; boxes are
in points.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

from corpus.boxes import Blocks, Span, overlaps

FIGURE, CHART = "figure", "chart"
NODE, OTHER_NODE = "flow_chart", "flow_chart_box"  # doubts of a page's first node, and of others
_LABEL = re.compile(
    r"(?:Figure|Fig\.?|Algorithm|Chart|Diagram|Flow ?chart)\s*[A-Z]?\d*[a-z]?", re.I
)
_ROOM = 40.0  # points of height at least of a drawing
_NEAR = 60.0  # points between a chart and its caption at most
_PADDING = 8.0
# Points that the frame of a chart's box stands out beside, and above or below, its words at most.
_FRAME, _FRAME_ENDS = 48.0, 24.0
_LABEL_CHARS = 40  # of an arrow at most
_MOST = 10  # of a page
Box = list[float]


def chart_spans(doubts: Iterable[Mapping[str, Any]]) -> list[Span]:
    """Return the spans of a page's text that are nodes of a flow chart."""
    return [
        (doubt["start"], doubt["end"]) for doubt in doubts if doubt["code"] in (NODE, OTHER_NODE)
    ]


def unordered_spans(blocks: Blocks, doubts: Iterable[Mapping[str, Any]]) -> list[Span]:
    """Return nodes and arrows' labels of a flow chart that branches; one column is in order.

    In one column each node stands wholly below the one before it, by half of the narrower's width.
    """
    spans = chart_spans(doubts)
    nodes = sorted((box for b in blocks if overlaps(b, spans) and (box := _box(b))), key=_top)
    is_column = all(
        above[3] <= below[1] and 2 * _shared(above, below) >= min(_width(above), _width(below))
        for above, below in pairwise(nodes)
    )
    if not nodes:
        return spans
    return [] if is_column else [*spans, *_arrow_labels(blocks, spans, _union(nodes))]


def _arrow_labels(blocks: Blocks, nodes: Sequence[Span], chart: Box) -> Iterable[Span]:
    """Yield the few words that stand among the nodes, such as the "Yes" of an arrow."""
    for block in blocks:
        box, span = _box(block), (block["start"], block["end"])
        is_short = span[1] - span[0] <= _LABEL_CHARS
        if box and is_short and not overlaps(block, nodes) and _union([box, chart]) == chart:
            yield span


def figures_of(
    text: str, blocks: Blocks, doubts: Iterable[Mapping[str, Any]], *, width: float, height: float
) -> list[dict[str, Any]]:
    """Return each figure's `kind`, `label` (such as `Figure 2`), `caption` and `box`.

    Nothing for a page without geometry.
    """
    if not width or not height:
        return []
    placed = [(block, box) for block in blocks if (box := _box(block))]
    boxes = [box for _, box in placed]
    captions = [
        (block, box)
        for block, box in placed
        if block["kind"] == "caption" and _LABEL.match(_words(text, block))
    ]
    page = [0.0, 0.0, width, height]
    found = []
    nodes = [box for block, box in placed if overlaps(block, chart_spans(doubts))]
    if nodes:
        chart = _union(nodes)
        own = [each for each in captions if _gap(each[1], chart) <= _NEAR][:1]
        captions = [each for each in captions if each not in own]
        whole = _union([chart, *(box for _, box in own)])
        area = _padded(whole, boxes, page, sides=_FRAME, ends=_FRAME_ENDS)
        found.append(_figure(CHART, own[0][0] if own else None, area, text))
    for block, box in captions[:_MOST]:
        if room := _room(box, [other for other in boxes if other is not box], page):
            found.append(_figure(FIGURE, block, _padded(room, boxes, page), text))
    return found


def _room(caption: Box, others: Sequence[Box], page: Box) -> Box | None:
    """Return the room above a caption that no text takes, with the caption, or else below it."""
    left, right = _column(caption, others, page)
    beside = [box for box in others if box[0] < right and left < box[2]]
    top = max((box[3] for box in beside if box[3] <= caption[1] + 2), default=page[1] + 30)
    if caption[1] - top >= _ROOM:
        return [left, top, right, caption[3]]
    bottom = min((box[1] for box in beside if box[1] >= caption[3] - 2), default=page[3] - 30)
    return [left, caption[1], right, bottom] if bottom - caption[3] >= _ROOM else None


def _column(caption: Box, others: Sequence[Box], page: Box) -> tuple[float, float]:
    """Return the left and right edge of the caption's column: the page's, or up to its neighbours.

    Neighbours are texts that stand wholly to one side of the caption, near its height.
    """
    near = [b for b in others if b[1] < caption[3] + _ROOM and caption[1] - _ROOM < b[3]]
    left = max((b[2] for b in near if b[2] <= caption[0]), default=page[0])
    right = min((b[0] for b in near if b[0] >= caption[2]), default=page[2])
    return left, right


def _padded(
    box: Box,
    others: Sequence[Box],
    page: Box,
    *,
    sides: float = _PADDING,
    ends: float = _PADDING,
) -> Box:
    """Return the box with some room on each side, where no other text stands."""
    left, top, right, bottom = box
    beside = [b for b in others if b[1] < bottom and top < b[3]]
    over = [b for b in others if b[0] < right + sides and left - sides < b[2]]
    return [
        max([page[0], left - sides, *(b[2] for b in beside if b[2] <= left)]),
        max([page[1], top - ends, *(b[3] for b in over if b[3] <= top)]),
        min([page[2], right + sides, *(b[0] for b in beside if b[0] >= right)]),
        min([page[3], bottom + ends, *(b[1] for b in over if b[1] >= bottom)]),
    ]


def _figure(kind: str, caption: Mapping[str, Any] | None, box: Box, text: str) -> dict[str, Any]:
    words = _words(text, caption) if caption else ""
    label = _LABEL.match(words)
    return {
        "kind": kind,
        "label": " ".join(label[0].split()) if label else "",
        "caption": words[:300],
        "box": [round(edge, 1) for edge in box],
    }


def _words(text: str, block: Mapping[str, Any]) -> str:
    return " ".join(text[block["start"] : block["end"]].split())


def _box(block: Mapping[str, Any]) -> Box:
    return _union([line["box"] for line in block["lines"]]) if block["lines"] else []


def _top(box: Box) -> float:
    return box[1]


def _width(box: Box) -> float:
    return box[2] - box[0]


def _shared(one: Box, other: Box) -> float:
    return min(one[2], other[2]) - max(one[0], other[0])


def _gap(one: Box, other: Box) -> float:
    return max(one[1] - other[3], other[1] - one[3], 0.0)


def _union(boxes: Sequence[Sequence[float]]) -> Box:
    lefts, tops, rights, bottoms = zip(*boxes, strict=True)
    return [min(lefts), min(tops), max(rights), max(bottoms)]
