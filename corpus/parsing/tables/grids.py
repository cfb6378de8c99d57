"""Tables from ruling lines: a grid of level and upright rules, or level rules alone (as printed in
journals)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from corpus.parsing.geometry import (
    PageCells,
    Rule,
    Word,
    connected,
    contains,
    middle,
    overlap,
    union,
)
from corpus.parsing.layout.ordering import Item, has_gutter
from corpus.parsing.layout.runs import Line, link_runs, rows_of
from corpus.parsing.layout.styles import CAPTION, is_title_of
from corpus.parsing.types import Box

_TOUCH = 3.0  # points between the ends of rules that still meet
_SAME = 4.0  # points between edges that count as one
_DRAWN = 0.25  # of the height of a table that its upright rules have on the average
_OPEN_ROW = 40.0  # points that a row without its outer rule reaches at most
_GRAPH_PAPER = 2000  # cells, of which hardly one in twenty has words: the ground of a drawing


@dataclass(frozen=True)
class Region:
    """Where a table stands, and its inner lines. `xs` is empty where no upright rule divides it."""

    box: Box
    xs: tuple[float, ...]  # column edges, outer ones too
    ys: tuple[float, ...]  # row edges, outer ones too
    rules: tuple[Box, ...]


def ruled_regions(page: PageCells) -> list[Region]:
    """Return the ruled tables of a page, from the top down, none inside another."""
    found: list[Region] = []
    grids = _grids(page)
    for region in [*grids, *_level_only(page, grids)]:
        if not any(_inside(region.box, other.box) for other in found):
            found.append(region)
    return sorted(found, key=lambda region: (region.box[1], region.box[0]))


def are_drawn(region: Region) -> bool:
    """Tell columns that upright rules divide from those that they divide in a row or two only."""
    left, top, right, bottom = region.box
    inner = [r for r in region.rules if _upright(r) and left + _SAME < r[0] < right - _SAME]
    drawn = sum(min(rule[3], bottom) - max(rule[1], top) for rule in inner)
    return drawn >= _DRAWN * (bottom - top) * (len(region.xs) - 2)


def without_title(region: Region, words: Sequence[Word]) -> Region:
    """Return a region without a first row that is the table's own title, `Table 3 ...`."""
    if len(region.ys) < 4:
        return region
    left, _, right, bottom = region.box
    row = (left, region.ys[0], right, region.ys[1])
    lines = rows_of(link_runs([word for word in words if contains(row, middle(word.box))]))
    if not lines or not is_title_of(lines[0][0].text):
        return region
    return replace(region, box=(left, region.ys[1], right, bottom), ys=region.ys[1:])


def _inside(box: Box, other: Box) -> bool:
    shared = overlap(box[0], box[2], other[0], other[2]) * overlap(
        box[1], box[3], other[1], other[3]
    )
    return shared > 0.5 * max(1.0, (box[2] - box[0]) * (box[3] - box[1]))


def _grids(page: PageCells) -> list[Region]:
    regions = []
    for group in connected([rule.box for rule in page.rules], lambda box: box, _TOUCH):
        xs = distinct([box[0] for box in group if _upright(box)])
        ys = distinct([box[1] for box in group if not _upright(box)])
        ys = _without_bar(group, xs, ys, page.words) if len(xs) > 2 else []
        if len(ys) < 3:
            continue
        left, _, right, _ = union(group)
        box = (left, ys[0], right, ys[-1])
        filled = {_cell_of(word, xs, ys) for word in page.words if contains(box, middle(word.box))}
        places = (len(xs) - 1) * (len(ys) - 1)
        if places > _GRAPH_PAPER and len(filled) * 20 < places:
            continue
        if len({column for column, _ in filled}) >= 2 and len({row for _, row in filled}) >= 2:
            regions.append(Region(box, tuple(xs), tuple(ys), tuple(group)))
    return regions


def _without_bar(
    rules: Sequence[Box], xs: Sequence[float], ys: Sequence[float], words: Sequence[Word]
) -> list[float]:
    """Return the edges of rows without those of a bar that touches the table at its side.

    What stands beside the bar is no row: nothing is drawn around it.
    """
    kept = list(ys)
    while len(kept) > 2 and _is_beside_bar(rules, xs, (kept[0], kept[1]), words):
        del kept[0]
    while len(kept) > 2 and _is_beside_bar(rules, xs, (kept[-2], kept[-1]), words):
        del kept[-1]
    return kept


