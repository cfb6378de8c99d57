"""What a claim says of a row of a table stands in that row, each value under its own label."""

from __future__ import annotations

from collections.abc import Sequence

from chat.verification.guards import durations, figures, frequencies
from chat.verification.quantities.levelling import levelled
from chat.verification.quantities.matching import stands_in
from chat.verification.quantities.reading import read
from chat.verification.quantities.rows import read_rows
from chat.verification.quantities.units import unit_in_header
from chat.verification.texts import normalised
from chat.verification.types import Cited, Finding, Label
from chat.verification.wording.cells import (
    Row,
    Table,
    Value,
    distinct_labels,
    label_words,
    labelled,
    tables,
)
from chat.verification.wording.statements import Statement, statements
from chat.verification.wording.terms import content_keys

NAME = "rows"
_COUNTS = (figures.check, frequencies.check, durations.check)


def check(claim: str, cited: Cited) -> Finding | None:
    """A number that its column has nowhere, or values that no one row has together.

    SearchLog at claims that write labels of the quoted header with a colon. A value is of the rows
    whose cell counts the same and shares most of its words; a value that no cell comes near is for
    other guards. A cell that is empty may have been printed once for several rows. What is a whole
    quote as it stands mixes nothing.
    """
    if normalised(claim) in map(normalised, cited.quotes):
        return None
    for table, told in labelled(claim, cited.quotes):
        for values in told:
            if any(_is_counted_elsewhere(value, table) for value in values):
                return Finding(NAME, Label.CONTRADICTED, "number of another column of the table")
            if _is_mixed(values, table):
                return Finding(NAME, Label.CONTRADICTED, "values of different rows of the table")
    if any(_is_under_another(each, table) for each in statements(claim) for table in tables(cited)):
        return Finding(NAME, Label.CONTRADICTED, "value of another column of the table")
    return None


def _is_under_another(said: Statement, table: Table) -> bool:
    """Whether a sentence names one column, says nothing of what stands there, and has what another
    one holds: `without bleeding 3 mg` of `minor bleeding: 3 mg; no bleeding: 2 mg`.

    The first column says which row it is.
    """
    words = label_words(said.text)
    labels = distinct_labels(table.header)
    columns = range(1, len(table.header))
    named = [column for column in columns if labels[column] and labels[column] <= words]
    others = [column for column in columns if column not in named]
    if len(named) != 1 or not others or not any(row[named[0]] for row in table.rows):
        return False
    return any(
        not _is_told(said, row, named[0], table)
        and any(_is_told(said, row, o, table) for o in others)
        for row in table.rows
        if row[named[0]]
    )


def _is_told(said: Statement, row: Row, column: int, table: Table) -> bool:
    """Whether a sentence says a number of a cell, or of words what no other cell of the row has."""
    cell, label = row[column], table.header[column]
    others = (each for each in row if each != cell)
    own = content_keys(cell) - frozenset[str]().union(*map(content_keys, (label, *others)))
    if read(cell).quantities:
        return _counts_of(said, cell, label)
    return bool(own & said.keys)


def _counts_of(said: Statement, cell: str, label: str) -> bool:
    held = read_rows(_alone(cell, label)).quantities
    return any(stands_in(one, held) for one in read(said.text).quantities)


def _alone(cell: str, label: str) -> tuple[str, str]:
    """A cell as the one column of a table, under what its label says of units and nothing else."""
    unit = unit_in_header(levelled(label))
    return f"| {cell}", f"| ({unit})" if unit else "|"


def _is_counted_elsewhere(value: Value, table: Table) -> bool:
    cells = [row[value.column] for row in table.rows]
    label = table.header[value.column]
    return all(cells) and not any(_counts_alike(value.text, cell, label) for cell in cells)


def _counts_alike(said: str, cell: str, label: str) -> bool:
    """Whether a cell bears out all that is counted."""
    cited = Cited(_alone(cell, label))
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
