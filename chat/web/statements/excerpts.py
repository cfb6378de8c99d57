"""Lay out the excerpt of a passage: rows of one table together, as their page has them.

An excerpt is stored as texts. What of them is a row is told by its page: a text is laid out in
cells only if all of it is the row's heads and cells, with a line in front and notes in brackets.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from chat.web.statements.tables import plain
from corpus.statements.table_rows import filled_cells, labelled

_LEAD_ENDS = ":."  # as `as_lead` writes most; a cell before the row ends otherwise


@dataclass(frozen=True)
class ExcerptPart:
    """A text, or rows of a table with the line in front of the first and the notes behind."""

    text: str = ""
    heads: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    lead: str = ""
    notes: tuple[str, ...] = ()
    best: int | None = None  # of the rows; 0 of a text

    @property
    def is_best(self) -> bool:
        """Whether it holds the statement that was read best."""
        return self.best is not None

    @property
    def headed_rows(self) -> list[list[tuple[str, str]]]:
        return [list(zip(self.heads, row, strict=True)) for row in self.rows]


@dataclass(frozen=True)
class _Found:
    """A row in a text, by the table and the words around it."""

    table: int
    heads: tuple[str, ...]
    cells: tuple[str, ...]
    lead: str
    note: str

    def goes_on_from(self, first: _Found) -> bool:
        """Tell whether it can stand below a row: of one table, and under no line of its own."""
        return self.table == first.table and first.lead.endswith(self.lead)


def may_be_row(text: str) -> bool:
    """Tell whether a text has labels, as rows are written; other texts may have them too."""
    return ": " in text


def excerpt_parts(
    texts: Sequence[str], blocks: Iterable[Mapping[str, Any]], best: int | None = None
) -> tuple[ExcerptPart, ...]:
    """Return the texts of an excerpt in order, those that are rows of the blocks' tables as such.

    A text that is no row, or more than its row, stays as it is. `best` is the place of the text
    that was read best.
    """
    known = list(_rows(blocks))
    parts: list[ExcerptPart] = []
    begun: list[_Found] = []
    best_row: int | None = None
    for place, text in enumerate(texts):
        found = _found(plain(text), known)
        if begun and (found is None or not found.goes_on_from(begun[0])):
            parts.append(_table(begun, best_row))
            begun, best_row = [], None
        if found:
            best_row = len(begun) if place == best else best_row
            begun.append(found)
        else:
            parts.append(ExcerptPart(text, best=0 if place == best else None))
    return (*parts, *([_table(begun, best_row)] if begun else []))


def _rows(
    blocks: Iterable[Mapping[str, Any]],
) -> Iterator[tuple[int, tuple[str, ...], tuple[str, ...]]]:
    """Yield the place of the table, the heads and the cells of each row that has heads."""
    for block in blocks:
        table = block.get("table") or {"header": (), "rows": ()}
        for cells in filled_cells(row["cells"] for row in table["rows"]):
            if len(cells) == len(table["header"]):
                yield block["start"], tuple(table["header"]), tuple(cells)


def _found(
    text: str, known: Iterable[tuple[int, tuple[str, ...], tuple[str, ...]]]
) -> _Found | None:
    """Return the row that a text says; None if it is none, or says more than one row."""
    fitting: dict[int, _Found] = {}
    for table, heads, cells in known:
        said = plain(labelled(heads, cells))
        lead, _, note = (part.strip() for part in text.partition(said)) if said else ("", "", text)
        is_lead = not lead or lead[-1] in _LEAD_ENDS
        is_note = not note or (note[0], note[-1]) == ("(", ")")
        if said and text.count(said) == 1 and is_lead and is_note:
            fitting.setdefault(len(said), _Found(table, heads, cells, lead, note))
    return fitting[max(fitting)] if fitting else None


def _table(rows: Sequence[_Found], best: int | None) -> ExcerptPart:
    notes = dict.fromkeys(_unbracketed(row.note) for row in rows if row.note)
    cells = tuple(row.cells for row in rows)
    return ExcerptPart("", rows[0].heads, cells, rows[0].lead, tuple(notes), best)


def _unbracketed(note: str) -> str:
    """Return a note without its brackets; several notes in brackets stay as they are."""
    return note if ") (" in note else note[1:-1]
