"""Place the cells of an OpenDocument table, without covered and hidden ones.

Source: OpenDocument 1.3, part 3, 9 (tables).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from xml.etree.ElementTree import Element

from corpus.parsing.lists import whole_number
from corpus.parsing.office.workbooks import MAX_AREA, MAX_CELLS, sheet_too_large

_HEADS = ("table-header-rows", "table-header-columns")
_AROUND = frozenset(
    ("table-rows", "table-columns", "table-row-group", "table-column-group", *_HEADS)
)
_DIGITS = 8


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


@dataclass
class _Line:
    """Rows or columns in their order, of which some are hidden."""

    starts: list[int] = field(default_factory=list)  # of hidden ones
    hidden: list[tuple[int, int]] = field(default_factory=list)  # before a start, and from it on
    size: int = 0

    def add(self, count: int, *, is_hidden: bool) -> None:
        if is_hidden:
            self.hidden.append((sum(self.hidden[-1]) if self.hidden else 0, count))
            self.starts.append(self.size)
        self.size += count

    def seen(self, number: int) -> int:
        """Return how many visible ones come before this one."""
        at = bisect_right(self.starts, number) - 1
        if at < 0:
            return number
        before, count = self.hidden[at]
        return number - before - min(count, number - self.starts[at])


def cells_in(table: Element, is_empty: Callable[[Element], bool]) -> tuple[list[Placed], bool]:
    """Return the visible cells in order, without empty ones, and whether one that holds is hidden.

    Raises ParseError (`sheet_too_large`).
    """
    down, across = _Line(), _Line()
    styles: list[str] = []
    for column, _, is_hidden in _walk(table, "table-column"):
        count = _number(column, "number-columns-repeated")
        across.add(count, is_hidden=is_hidden)
        kept = min(count, MAX_CELLS - len(styles))  # far more than any program has
        styles += [column.get("default-cell-style-name", "")] * kept
    rows = list(_walk(table, "table-row"))
    for row, _, is_hidden in rows:
        down.add(_number(row, "number-rows-repeated"), is_hidden=is_hidden)
    found: list[Placed] = []
    hidden, top, count = False, 0, 0
    for row, is_head, _ in rows:
        again = _number(row, "number-rows-repeated")
        cells = [(at, cell) for at, cell in _cells(row) if not is_empty(cell)]
        count += again * len(cells)
        if count > MAX_CELLS:
            raise sheet_too_large()
        for number in range(top, top + again if cells else top):
            for at, cell in cells:
                style = cell.get("style-name") or row.get("default-cell-style-name", "")
                style = style or (styles[at] if at < len(styles) else "")
                placed = _place(cell, number, at, down, across, style, is_head)
                hidden |= placed is None
                found += [placed] if placed else []
        top += again
    bottom = max((placed.row + placed.rows for placed in found), default=0)
    if bottom * max((p.column + p.columns for p in found), default=0) > MAX_AREA:
        raise sheet_too_large()
    return found, hidden


def _place(
    cell: Element, row: int, column: int, down: _Line, across: _Line, style: str, is_head: bool
) -> Placed | None:
    """Return a cell in its place; None for one that is hidden."""
    first, left = down.seen(row), across.seen(column)
    rows = down.seen(row + _number(cell, "number-rows-spanned")) - first
    columns = across.seen(column + _number(cell, "number-columns-spanned")) - left
    if not rows or not columns:
        return None
    return Placed(cell, first, left, rows, columns, style, is_head)


def _cells(row: Element) -> Iterator[tuple[int, Element]]:
    """Yield the cells of a row that none covers, with their columns; each repeated one apart."""
    at = 0
    for cell in row:
        count = _number(cell, "number-columns-repeated")
        if cell.tag == "table-cell" and (len(cell) or cell.get("formula") or cell.get("value")):
            if count > MAX_CELLS:
                raise sheet_too_large()
            yield from ((at + n, cell) for n in range(count))
        at += count if cell.tag in ("table-cell", "covered-table-cell") else 0


def _walk(
    parent: Element, tag: str, *, is_head: bool = False, is_hidden: bool = False
) -> Iterator[tuple[Element, bool, bool]]:
    """Yield the rows or columns of a table, whether they are heads, and whether they are hidden."""
    for child in parent:
        gone = is_hidden or child.get("display") == "false"
        if child.tag == tag:
            yield child, is_head, gone or child.get("visibility", "visible") != "visible"
        elif child.tag in _AROUND:
            yield from _walk(child, tag, is_head=is_head or child.tag in _HEADS, is_hidden=gone)


def _number(element: Element, name: str) -> int:
    return max(1, whole_number(element.get(name, "1"), 1, digits=_DIGITS))
