"""Tell whether the first row of a block of cells names its columns. Pure.

A wrong head turns a dose into another medicine's, so where both readings are possible there is
none.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto

from corpus.parsing.clean import clean_line

_FIGURE = re.compile(r"^[<>≤≥~±(\s]*\d[\d.,]*(?:\s*[-–]\s*\d[\d.,]*)?\s*([^\W\d_]+|%)?")


BOLD, NUMBER = "\ue007", "\ue008"  # private marks before the text of a cell; cleaning removes them


@dataclass(frozen=True)
class Filled:
    """A cell with content: raw text with marks, and the visible rows and columns that it spans."""

    raw: str
    rows: int
    columns: int

    @property
    def text(self) -> str:
        return clean_line(self.raw)

    @property
    def is_number(self) -> bool:
        return NUMBER in self.raw[:2]

    @property
    def is_bold(self) -> bool:
        return self.raw.startswith(BOLD)


Row = Mapping[int, Filled]  # by column


class Heads(Enum):
    """Where the names of a block's columns are: in its first row, above it, or nowhere."""

    OWN = auto()
    ABOVE = auto()
    NONE = auto()


def heads_of(rows: Sequence[Row], above: Row | None) -> Heads:
    """Tell where a block's heads are; `above` are those of the block above, of the same columns.

    `above` is None where there is no such block. A first row of values takes the heads above. A
    first row of words is heads if it is bold and the next is not, or if all columns but the first
    have figures below; below another block that alone counts.
    """
    first, below = rows[0], rows[1:]
    if any(cell.is_number for cell in first.values()):
        return Heads.ABOVE
    if below and _is_bold(first) and not _is_bold(below[0]):
        return Heads.OWN
    if above is None:
        return Heads.NONE if _holds_values(first, below) else Heads.OWN
    if _texts(first) == _texts(above):
        return Heads.OWN
    unlike = any(_unit(cell) is not None and not _figured(above, at) for at, cell in first.items())
    if unlike or _holds_values(first, below):
        return Heads.ABOVE
    if _over_figures(first, below):
        return Heads.NONE if _is_bold(above) else Heads.OWN
    return Heads.ABOVE if _is_bold(above) else Heads.NONE


def _is_bold(row: Row) -> bool:
    return all(cell.is_bold for cell in row.values())


def _texts(row: Row) -> dict[int, str]:
    return {at: cell.text.casefold() for at, cell in row.items()}


def _unit(cell: Filled) -> str | None:
    """Return the unit of the figure that a cell begins with, empty without one; None for text."""
    if cell.is_number:
        return ""
    match = _FIGURE.match(cell.text)
    return None if match is None else (match.group(1) or "").casefold()


def _figured(row: Row, at: int) -> bool:
    return at in row and _unit(row[at]) is not None


def _holds_values(first: Row, below: Sequence[Row]) -> bool:
    """Tell whether a first row has figures of the same unit as those that stand below them."""
    return any(
        (unit := _unit(cell)) is not None
        and any(at in row and _unit(row[at]) == unit for row in below)
        for at, cell in first.items()
    )


def _over_figures(first: Row, below: Sequence[Row]) -> bool:
    values = sorted(first)[1:]
    return bool(values) and all(
        not _figured(first, at) and any(_figured(row, at) for row in below) for at in values
    )
