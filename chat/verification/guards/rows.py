"""What a claim says of a row of a table stands in that row, each value under its own label."""

from __future__ import annotations

from collections.abc import Sequence

from chat.verification.guards import durations, figures, frequencies
from chat.verification.types import Cited, Finding, Label
from chat.verification.wording.cells import Row, Table, Value, labelled
from chat.verification.wording.terms import content_keys

NAME = "rows"
_COUNTS = (figures.check, frequencies.check, durations.check)


def check(claim: str, cited: Cited) -> Finding | None:
    """A number that its column has nowhere, or values that no one row has together.

    Looks at claims that write labels of the quoted header with a colon. A value is of the rows
    whose cell counts the same and shares most of its words; a value that no cell comes near is for
    other guards. A cell that is empty may have been printed once for several rows.
    """
    for table, told in labelled(claim, cited.quotes):
        for values in told:
            if any(_is_counted_elsewhere(value, table) for value in values):
                return Finding(NAME, Label.CONTRADICTED, "number of another column of the table")
            if _is_mixed(values, table):
                return Finding(NAME, Label.CONTRADICTED, "values of different rows of the table")
    return None


def _is_counted_elsewhere(value: Value, table: Table) -> bool:
    cells = [row[value.column] for row in table.rows]
    label = table.header[value.column]
    return all(cells) and not any(_counts_alike(value.text, cell, label) for cell in cells)


def _counts_alike(said: str, cell: str, label: str) -> bool:
    """Whether a cell bears out all that is counted; as the one column of a table."""
    cited = Cited((f"| {cell}", f"| {label}"))
    return not any(check(said, cited) for check in _COUNTS)


def _is_mixed(values: Sequence[Value], table: Table) -> bool:
    """Whether no row has all of them."""
    every = set(range(len(table.rows)))
    return not every.intersection(*(_rows_of(value, table) for value in values))


def _rows_of(value: Value, table: Table) -> set[int]:
    """The rows that a value may be of."""
    label = table.header[value.column]
    empty = {at for at, row in enumerate(table.rows) if not row[value.column]}
    near = {
        at: _likeness(value.text, row, value.column)
        for at, row in enumerate(table.rows)
        if at not in empty and _counts_alike(value.text, row[value.column], label)
    }
    best = max(near.values(), default=0.0)
    return empty | {at for at, share in near.items() if share == best} or set(
        range(len(table.rows))
    )


def _likeness(said: str, row: Row, column: int) -> float:
    """Share of the words of both that are in both (Jaccard), in [0, 1]; 1 where there is none."""
    ours, theirs = content_keys(said), content_keys(row[column])
    return len(ours & theirs) / len(ours | theirs) if ours | theirs else 1.0
