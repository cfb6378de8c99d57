"""Read what is drawn on a page of a PDF: rules, boxes around text, pictures."""

from __future__ import annotations

import ctypes
import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import pypdfium2.raw as raw
from pypdfium2 import PdfMatrix

from corpus.parsing.geometry import (
    Rule,
    common,
    contains,
    height,
    merge_rules,
    union,
    width,
)
from corpus.parsing.types import Box, Doubt

MIN_RULE = 8.0  # points
MIN_LINE, MAX_LINE = 3.0, 5.0  # points: the length that strikes out a digit, and a thickness
MAX_THICKNESS = 3.0
MAX_OBJECTS = 50_000  # of a page; a map has more, and no text stands in their boxes
_PAINTED = (
    raw.FPDF_PAGEOBJ_TEXT,
    raw.FPDF_PAGEOBJ_PATH,
    raw.FPDF_PAGEOBJ_IMAGE,
    raw.FPDF_PAGEOBJ_SHADING,
)
MAX_RULES = 1_000  # of a page, after joining; the fullest page of a guideline has 200
_MAX_EDGES = 400_000  # of all paths of a page; of the paths that follow only bounds are read
_MAX_SEGMENTS = 400  # of a path; one with more is a drawing, of which only bounds are read
_MAX_DEPTH = 8  # of forms in each other
_BACKGROUND = 0.7  # of the page's area
_MIN_FRAME = (20.0, 8.0)  # width and height of a box that can hold words
_SAME_COLOUR = 6  # of 255; what differs by less nobody sees
_MAX_GROUNDS = 200
_MAX_FILLS = 1_000  # boxes of one colour on a page
_SEAM = 0.5  # points between boxes that are painted as one
TOO_MANY_RULES = Doubt(
    "too_many_rules",
    "So many lines are drawn on this page that none was taken for the rule of a table. Check its "
    "tables.",
)
_WHITE, _BLACK = (255, 255, 255), (0, 0, 0)

Colour = tuple[int, int, int]
Point = tuple[float, float]
Segment = tuple[Point, Point]  # a straight line on the displayed page
Placed = tuple[int, Segment]  # with its place in the order of painting


class Painted(NamedTuple):
    """An object of a page, with the matrix and the clips of the forms that contain it.

    `window` is the box, in user space, that those clips leave; None without clips.
    """

    handle: Any
    kind: int
    place: PdfMatrix
    window: Box | None

    @property
    def address(self) -> int:
        return ctypes.addressof(self.handle.contents)


@dataclass(frozen=True)
class Frame:
    """Maps a page's user space (y upwards, uncropped) to the displayed page."""

    turn: int
    size: tuple[float, float]
    origin: tuple[float, float]

    @classmethod
    def of(cls, page: Any) -> Frame:
        return cls(int(page.get_rotation()), page.get_size(), page.get_bbox()[:2])

    def displayed(self, x0: float, y0: float, x1: float, y1: float) -> Box:
        """Return a rectangle of user space as a box on the displayed page."""
        wide, tall = self.size
        left, bottom = self.origin
        x0, x1, y0, y1 = x0 - left, x1 - left, y0 - bottom, y1 - bottom
        if self.turn == 0:
            return (x0, tall - y1, x1, tall - y0)
        if self.turn == 90:
            return (y0, x0, y1, x1)
        if self.turn == 180:
            return (wide - x1, y0, wide - x0, y1)
        return (wide - y1, tall - x1, wide - y0, tall - x0)


@dataclass(frozen=True)
class Drawings:
    """What is drawn on a page, as boxes on the displayed page.

    `frames` are closed boxes that can hold words; `art` is all that is drawn, pictures included,
    except the page's background; `covers` are all boxes that hide what was painted before, each
    with its place in the order of painting. `lines` are all straight lines, thin boxes among them.
    """

    rules: tuple[Rule, ...]
    frames: tuple[Box, ...]
    art: tuple[Box, ...]
    doubts: tuple[Doubt, ...] = ()
    covers: tuple[tuple[int, Box], ...] = ()
    lines: tuple[Placed, ...] = ()


