"""Words and rules of a page, and measures of boxes for the layout engine."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from corpus.parsing.types import Box, Doubt

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Word:
    """One word as printed.

    `size` is the height of its font's box in points; `font` is empty if unknown; `place` counts the
    words of the file, -1 where their order is unknown; `after_blank` is true where the file prints
    a blank before the word. `base` is where its baseline is; None if unknown.
    """

    text: str
    box: Box
    size: float
    bold: bool = False
    font: str = ""
    place: int = -1
    after_blank: bool = False
    base: float | None = None


@dataclass(frozen=True, slots=True)
class Rule:
    """A ruling line: a drawn segment, or the edge of a drawn or filled rectangle."""

    box: Box

    @property
    def horizontal(self) -> bool:
        return self.box[2] - self.box[0] >= self.box[3] - self.box[1]


@dataclass(frozen=True, slots=True)
class Around:
    """A sign's word and its neighbours: their text, displayed box and direction."""

    text: str
    box: Box
    turn: int


@dataclass(frozen=True, eq=False, slots=True)
class Sign:
    """A sign that changes a value: its font, character, displayed box, font height and shape.

    `shape` is (16, 16) float32 in [0, 1], ink high; None if nothing was printed there or it is not
    compared. With `is_before` false it stands elsewhere than before a number, to be compared. With
    `is_other` true it is printed as another sign than its character.
    """

    font: str
    text: str
    box: Box
    size: float  # points
    around: Around
    shape: Any = None
    is_before: bool = False
    is_other: bool = False


@dataclass(frozen=True)
class PageCells:
    """All that the layout engine gets of a page, in a frame in which its text stands upright.

    `turn` is how far the text is turned clockwise on the displayed page; `displayed` maps boxes to
    that page. `drawn` holds the boxes of pictures and of all that is drawn with lines, `frames`
    those of closed boxes that can hold words, `unsure` the boxes and scores of lines that OCR was
    not sure of. `ocr_confidence` is that of the words read from a picture: some, or all. `insets`
    are the words in other directions, each in a frame in which they stand upright. `unmapped`
    counts the visible characters whose font does not say which letters they are, or that have a
    code for private use. `hidden` are the boxes of invisible words, on the displayed page,
    `raised` those of numbers of which the last digits may be raised, `cut` those of words at which
    text runs off the page. `gone` are the boxes of struck or covered words, and `notes` doubts
    about annotations with their boxes, both on the displayed page. `signs` are those of which
    `pdf/signs.py` compares the print.
    """

    number: int
    width: float
    height: float
    words: tuple[Word, ...]
    rules: tuple[Rule, ...] = ()
    ocr_confidence: float | None = None
    turn: int = 0
    doubts: tuple[Doubt, ...] = ()
    unsure: tuple[tuple[Box, float], ...] = ()
    drawn: tuple[Box, ...] = ()
    frames: tuple[Box, ...] = ()
    insets: tuple[PageCells, ...] = ()
    unmapped: int = 0
    hidden: tuple[Box, ...] = ()
    raised: tuple[Box, ...] = ()
    cut: tuple[Box, ...] = ()
    gone: tuple[Box, ...] = ()
    notes: tuple[tuple[Doubt, Box], ...] = ()
    signs: tuple[Sign, ...] = ()

    @property
    def is_scan(self) -> bool:
        """Whether OCR read most of the page's characters; words that it reads have no font."""
        seen = sum(len(word.text) for word in self.words if not word.font)
        most = 2 * seen >= sum(len(word.text) for word in self.words)
        return self.ocr_confidence is not None and most

    @property
    def displayed_size(self) -> tuple[float, float]:
        size = (self.width, self.height)
        return size[::-1] if self.turn in (90, 270) else size

    def displayed(self, box: Box) -> Box:
        """Return a box of the upright frame as a box on the displayed page, clipped to the page."""
        width, height = self.displayed_size
        left, top, right, bottom = box
        corners = {
            0: box,
            90: (width - bottom, left, width - top, right),
            180: (width - right, height - bottom, width - left, height - top),
            270: (top, height - right, bottom, height - left),
        }[self.turn]
        return (
            max(0.0, corners[0]),
            max(0.0, corners[1]),
            min(width, corners[2]),
            min(height, corners[3]),
        )


