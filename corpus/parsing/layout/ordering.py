"""Reading order: divide a page into columns where a gutter runs between full lines of text.

A gutter may be crossed by titles, wide tables and figures; what crosses it divides the page into
bands, and each band is read column by column. Applied again to each column, for pages with more
than two.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from corpus.parsing.geometry import union
from corpus.parsing.types import Box

GUTTER = 7.0  # points; narrower than the gutter of any journal looked at (12 and more)
MIN_LINES = 4  # on each side of a gutter, together over the page
MAX_BANDS = 2  # stretches of lines across the columns that a title and a figure explain
_STEP = 2.0
_MIN_FILL = 0.45  # of a column's width, by the median of its lines: cells of tables are shorter


@dataclass(frozen=True)
class Item:
    """Something to be ordered: a run (its index) or a table (solid: never part of a text
    column)."""

    index: int
    box: Box
    solid: bool = False


def order_items(items: Sequence[Item]) -> list[list[Item]]:
    """Return regions in reading order; each is a list of items in one column, from the top down."""
    if not items:
        return []
    gutter = _best_gutter(items)
    if gutter is None:
        return [_downwards(items)]
    regions: list[list[Item]] = []
    for band in _bands(items, gutter):
        left = [item for item in band if item.box[2] <= gutter + GUTTER / 2]
        right = [item for item in band if item.box[0] >= gutter - GUTTER / 2 and item not in left]
        across = len(left) + len(right) < len(band)
        for part in [band] if across else [left, right]:
            whole = len(part) == len(items)
            regions += [_downwards(part)] if whole else order_items(part)
    return [region for region in regions if region]


def _downwards(items: Sequence[Item]) -> list[Item]:
    return sorted(items, key=lambda item: (item.box[1], item.box[0]))


def has_gutter(items: Sequence[Item]) -> bool:
    """Tell whether columns of running text stand beside each other."""
    return bool(items) and _best_gutter(items) is not None


def columns_unsure(items: Sequence[Item]) -> bool:
    """Tell a page whose columns many lines of text cross, so that its order is a guess."""
    gutter = _best_gutter(items) if items else None
    if gutter is None:
        return False
    texts = [item for item in items if not item.solid]
    crossing = [
        item
        for item in texts
        if item.box[0] < gutter - GUTTER / 2 and item.box[2] > gutter + GUTTER / 2
    ]
    return len(_zones(crossing)) > MAX_BANDS and 4 * len(crossing) > len(texts)


def _best_gutter(items: Sequence[Item]) -> float | None:
    left, _, right, _ = union(item.box for item in items)
    best: tuple[float, float] | None = None
    x = left + 0.15 * (right - left)
    while x <= left + 0.85 * (right - left):
        score = _gutter_score(items, x)
        if score > 0 and (best is None or score > best[0]):
            best = (score, x)
        x += _STEP
    if best is None:
        return None
    plateau = [best[1]]  # the middle of the white strip, not its first point
    while _gutter_score(items, plateau[-1] + _STEP) >= best[0]:
        plateau.append(plateau[-1] + _STEP)
    return plateau[len(plateau) // 2]


def _gutter_score(items: Sequence[Item], x: float) -> float:
    """Return how many lines of text stand beside a gutter at `x`; 0 where there is none."""
    lefts, rights, crossing = [], [], 0
    for item in items:
        if item.box[2] <= x - GUTTER / 2:
            lefts.append(item)
        elif item.box[0] >= x + GUTTER / 2:
            rights.append(item)
        elif not item.solid:
            crossing += 1
    sides = [[item for item in side if not item.solid] for side in (lefts, rights)]
    if min(len(side) for side in sides) < MIN_LINES or not all(_is_text(side) for side in sides):
        return 0.0
    score = float(sum(len(side) for side in sides)) - 2.0 * crossing
    return max(score, 0.0)


def _is_text(side: Sequence[Item]) -> bool:
    """Tell a column of text from a column of cells: most of its lines fill most of its width."""
    left, _, right, _ = union(item.box for item in side)
    if right - left < 60:
        return False
    widths = sorted(item.box[2] - item.box[0] for item in side)
    return widths[len(widths) // 2] >= _MIN_FILL * (right - left)


def _bands(items: Sequence[Item], gutter: float) -> list[list[Item]]:
    """Cut at the items that cross the gutter: a band of columns, a band of what crosses, and so on.

    What stands beside a crossing item belongs to its band.
    """

    def crosses(item: Item) -> bool:
        return item.box[0] < gutter - GUTTER / 2 and item.box[2] > gutter + GUTTER / 2

    crossing = [item for item in items if crosses(item)]
    zones = _zones([*crossing, *_last_lines(items, crossing)])
    bands: list[list[Item]] = [[] for _ in range(2 * len(zones) + 1)]
    for item in items:
        y = (item.box[1] + item.box[3]) / 2
        place = 2 * sum(y > bottom for _, bottom in zones)
        inside = any(top <= y <= bottom for top, bottom in zones)
        bands[place + 1 if inside else place].append(item)
    return [band for band in bands if band]


def _last_lines(items: Sequence[Item], crossing: Sequence[Item]) -> list[Item]:
    """Return the short last lines of paragraphs that cross the gutter: nothing stands beside
    them."""
    found = []
    for item in items:
        if item.solid or item in crossing:
            continue
        step = item.box[3] - item.box[1]
        above = any(
            abs(other.box[0] - item.box[0]) < 2 and 0 <= item.box[1] - other.box[3] < 0.7 * step
            for other in crossing
            if not other.solid
        )
        alone = all(
            other is item or other.box[3] <= item.box[1] or other.box[1] >= item.box[3]
            for other in items
        )
        if above and alone:
            found.append(item)
    return found


def _zones(crossing: Sequence[Item]) -> list[tuple[float, float]]:
    """Return the heights that crossing items take, those a line apart as one, from the top down."""
    zones: list[tuple[float, float]] = []
    for item in _downwards(crossing):
        _, top, _, bottom = item.box
        if zones and top - zones[-1][1] < bottom - top and bottom - top < 40:
            zones[-1] = (zones[-1][0], max(zones[-1][1], bottom))
        else:
            zones.append((max(top, zones[-1][1]) if zones else top, bottom))
    return zones
