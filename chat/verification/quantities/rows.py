"""Whether a claim puts together what stands in different rows of a table. Pure."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from chat.verification.quantities.matching import stands_in
from chat.verification.quantities.reading import read, with_unit
from chat.verification.quantities.levelling import levelled
from chat.verification.quantities.types import Reading
from chat.verification.quantities.units import unit_in_header

Place = tuple[int, int]  # row and column


def mixes_rows(said: Reading, quotes: Sequence[str]) -> bool:
    """Whether it takes one cell of one row and one of another, and of both rows nothing else there.

    That is, the cells at the two other corners hold numbers that the claim doesn't say: `50 to 99
    kg` of one row with the dose of the next. A claim that tells both rows has all four corners.
    """
    lines = [line for quote in quotes for line in quote.split("\n") if "|" in line]
    rows = [[cell.strip() for cell in line.split("|")] for line in dict.fromkeys(lines)]
    for width in sorted({len(row) for row in rows}):
        if _mixes(said, [row for row in rows if len(row) == width]):
            return True
    return False


def _mixes(said: Reading, rows: Sequence[Sequence[str]]) -> bool:
    counted = {
        (row, column): _said_of(cell, said, [line[column] for line in rows])
        for row, cells in enumerate(rows)
        for column, cell in enumerate(cells)
    }
    taken = [place for place, is_said in counted.items() if is_said]
    for (row, column), (row2, column2) in itertools.combinations(taken, 2):
        corners = ((row, column2), (row2, column))
        if row != row2 and column != column2 and all(counted[c] is False for c in corners):
            if not any(_is_elsewhere(counted, place) for place in ((row, column), (row2, column2))):
                return True
    return False


def _is_elsewhere(counted: dict[Place, bool | None], place: Place) -> bool:
    """Whether the same column has it in another row, too."""
    return any(
        is_said and other != place and other[1] == place[1] for other, is_said in counted.items()
    )


def _said_of(cell: str, said: Reading, column: Sequence[str]) -> bool | None:
    """Whether the claim says what a cell counts; None where it counts nothing."""
    held = read(cell)
    units = [unit for label in column if (unit := unit_in_header(levelled(label)))]
    quantities = [*held.quantities, *(q for unit in units for q in with_unit(cell, unit))]
    rates = {one.rate for one in held.frequencies}
    if not quantities and not rates:
        return None
    return any(stands_in(one, quantities) for one in said.quantities) or any(
        one.rate in rates for one in said.frequencies
    )