def drawings(painted: Sequence[Painted], frame: Frame) -> Drawings:
    """Return the visible drawings of a page; `painted` are all objects of the page in order."""
    rules: list[Rule] = []
    frames: list[Box] = []
    art: list[Box] = []
    covers: list[tuple[int, Box]] = []
    fills: dict[Colour, list[Box]] = {}
    lines: list[Placed] = []
    grounds = _Grounds()
    area = _BACKGROUND * frame.size[0] * frame.size[1]
    edges = 0

    def add(box: Box, points: Sequence[Point], straight: Sequence[bool]) -> None:
        rules.extend(_rules(points, straight, box, frame.size))
        if width(box) * height(box) < area:
            art.append(box)
            can_hold = width(box) >= _MIN_FRAME[0] and height(box) >= _MIN_FRAME[1]
            frames.extend([box] if can_hold and len(points) >= 4 else [])

    drawn = ((at, each) for at, each in enumerate(painted) if each.kind != raw.FPDF_PAGEOBJ_TEXT)
    for at, (handle, kind, place, _) in itertools.islice(drawn, MAX_OBJECTS):
        if kind != raw.FPDF_PAGEOBJ_PATH:
            box = bounds(handle, place, frame)
            covers += [(at, box)] if box else []
            is_art = kind == raw.FPDF_PAGEOBJ_IMAGE and box and width(box) * height(box) < area
            art += [box] if box and is_art else []
            continue
        count = raw.FPDFPath_CountSegments(handle)
        is_told = count <= _MAX_SEGMENTS and edges <= _MAX_EDGES
        edges += count if is_told else 0
        points, straight = _outline(handle, place, frame, count if is_told else None)
        if not points:
            continue
        box = union((x, y, x, y) for x, y in points)
        is_thin = min(width(box), height(box)) <= MAX_THICKNESS
        covers += [(at, box)] if not is_thin and _paint(handle)[0] else []
        seen = grounds.paint(handle, box)
        if seen is None:
            continue
        fill, stroke = seen
        thick = _stroke_width(handle, place) if stroke else 0.0
        if thick > MAX_LINE:
            covers.append((at, _grown(box, thick / 2)))
        elif stroke or is_thin:
            lines += ((at, line) for line in _lines(points, straight, box))
        level = all(
            abs(a[0] - b[0]) < 0.5 or abs(a[1] - b[1]) < 0.5 for a, b in itertools.pairwise(points)
        )
        if fill and not stroke and len(points) <= 6 and level and all(straight[1:]):
            fills.setdefault(fill, []).append(box)
        else:
            add(box, points, straight)
    for box in (box for colour in sorted(fills) for box in _areas(fills[colour])):
        left, top, right, bottom = box
        corners = [(left, top), (right, top), (right, bottom), (left, bottom), (left, top)]
        add(box, corners, [False, True, True, True, True])
    merged = merge_rules(rules)
    doubts = (TOO_MANY_RULES,) if len(merged) > MAX_RULES else ()
    rules = [] if doubts else merged
    shown = tuple(dict.fromkeys(frames))
    return Drawings(tuple(rules), shown, tuple(art), doubts, tuple(covers), tuple(lines))


def _stroke_width(handle: Any, place: PdfMatrix) -> float:
    """Return how thick a path is drawn, in points."""
    thick, whole = ctypes.c_float(), _matrix(handle).multiply(place)
    raw.FPDFPageObj_GetStrokeWidth(handle, thick)
    return float(thick.value * abs(whole.a * whole.d - whole.b * whole.c) ** 0.5)


def _grown(box: Box, by: float) -> Box:
    return (box[0] - by, box[1] - by, box[2] + by, box[3] + by)


def _lines(points: Sequence[Point], straight: Sequence[bool], box: Box) -> Iterator[Segment]:
    """Yield the straight lines of a path; one along the middle of a thin box."""
    left, top, right, bottom = box
    if bottom - top <= MAX_THICKNESS <= right - left and len(points) > 2:
        yield (left, (top + bottom) / 2), (right, (top + bottom) / 2)
        return
    for (start, end), is_line in zip(itertools.pairwise(points), straight[1:], strict=True):
        if is_line and math.dist(start, end) >= MIN_LINE:
            yield start, end