def upright(box: Box, size: tuple[float, float], turn: int) -> Box:
    """Return a box of a displayed page in the frame in which text with this `turn` is upright.

    `size` is that of the displayed page.
    """
    width, height = size
    left, top, right, bottom = box
    return {
        0: box,
        90: (top, width - right, bottom, width - left),
        180: (width - right, height - bottom, width - left, height - top),
        270: (height - bottom, left, height - top, right),
    }[turn]


def union(boxes: Iterable[Box]) -> Box:
    """Return the smallest box around all `boxes`; there must be at least one."""
    lefts, tops, rights, bottoms = zip(*boxes, strict=True)
    return (min(lefts), min(tops), max(rights), max(bottoms))


def common(box: Box | None, other: Box | None) -> Box | None:
    """Return the intersection of two boxes, without area if they are apart; None means no bound."""
    if box is None or other is None:
        return box or other
    left, top = max(box[0], other[0]), max(box[1], other[1])
    return (left, top, max(left, min(box[2], other[2])), max(top, min(box[3], other[3])))


def width(box: Box) -> float:
    return box[2] - box[0]


def height(box: Box) -> float:
    return box[3] - box[1]


def area(box: Box) -> float:
    return width(box) * height(box)


def shifted(box: Box, x: float, y: float) -> Box:
    return (box[0] + x, box[1] + y, box[2] + x, box[3] + y)


def middle(box: Box) -> tuple[float, float]:
    return ((box[0] + box[2]) / 2, (box[1] + box[3]) / 2)


def contains(box: Box, point: tuple[float, float], *, margin: float = 0.0) -> bool:
    x, y = point
    return box[0] - margin <= x <= box[2] + margin and box[1] - margin <= y <= box[3] + margin


def touch(box: Box, other: Box, reach: float) -> bool:
    """Tell whether two boxes overlap or are at most `reach` points apart."""
    across = min(box[2], other[2]) - max(box[0], other[0])
    down = min(box[3], other[3]) - max(box[1], other[1])
    return min(across, down) >= -reach


def connected(items: Iterable[T], box_of: Callable[[T], Box], reach: float) -> list[list[T]]:
    """Group items whose boxes touch, directly or through others.

    Groups are in order of their last item.
    """
    groups: list[list[T]] = []
    for item in items:
        box = box_of(item)
        near = [group for group in groups if any(touch(box, box_of(o), reach) for o in group)]
        rest = [group for group in groups if not any(group is other for other in near)]
        groups = [*rest, [*(other for group in near for other in group), item]]
    return groups


def overlap(start: float, end: float, other_start: float, other_end: float) -> float:
    """Return the length that two intervals share; 0 if they don't touch."""
    return max(0.0, min(end, other_end) - max(start, other_start))


def base_of(word: Word) -> float:
    """Return a word's baseline, or the foot of its box where that is unknown."""
    return word.box[3] if word.base is None else word.base


def same_row(box: Box, other: Box) -> bool:
    """Tell whether two boxes stand on one printed line: they share half of the smaller height."""
    shared = overlap(box[1], box[3], other[1], other[3])
    return shared >= 0.5 * min(height(box), height(other))


def typical_size(words: Sequence[Word]) -> float:
    """Return the median font height, weighted by characters; 10 without words."""
    sizes = [word.size for word in words for _ in word.text]
    from statistics import median  # late: it brings fractions and decimals, which XML does without

    return median(sizes) if sizes else 10.0


def merge_rules(rules: Sequence[Rule]) -> list[Rule]:
    """Join the pieces of one line, since tables are often drawn cell by cell."""
    level = _merge([rule.box for rule in rules if rule.horizontal], along=0)
    upright = _merge([rule.box for rule in rules if not rule.horizontal], along=1)
    return [Rule(box) for box in level + upright]


def _merge(boxes: Sequence[Box], *, along: int) -> list[Box]:
    """Join boxes that touch in one line, level for `along` 0 and upright for 1.

    A box is compared only with those at its height.
    """
    across = 1 - along
    merged: list[Box] = []
    open_from = 0
    for box in sorted(boxes, key=lambda b: (round(b[across]), b[along])):
        while open_from < len(merged) and merged[open_from][across] < box[across] - 3:
            open_from += 1
        for place in range(open_from, len(merged)):
            other = merged[place]
            close = abs(other[across] - box[across]) <= 1.5
            if close and box[along] <= other[along + 2] + 2 and box[along + 2] >= other[along] - 2:
                merged[place] = union([other, box])
                break
        else:
            merged.append(box)
    return merged
