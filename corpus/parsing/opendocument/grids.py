"""Place the cells of an OpenDocument table, without covered and hidden ones.

Source: OpenDocument 1.3, part 3, 9 (tables).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import accumulate, chain, islice, repeat
from xml.etree.ElementTree import Element

from corpus.parsing.lists import whole_number
from corpus.parsing.office.workbooks import MAX_AREA, MAX_CELLS, sheet_too_large

_HEADS = ("table-header-rows", "table-header-columns")
_AROUND = frozenset(
    ("table-rows", "table-columns", "table-row-group", "table-column-group", *_HEADS)
)
_DIGITS = 8
_MOST_LINES = 2**21  # twice what any program has
_Line = tuple[Element, bool, bool]  # a row or column, whether it is a head, whether it is hidden


@dataclass(frozen=True)
class Placed:
    """A visible cell: its place among the visible ones, how far it spans, and its style's name."""

    cell: Element
    row: int
    column: int
    rows: int
    columns: int
    style: str
    is_head: bool


def cells_in(table: Element, is_empty: Callable[[Element], bool]) -> tuple[list[Placed], bool]:
    """Return the visible cells in order, without empty ones, and whether one that holds is hidden.

    Raises ParseError (`sheet_too_large`).
    """
    columns = _lines(table, "table-column")
    across, down = _visible(columns), _visible(_lines(table, "table-row"))
    found: list[Placed] = []
    hidden, top, count = False, 0, 0
    for row, is_head, _ in _walk(table, "table-row"):
        again, cells = _number(row, "number-rows-repeated"), list(_cells(row, is_empty))
        count += again * len(cells)
        if count > MAX_CELLS:
            raise sheet_too_large()
        for number in range(top, top + again if cells else top):
            for at, cell in cells:
                style = cell.get("style-name", "") or row.get("default-cell-style-name", "")
                if not style and at < len(columns):
                    style = columns[at][0].get("default-cell-style-name", "")
                first, left = _before(down, number), _before(across, at)
                rows = _before(down, number + _number(cell, "number-rows-spanned")) - first
                wide = _before(across, at + _number(cell, "number-columns-spanned")) - left
                hidden |= not (rows and wide)
                if rows and wide:
                    found.append(Placed(cell, first, left, rows, wide, style, is_head))
        top += again
    bottom = max((placed.row + placed.rows for placed in found), default=0)
    if bottom * max((p.column + p.columns for p in found), default=0) > MAX_AREA:
        raise sheet_too_large()
    return found, hidden


def _lines(table: Element, tag: str) -> list[_Line]:
    """Return the rows or columns of a table, each repeated one apart."""
    repeated = f"number-{tag.removeprefix('table-')}s-repeated"
    each = (repeat(line, _number(line[0], repeated)) for line in _walk(table, tag))
    lines = list(islice(chain.from_iterable(each), _MOST_LINES))
    if len(lines) == _MOST_LINES:
        raise sheet_too_large()
    return lines


def _visible(lines: list[_Line]) -> list[int]:
    """Return how many visible lines come before each, and before the end."""
    return list(accumulate((not is_hidden for _, _, is_hidden in lines), initial=0))


def _before(visible: list[int], number: int) -> int:
    last = len(visible) - 1  # what a table does not name is visible
    return visible[min(number, last)] + max(0, number - last)


def _cells(row: Element, is_empty: Callable[[Element], bool]) -> Iterator[tuple[int, Element]]:
    """Yield the cells of a row that none covers, with their columns; each repeated one apart."""
    at = 0
    for cell in row:
        count = _number(cell, "number-columns-repeated")
        if cell.tag == "table-cell" and not is_empty(cell):
            if count > MAX_CELLS:
                raise sheet_too_large()
            yield from ((at + n, cell) for n in range(count))
        at += count if cell.tag in ("table-cell", "covered-table-cell") else 0


def _walk(
    parent: Element, tag: str, *, is_head: bool = False, is_hidden: bool = False
) -> Iterator[_Line]:
    for child in parent:
        gone = is_hidden or child.get("display") == "false"
        if child.tag == tag:
            yield child, is_head, gone or child.get("visibility", "visible") != "visible"
        elif child.tag in _AROUND:
            yield from _walk(child, tag, is_head=is_head or child.tag in _HEADS, is_hidden=gone)


def _number(element: Element, name: str) -> int:
    return max(1, whole_number(element.get(name, "1"), 1, digits=_DIGITS))
