"""Align the rows and columns of a table as read with those of the true table. Pure.

A lost row, or a column made of a double rule, shifts all that follow, though each cell still has
its right neighbours. So rows and columns are mapped in their order, each to a true row or column
not before its predecessor's, such that the most cells have equal words: first the columns, by the
words in each, then the rows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence

from bench.reading.types import Cell

Lines = Iterable[tuple[int, Hashable]]  # a row or column, and the text of one of its cells


def same_cells_aligned(true: Sequence[Cell], said: Sequence[Cell]) -> list[Cell]:
    """Return the true cells whose words were read in the row and column mapped to theirs."""
    columns = _mapped(((c.column, c.words) for c in true), ((c.column, c.words) for c in said))
    rows = _mapped(
        ((c.row, (c.column, c.words)) for c in true),
        ((c.row, (columns.get(c.column), c.words)) for c in said),
    )
    read = {(rows.get(c.row), columns.get(c.column), c.words) for c in said}
    return [cell for cell in true if (cell.row, cell.column, cell.words) in read]


def _mapped(true: Lines, said: Lines) -> dict[int, int]:
    wanted, got = _texts(true), _texts(said)
    weights = {(a, b): (got[a] & wanted[b]).total() for a in got for b in wanted}
    return _map_in_order(sorted(got), sorted(wanted), weights)


def _texts(lines: Lines) -> dict[int, Counter[Hashable]]:
    found: dict[int, Counter[Hashable]] = {}
    for line, text in lines:
        found.setdefault(line, Counter())[text] += 1
    return found


def _map_in_order(
    got: Sequence[int], wanted: Sequence[int], weights: Mapping[tuple[int, int], int]
) -> dict[int, int]:
    """Return the non-decreasing mapping of greatest weight; the first among equals."""
    best: list[tuple[int, tuple[int, ...]]] = [(0, ())] * len(wanted)  # by last line
    for one in got:
        row: list[tuple[int, tuple[int, ...]]] = []
        for at, other in enumerate(wanted):
            weight, way = best[at]
            here = (weight + weights[one, other], (*way, other))
            row.append(max(here, row[-1], key=_weight) if row else here)
        best = row
    return dict(zip(got, best[-1][1], strict=True)) if wanted else {}


def _weight(found: tuple[int, tuple[int, ...]]) -> int:
    return found[0]