def _areas(boxes: Sequence[Box]) -> list[Box]:
    """Merge touching boxes of one colour, since the edge between them is invisible.

    Boxes that fill an area only in part, as a frame of strips does, become the box around them.
    """

    def touches(box: Box, other: Box) -> bool:
        across = min(box[2], other[2]) - max(box[0], other[0])
        down = min(box[3], other[3]) - max(box[1], other[1])
        return min(across, down) >= -_SEAM and max(across, down) > 1

    done: list[list[Box]] = []
    groups: list[list[Box]] = []  # groups that the boxes still to come may touch
    for box in sorted(set(boxes[:_MAX_FILLS]), key=lambda b: (b[1], b[0], b)):
        done += [g for g in groups if max(b[3] for b in g) < box[1] - 1]
        groups = [g for g in groups if max(b[3] for b in g) >= box[1] - 1]
        near = [g for g in groups if any(touches(box, other) for other in g)]
        joined = [box, *(other for group in near for other in group)]
        groups = [*(g for g in groups if not any(g is other for other in near)), joined]
    return [union(group) for group in [*done, *groups]]


class _Grounds:
    """The filled boxes painted so far, to find paths in the colour of the ground below them."""

    def __init__(self) -> None:
        self._filled: list[tuple[Box, Colour]] = []

    def paint(self, path: Any, box: Box) -> tuple[Colour | None, Colour | None] | None:
        """Return the visible colours of a path's fill and stroke; None if neither is visible.

        A colour is None where there is none, or where it is that of the ground. Call in paint
        order.
        """
        filled, stroked = _paint(path)
        corners = (box[:2], box[2:])
        ground = next(
            (
                colour
                for other, colour in reversed(self._filled)
                if all(contains(other, corner, margin=1) for corner in corners)
            ),
            _WHITE,
        )
        fill = _colour(path, raw.FPDFPageObj_GetFillColor) if filled else None
        stroke = _colour(path, raw.FPDFPageObj_GetStrokeColor) if stroked else None
        if fill and min(width(box), height(box)) > MAX_THICKNESS:
            self._filled = [*self._filled[-_MAX_GROUNDS:], (box, fill)]
        shown = (
            fill if fill and _differs(fill, ground) else None,
            stroke if stroke and _differs(stroke, fill or ground) else None,
        )
        return shown if any(shown) else None


def _differs(colour: Colour, ground: Colour) -> bool:
    return any(abs(a - b) > _SAME_COLOUR for a, b in zip(colour, ground, strict=True))


def _colour(path: Any, ask: Any) -> Colour | None:
    """Return a colour; None if it is transparent, black if it is a pattern."""
    parts = [ctypes.c_uint() for _ in range(4)]
    if not ask(path, *parts):
        return _BLACK
    red, green, blue, alpha = (part.value for part in parts)
    return (red, green, blue) if alpha else None


def objects(page: Any) -> Iterator[Painted]:
    """Yield a page's objects in paint order, forms unpacked: text, paths, pictures, shadings."""
    for index in range(raw.FPDFPage_CountObjects(page.raw)):
        yield from _unpacked(raw.FPDFPage_GetObject(page.raw, index), PdfMatrix(), None, 0)


def _unpacked(handle: Any, place: PdfMatrix, window: Box | None, depth: int) -> Iterator[Painted]:
    kind = raw.FPDFPageObj_GetType(handle)
    if kind in _PAINTED:
        yield Painted(handle, kind, place, window)
    elif kind == raw.FPDF_PAGEOBJ_FORM and depth < _MAX_DEPTH:
        inner = _matrix(handle).multiply(place)
        window = common(window, clip_of(handle, place))
        for index in range(raw.FPDFFormObj_CountObjects(handle)):
            part = raw.FPDFFormObj_GetObject(handle, index)
            yield from _unpacked(part, inner, window, depth + 1)


