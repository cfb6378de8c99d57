"""Find the nesting of list items by their left edges.

An item is nested in the nearest item above it that begins further left. Edges are compared relative
to the column and the page's margin, so that a list keeps its levels over a break. A paragraph that
begins left of an item's text ends that item's list; one that begins where the text does, doesn't.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from corpus.parsing.layout.flow import Part
from corpus.parsing.layout.paragraphs import Group
from corpus.parsing.layout.runs import Line
from corpus.parsing.lists import list_marker
from corpus.parsing.types import BlockKind

_SAME = 0.4  # font heights between the left edges of neighbours in one list ...
_LEAST = 4.0  # ... but at least so many points: a column's edge is known from its lines only
_BACK = 20.0  # points left of a column's edge: a line that begins there is in another column
_MAX_LINES = 500  # of a column that are looked through for where it begins
_MIN_PAGES = 3  # odd (or even) pages with one margin: fewer don't show that margins are mirrored
_FORMS = ((re.compile(r"\d+"), "1"), (re.compile("[a-h]"), "a"), (re.compile("[ivx]+"), "i"))


@dataclass(frozen=True)
class _Open:
    """A list that may go on: the left edges of its last item and its text, and its markers."""

    left: float
    text_left: float
    signs: frozenset[str]


def item_levels(pages: Sequence[Sequence[Part]]) -> dict[int, int]:
    """Return the level of each list item by the id of its group; 1 is the outermost.

    An item's level is at most one more than that of the item before it.
    """
    levels: dict[int, int] = {}
    lists: list[_Open] = []
    before: Group | None = None  # the item right above
    at = 0  # the level of the last item
    for parts, margin in zip(pages, _margins(pages), strict=True):
        offsets = _offsets(parts, margin)
        for part in parts:
            if not isinstance(part, Group) or part.kind is BlockKind.HEADING:
                lists, before = [], None
            elif part.kind is BlockKind.LIST_ITEM:
                if not (part.continues and at):
                    lists = _with_item(lists, part, offsets[id(part.lines[0])], before)
                    at = len(lists)
                levels[id(part)], before = at, part
            elif part.kind is not BlockKind.FOOTNOTE:
                # A paragraph belongs to the lists whose text begins at its left edge or before.
                left = min(line.box[0] - offsets[id(line)] for line in part.lines)
                reach = left + _near(part.lines[0])
                beyond = (n for n, item in enumerate(lists) if item.text_left > reach)
                lists, before = lists[: next(beyond, len(lists))], None
    return levels


def _with_item(
    lists: Sequence[_Open], item: Group, offset: float, before: Group | None
) -> list[_Open]:
    """Return the open lists after an item: the last one is the item's own."""
    first = item.lines[0]
    near = _near(first)
    sign = _sign(first.text)
    own = _Open(first.box[0] - offset, item.text_left - offset, frozenset((sign,)))
    kept = list(lists)
    while kept and not _is_beside(kept[-1], own, near) and kept[-1].left > own.left - near:
        kept.pop()
    beside = [at for at, other in enumerate(kept) if _is_beside(other, own, near)]
    if not beside:
        return [*kept, own]
    alike = [at for at in beside if sign in kept[at].signs]
    leads = before is not None and before.text.endswith(":") and len(kept) == len(lists)
    if leads and not alike:
        return [*kept, own]  # bullets below the number that introduces them, without an indent
    place = (alike or beside)[-1]
    return [*kept[:place], _Open(own.left, own.text_left, kept[place].signs | own.signs)]


def _near(line: Line) -> float:
    return max(_LEAST, _SAME * line.size)


def _is_beside(item: _Open, other: _Open, near: float) -> bool:
    """Tell whether two items belong to one list.

    They are flush; or they share a marker, and their texts are flush or their left edges are closer
    than half the indent of the text.
    """
    apart = abs(item.left - other.left)
    if apart <= near:
        return True
    halfway = (item.text_left - item.left) / 2
    flush = abs(item.text_left - other.text_left) <= near
    return bool(item.signs & other.signs) and (flush or apart < halfway)


def _sign(text: str) -> str:
    """Return an item's bullet, or the form of its number: `1.`, `(a)`, `i)`."""
    sign = (list_marker(text) or "").strip()
    for form, name in _FORMS:
        sign = form.sub(name, sign)
    return sign


def _offsets(parts: Sequence[Part], margin: float) -> dict[int, float]:
    """Return the left edge of each line's column by the line's id, in points.

    Measured from the first column, plus the page's `margin`.
    """
    lines = [(line, part) for part in parts if isinstance(part, Group) for line in part.lines]
    offsets: dict[int, float] = {}
    first = left = min((line.box[0] for line, _ in lines), default=0.0)
    for at, (line, _) in enumerate(lines):
        above, part = lines[max(0, at - 1)]
        right = part.column[2]
        if at and line.box[0] >= right and line.box[1] < above.box[3] - 2:  # the next column
            below = lines[at : at + _MAX_LINES]
            left = min(other.box[0] for other, _ in below if other.box[0] >= right)
        elif line.box[0] < left - _BACK:
            left = first
        offsets[id(line)] = margin + left - first
    return offsets


def _margins(pages: Sequence[Sequence[Part]]) -> list[float]:
    """Return the left margin of each page, in points: that of most odd or most even pages.

    All 0 where most odd pages, or most even ones, have no common margin.
    """
    lefts = [
        [line.box[0] for part in parts if isinstance(part, Group) for line in part.lines]
        for parts in pages
    ]
    sides = [_usual([min(left) for left in lefts[side::2] if left]) for side in (0, 1)]
    if None in sides:
        return [0.0] * len(pages)
    return [sides[at % 2] or 0.0 for at in range(len(pages))]


def _usual(lefts: Sequence[float]) -> float | None:
    """Return the left edge of most pages, in whole points; None if there is none, or too few."""
    edge, count = Counter(round(left) for left in lefts).most_common(1)[0] if lefts else (0, 0)
    return float(edge) if count >= _MIN_PAGES and 2 * count > len(lefts) else None
