"""What quotes count, rows of tables among them. Pure.

A row is a line with `|` between its cells, as pages hold it.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from chat.verification.quantities.levelling import levelled
from chat.verification.quantities.matching import stands_in
from chat.verification.quantities.numbers import scaled
from chat.verification.quantities.reading import read
from chat.verification.quantities.types import Quantity, Reading, Role
from chat.verification.quantities.units import MONTHS, SECONDS, unit_in_header, unit_of

Place = tuple[int, int]  # row and column
Row = tuple[str, ...]


def read_rows(quotes: Sequence[str]) -> Reading:
    """All that quotes count; a column's unit, where its label gives one, is its numbers' too."""
    rows = _rows(quotes)
    headers = [[unit_in_header(levelled(cell)) for cell in row] for row in rows]
    extra = [
        quantity
        for units in headers
        for row in rows
        if any(units) and len(units) == len(row)
        for unit, cell in zip(units, row, strict=True)
        for quantity in (with_unit(cell, unit) if unit else ())
    ]
    readings = [read(quote) for quote in quotes]
    quantities = [q for one in readings for q in one.quantities]
    return Reading(
        (*quantities, *extra, *_two_in_a_row(quantities)),
        tuple(f for one in readings for f in one.frequencies),
        frozenset().union(*(one.occasions for one in readings)),
        tuple(name for one in readings for name in one.names),
        frozenset().union(*(one.codes for one in readings)),
        "\n".join(one.text for one in readings),
    )


def _two_in_a_row(quantities: Sequence[Quantity]) -> Iterator[Quantity]:
    """`16 and 17 years` is `16 to 17 years` too."""
    for one, other in itertools.pairwise(quantities):
        for low, high in itertools.product(one.readings, other.readings):
            is_whole = low.is_exact and high.is_exact and low.unit == high.unit
            if is_whole and 0 <= other.start - one.end <= len(" and ") and _is_next(one, other):
                yield replace(other, readings=(replace(low, high=high.high),))


def _is_next(one: Quantity, other: Quantity) -> bool:
    low, high = "".join(one.written), "".join(other.written)
    return low.isdecimal() and high.isdecimal() and int(high) == int(low) + 1


def with_unit(cell: str, unit: str) -> list[Quantity]:
    """The bare numbers of a cell, in the unit that its column's label gives."""
    base, worth = unit_of(unit)
    role = Role.UNKNOWN if base in (SECONDS, MONTHS) else Role.NONE
    return [
        replace(q, readings=tuple(scaled(r, worth, base) for r in q.readings), role=role)
        for q in read(cell).quantities
        if all(not reading.unit for reading in q.readings)
    ]


def mixes_rows(said: Reading, quotes: Sequence[str]) -> bool:
    """Whether it takes one cell of one row and one of another, and of both rows nothing else there.

    That is, the cells at the two other corners hold numbers that the claim doesn't say: `50 to 99
    kg` of one row with the dose of the next. A claim that tells both rows has all four corners.
    What stands in the text around the table, too, may be from there.
    """
    rows = _rows(quotes)
    if len(rows) < 2:
        return False
    said = _only_in_rows(said, quotes)
    for width in sorted({len(row) for row in rows}):
        if _mixes(said, [row for row in rows if len(row) == width]):
            return True
    return False


def _only_in_rows(said: Reading, quotes: Sequence[str]) -> Reading:
    lines = (line for quote in quotes for line in quote.split("\n") if "|" not in line)
    around = read("\n".join(lines))
    rates = {one.rate for one in around.frequencies}
    return Reading(
        tuple(one for one in said.quantities if not stands_in(one, around.quantities)),
        tuple(one for one in said.frequencies if one.rate not in rates),
    )


def _mixes(said: Reading, rows: Sequence[Row]) -> bool:
    counted: dict[Place, bool | None] = {
        (row, column): _said_of(cell, said, [line[column] for line in rows])
        for row, cells in enumerate(rows)
        for column, cell in enumerate(cells)
    }
    taken = [place for place, is_said in counted.items() if is_said]
    told = Counter(column for _, column in taken)  # a claim may tell one column of several rows
    alone = [(row, column) for row, column in taken if told[column] == 1]
    return any(
        row != row2 and counted[row, column2] is False and counted[row2, column] is False
        for (row, column), (row2, column2) in itertools.combinations(alone, 2)
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


def _rows(quotes: Sequence[str]) -> list[Row]:
    """Each once, in order."""
    lines = [line for quote in quotes for line in quote.split("\n") if "|" in line]
    return list(dict.fromkeys(tuple(cell.strip() for cell in line.split("|")) for line in lines))