def clip_of(handle: Any, place: PdfMatrix) -> Box | None:
    """Return the box, in user space, that an object's own clip leaves; None without a clip."""
    clip = raw.FPDFPageObj_GetClipPath(handle)
    count = raw.FPDFClipPath_CountPaths(clip) if clip else 0
    if count <= 0:
        return None
    kept: Box | None = None
    x, y = ctypes.c_float(), ctypes.c_float()
    for path in range(count):
        points = []
        for index in range(raw.FPDFClipPath_CountPathSegments(clip, path)):
            segment = raw.FPDFClipPath_GetPathSegment(clip, path, index)
            raw.FPDFPathSegment_GetPoint(segment, x, y)
            points.append(place.on_point(x.value, y.value))
        kept = common(kept, union((*p, *p) for p in points) if points else (0.0, 0.0, 0.0, 0.0))
    return kept


def _matrix(handle: Any) -> PdfMatrix:
    matrix = raw.FS_MATRIX()
    raw.FPDFPageObj_GetMatrix(handle, matrix)
    return PdfMatrix.from_raw(matrix)


def bounds(handle: Any, place: PdfMatrix, frame: Frame) -> Box | None:
    """Return the box of an object on the displayed page; None if PDFium gives none."""
    values = [ctypes.c_float() for _ in range(4)]
    if not raw.FPDFPageObj_GetBounds(handle, *values):
        return None
    left, bottom, right, top = (value.value for value in values)
    corners = [place.on_point(x, y) for x in (left, right) for y in (bottom, top)]
    x0, y0, x1, y1 = union((x, y, x, y) for x, y in corners)
    return frame.displayed(x0, y0, x1, y1)


def _paint(handle: Any) -> tuple[bool, bool]:
    mode, stroke = ctypes.c_int(), ctypes.c_int()
    if not raw.FPDFPath_GetDrawMode(handle, mode, stroke):
        return False, False
    return mode.value != raw.FPDF_FILLMODE_NONE, bool(stroke.value)


def _outline(
    handle: Any, place: PdfMatrix, frame: Frame, count: int | None
) -> tuple[list[Point], list[bool]]:
    """Return a path's points on the displayed page, and whether a straight line leads to each.

    `count` is the number of segments; if None, only two opposite corners of the bounds are
    returned.
    """
    whole = _matrix(handle).multiply(place)
    if count is None:
        box = bounds(handle, place, frame)
        corners = [(box[0], box[1]), (box[2], box[3])] if box else []
        return corners, [False] * len(corners)
    points: list[Point] = []
    straight: list[bool] = []
    start = 0
    x, y = ctypes.c_float(), ctypes.c_float()
    for index in range(count):
        segment = raw.FPDFPath_GetPathSegment(handle, index)
        raw.FPDFPathSegment_GetPoint(segment, x, y)
        kind = raw.FPDFPathSegment_GetType(segment)
        at = whole.on_point(x.value, y.value)
        box = frame.displayed(*at, *at)
        if kind == raw.FPDF_SEGMENT_MOVETO:
            start = len(points)
        points.append((box[0], box[1]))
        straight.append(kind == raw.FPDF_SEGMENT_LINETO)
        if raw.FPDFPathSegment_GetClose(segment) and points[start] != points[-1]:
            points.append(points[start])
            straight.append(True)
    return points, straight


def _rules(
    points: Sequence[Point],
    straight: Sequence[bool],
    box: Box,
    size: tuple[float, float],
) -> list[Rule]:
    """Return the straight, level or upright edges of a path that are long enough for rules."""
    if width(box) * height(box) > 0.8 * size[0] * size[1]:
        return []  # the page's background
    if min(box[0], box[1], size[0] - box[2], size[1] - box[3]) < -2:
        return []  # of a drawing that is cut off
    if min(width(box), height(box)) <= MAX_THICKNESS:
        return [Rule(box)] if max(width(box), height(box)) >= MIN_RULE else []
    edges = [
        union([(*start, *start), (*end, *end)])
        for start, end, line in zip(points, points[1:], straight[1:], strict=False)
        if line
    ]
    return [
        Rule(edge)
        for edge in edges
        if min(width(edge), height(edge)) <= 0.5 and max(width(edge), height(edge)) >= MIN_RULE
    ]