def _is_beside_bar(
    rules: Sequence[Box], xs: Sequence[float], band: tuple[float, float], words: Sequence[Word]
) -> bool:
    """Tell a row of which uprights bound a part at its end, and most words stand elsewhere."""
    top, bottom = band
    tall = 0.5 * (bottom - top)
    drawn = [r[0] for r in rules if _upright(r) and overlap(r[1], r[3], top, bottom) > tall]
    row = (xs[0], top, xs[-1], bottom)
    inside = [middle(word.box)[0] for word in words if contains(row, middle(word.box))]
    edges = distinct(drawn)
    if len(edges) != 2 or edges[1] - edges[0] > 0.5 * (xs[-1] - xs[0]):
        return False
    if edges[0] > xs[0] + _SAME and edges[1] < xs[-1] - _SAME:
        return False
    return 2 * sum(edges[0] <= x <= edges[1] for x in inside) < len(inside)


def _upright(box: Box) -> bool:
    return box[3] - box[1] > box[2] - box[0]


def _cell_of(word: Word, xs: Sequence[float], ys: Sequence[float]) -> tuple[int, int]:
    x, y = middle(word.box)
    return (sum(x >= edge for edge in xs), sum(y >= edge for edge in ys))


def distinct(values: list[float]) -> list[float]:
    """Return sorted values, those closer than 4 points as one."""
    kept: list[float] = []
    for value in sorted(values):
        if not kept or value - kept[-1] > _SAME:
            kept.append(value)
    return kept


def _level_only(page: PageCells, grids: Sequence[Region]) -> list[Region]:
    """Find tables between level rules of equal length, such as those set with booktabs."""
    level = sorted(
        (
            rule.box
            for rule in _inner_rules(page)
            if not any(contains(grid.box, middle(rule.box), margin=1.0) for grid in grids)
        ),
        key=lambda box: box[1],
    )
    regions: list[Region] = []
    while level:
        first = level.pop(0)
        stack = [first]
        for box in list(level):
            if abs(box[0] - first[0]) > _SAME or abs(box[2] - first[2]) > _SAME:
                continue
            if not _is_tabular(page, union([stack[-1], box])):
                break
            stack.append(box)
            level.remove(box)
        if len(stack) >= 2:
            taken = [region.box for region in [*grids, *regions]]
            stack = [*_row_beyond(page, stack, taken, above=True), *stack]
            stack = [*stack, *_row_beyond(page, stack, taken, above=False)]
            box = union(stack)
            inner = [rule.box for rule in page.rules if contains(box, middle(rule.box), margin=1.0)]
            regions.append(Region(box, (), tuple(distinct([b[1] for b in stack])), tuple(inner)))
    return [region for region in regions if _has_columns(page, region.box)]


def _row_beyond(
    page: PageCells, stack: Sequence[Box], taken: Sequence[Box], *, above: bool
) -> list[Box]:
    """Return an edge beyond the rules of a table where a row like the next stands open there.

    What stands in `taken` belongs to other tables.
    """
    near, next_ = (stack[0], stack[1]) if above else (stack[-1], stack[-2])
    tall = min(abs(next_[1] - near[1]), _OPEN_ROW)
    edge = near[1] - tall if above else near[1] + tall
    top, bottom = sorted((near[1], edge))
    outside = (near[0], top, near[2], bottom)
    inside = (near[0], min(near[1], next_[1]), near[2], max(near[1], next_[1]))
    if any(overlap(top, bottom, box[1], box[3]) > 1 for box in taken):
        return []
    lefts = [[run.box[0] for run in link_runs(_words_in(page, box))] for box in (outside, inside)]
    alike = [x for x in set(map(round, lefts[0])) if any(abs(x - y) <= _SAME for y in lefts[1])]
    return [(near[0], edge, near[2], edge)] if len(alike) >= 2 else []


def _inner_rules(page: PageCells) -> list[Rule]:
    """Return level rules that are not those of a running header or footer."""
    edge = 0.08 * page.height
    return [
        rule for rule in page.rules if rule.horizontal and edge < rule.box[1] < page.height - edge
    ]


def _words_in(page: PageCells, box: Box) -> list[Word]:
    return [word for word in page.words if contains(box, middle(word.box))]


def _is_tabular(page: PageCells, box: Box) -> bool:
    """Tell rows of cells from a paragraph that happens to stand between two rules."""
    rows = rows_of(link_runs(_words_in(page, box)))
    if not rows:
        return box[3] - box[1] < 8  # a double rule
    if any(CAPTION.match(row[0].text) for row in rows):
        return False  # what stands below is another table
    if box[3] - box[1] > 0.8 * page.height:
        return False
    tall = box[3] - box[1] > 0.3 * page.height
    if tall and has_gutter([Item(0, run.box) for row in rows for run in row]):
        return False  # the text of two columns
    single = [row for row in rows if len(row) == 1 and _fills(row[0], box)]
    return len(single) <= max(1, len(rows) // 3)


def _fills(line: Line, box: Box) -> bool:
    return line.box[2] - line.box[0] > 0.7 * (box[2] - box[0])


def _has_columns(page: PageCells, box: Box) -> bool:
    rows = rows_of(link_runs(_words_in(page, box)))
    return len(rows) >= 2 and sum(len(row) >= 2 for row in rows) * 2 > len(rows)
