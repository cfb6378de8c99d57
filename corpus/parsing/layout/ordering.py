"""Find the reading order: divide a page into columns at gutters between full lines of text.

Titles, wide tables and figures may cross a gutter; they divide the page into bands, and each band
is read column by column. Each column is divided again, for pages with more than two.
"""

from __future__ import annotations

import math
from bisect import insort
from collections.abc import Sequence
from dataclasses import dataclass
from operator import itemgetter

from corpus.parsing.geometry import union
from corpus.parsing.types import Box

GUTTER = 7.0  # points; narrower than the gutter of any journal looked at (12 and more)
MIN_LINES = 4  # on each side of a gutter, together over the page
MAX_BANDS = 2  # stretches of lines across the columns: a title and a figure make as many
_STEP = 2.0
_MIN_FILL = 0.45  # of a column's width, by the median of its lines: cells of tables are shorter


@dataclass(frozen=True)
class Item:
    """A run to order, by its index, or a solid: a table, figure or panel.

    Solids do not count as lines of a text column.
    """

    index: int
    box: Box
    solid: bool = False


def order_items(items: Sequence[Item]) -> list[list[Item]]:
    """Return regions in reading order, each the items of one column from the top down."""
    if not items:
        return []
    gutter = _best_gutter(items)
    if gutter is None:
        return [_downwards(items)]
    regions: list[list[Item]] = []
    for band in _bands(items, gutter):
        left = [item for item in band if item.box[2] <= gutter + GUTTER / 2]
        rest = [item for item in band if item.box[2] > gutter + GUTTER / 2]
        right = [item for item in rest if item.box[0] >= gutter - GUTTER / 2]
        across = len(left) + len(right) < len(band)
        for part in [band] if across else [left, right]:
            whole = len(part) == len(items)
            regions += [_downwards(part)] if whole else order_items(part)
    return [region for region in regions if region]


def _downwards(items: Sequence[Item]) -> list[Item]:
    return sorted(items, key=lambda item: (item.box[1], item.box[0]))


def has_gutter(items: Sequence[Item]) -> bool:
    """Tell whether columns of running text stand side by side."""
    return bool(items) and _best_gutter(items) is not None


def columns_unsure(items: Sequence[Item]) -> bool:
    """Tell whether so many lines cross the gutter that the order of columns is a guess."""
    gutter = _best_gutter(items) if items else None
    if gutter is None:
        return False
    texts = [item for item in items if not item.solid]
    crossing = _crossing(texts, gutter)
    return len(_zones(crossing)) > MAX_BANDS and 4 * len(crossing) > len(texts)


def _crossing(items: Sequence[Item], gutter: float) -> list[Item]:
    left, right = gutter - GUTTER / 2, gutter + GUTTER / 2
    return [item for item in items if item.box[0] < left and item.box[2] > right]


def _best_gutter(items: Sequence[Item]) -> float | None:
    left, _, right, _ = union(item.box for item in items)
    places = [left + 0.15 * (right - left)]
    while places[-1] <= right:
        places.append(places[-1] + _STEP)
    scores = _gutter_scores(items, places)
    within = sum(x <= left + 0.85 * (right - left) for x in places)
    best = max(scores[:within], default=0.0)
    if best <= 0:
        return None
    first = end = scores.index(best)
    while end < len(scores) and scores[end] >= best:
        end += 1
    return places[(first + end) // 2]  # the middle of the white strip, not its first point


def _gutter_scores(items: Sequence[Item], places: Sequence[float]) -> list[float]:
    """Return for each x in the rising `places` how many lines a gutter there would separate.

    Less two for each line that crosses it; 0 where no columns stand on both sides.
    """
    texts = [item.box for item in items if not item.solid]
    lefts, rights = _Side(), _Side()
    by_right = sorted(texts, key=itemgetter(2))
    by_left = sorted(texts, key=itemgetter(0))
    before, after = [], []
    for x in places:
        while lefts.count < len(texts) and by_right[lefts.count][2] <= x - GUTTER / 2:
            lefts.add(by_right[lefts.count])
        before.append(lefts.lines)
    for x in reversed(places):
        while rights.count < len(texts) and by_left[-1 - rights.count][0] >= x + GUTTER / 2:
            rights.add(by_left[-1 - rights.count])
        after.append(rights.lines)
    return [
        max(0.0, ahead + behind - 2.0 * (len(texts) - ahead - behind)) if ahead and behind else 0.0
        for ahead, behind in zip(before, reversed(after), strict=True)
    ]


class _Side:
    """The lines on one side of a gutter, added one by one."""

    def __init__(self) -> None:
        self._widths: list[float] = []
        self._left, self._right = math.inf, -math.inf

    @property
    def count(self) -> int:
        return len(self._widths)

    @property
    def lines(self) -> int:
        """The number of lines; 0 where they are cells of a table and not a column of text.

        A column has four lines or more and is 60 points wide, and its median line fills 45 % of the
        width.
        """
        wide = self._right - self._left
        if self.count < MIN_LINES or wide < 60:
            return 0
        return self.count if self._widths[self.count // 2] >= _MIN_FILL * wide else 0

    def add(self, box: Box) -> None:
        insort(self._widths, box[2] - box[0])
        self._left, self._right = min(self._left, box[0]), max(self._right, box[2])


def _bands(items: Sequence[Item], gutter: float) -> list[list[Item]]:
    """Divide items into bands: columns, and in between what crosses the gutter.

    What stands beside a crossing item belongs to its band.
    """
    crossing = _crossing(items, gutter)
    zones = _zones([*crossing, *_last_lines(items, crossing)])
    bands: list[list[Item]] = [[] for _ in range(2 * len(zones) + 1)]
    for item in items:
        y = (item.box[1] + item.box[3]) / 2
        place = 2 * sum(y > bottom for _, bottom in zones)
        inside = any(top <= y <= bottom for top, bottom in zones)
        bands[place + 1 if inside else place].append(item)
    return [band for band in bands if band]


def _last_lines(items: Sequence[Item], crossing: Sequence[Item]) -> list[Item]:
    """Return the short last lines of paragraphs that run across the gutter.

    Nothing stands beside such a line.
    """

    def follows(box: Box, last: Box) -> bool:
        return abs(box[0] - last[0]) < 2 and 0 <= last[1] - box[3] < 0.7 * (last[3] - last[1])

    across = {id(item) for item in crossing}
    long = [item.box for item in crossing if not item.solid]
    return [
        item
        for item in items
        if not item.solid
        and id(item) not in across
        and any(follows(box, item.box) for box in long)
        and all(
            other is item or other.box[3] <= item.box[1] or other.box[1] >= item.box[3]
            for other in items
        )
    ]


def _zones(crossing: Sequence[Item]) -> list[tuple[float, float]]:
    """Return the vertical ranges of crossing items, from the top down.

    Ranges less than a line apart are joined.
    """
    zones: list[tuple[float, float]] = []
    for item in _downwards(crossing):
        _, top, _, bottom = item.box
        if zones and top - zones[-1][1] < bottom - top and bottom - top < 40:
            zones[-1] = (zones[-1][0], max(zones[-1][1], bottom))
        else:
            zones.append((max(top, zones[-1][1]) if zones else top, bottom))
    return zones
