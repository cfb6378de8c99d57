"""Split cited table rows into labels and cells, and find the tables that they belong to today.

A row may name no medicine and no condition of its own, but its table's caption does.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext

from chat.caveats.tables import rows_asked_for
from chat.models import Citation, Claim, ClaimKind
from chat.selectors import pages_at
from chat.web.painting import locate
from core.language.words import CELLS
from corpus.models import Page
from corpus.statements.lead_ins import as_lead
from corpus.statements.table_rows import filled_cells, labelled

MAX_LABELS = 8  # of rows that are not shown
MAX_LABEL = 40  # characters

Pages = Mapping[tuple[int, int], Page]  # by document and number


@dataclass(frozen=True)
class TableRow:
    """A table row as pairs of label and cell, with the lines above the table and its footnotes."""

    pairs: tuple[tuple[str, str], ...]
    leads: tuple[str, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True)
class CitedTable:
    """A table on a page, at `start` in the page's text.

    `rows` has the place and the label of each row that is not empty.
    """

    document: int
    page: int
    start: int
    caption: str
    rows: tuple[tuple[int, str], ...]
    heads: tuple[str, ...] = ()  # of its columns; empty if it prints none

    def without(self, shown: Collection[int]) -> str:
        """Say which rows are not among those `shown`, given by their places; "" for none."""
        labels = [label for start, label in self.rows if start not in shown]
        if not labels:
            return ""
        named = [label for label in labels[:MAX_LABELS] if label]
        if len(named) < len(labels):
            named.append(gettext("%(number)s more") % {"number": len(labels) - len(named)})
        return gettext("%(shown)s of the %(all)s rows of this table. Not shown: %(labels)s.") % {
            "shown": len(self.rows) - len(labels),
            "all": len(self.rows),
            "labels": "; ".join(named),
        }


@dataclass(frozen=True)
class CitedRow:
    """A row of a table, by its place in the page's text, with its cells as the page has them."""

    table: CitedTable
    start: int
    cells: tuple[str, ...] = ()  # an empty first cell filled with the merged cell above

    def says(self, row: TableRow) -> bool:
        """Tell whether the page has the heads and cells that a statement quotes."""
        ours = zip(map(plain, self.table.heads), map(plain, self.cells), strict=False)
        quoted = [(plain(label), plain(cell)) for label, cell in row.pairs]
        return len(self.table.heads) == len(self.cells) and list(ours) == quoted


def table_pages(places: Set[tuple[int, int]]) -> Pages:
    """Return the pages at these places with their tables. Runs one query; none for no places."""
    return pages_at(places, "document", "number", "text", "blocks") if places else {}


def cited_rows(rows: Iterable[Citation], pages: Pages) -> dict[int, CitedRow]:
    """Return the row, with its table, of each citation of a row, by the citation's primary key.

    A row that is not found on its page of `table_pages`, or more than once, has none.
    """
    row_of = {row.pk: _row_of(row, pages.get((row.document_id, row.page))) for row in rows}
    return {key: row for key, row in row_of.items() if row}


def rows_told_apart(question: str, tables: Iterable[Sequence[Claim]]) -> tuple[set[int], set[int]]:
    """Return the numbers of the rows that answer and are asked for, and of the others.

    Both only of tables of which other rows than the answer's are shown, and which the question
    tells apart.
    """
    matches: set[int] = set()
    others: set[int] = set()
    for rows in tables:
        row_numbers = {row.index for row in rows if row.kind == ClaimKind.ROW}
        places = rows_asked_for(question, [row.text for row in rows]) if row_numbers else ()
        asked_for = {rows[place].index for place in places} - row_numbers
        matches |= asked_for
        others |= row_numbers if asked_for else set()
    return matches, others


def _row_of(cited: Citation, page: Page | None) -> CitedRow | None:
    place = locate(page.text, (cited.start, cited.end), cited.quote) if page else None
    if page is None or place is None:
        return None
    for position, block in enumerate(page.blocks):
        if block.get("table") and block["start"] <= place[0] < block["end"]:
            filled = [row for row in block["table"]["rows"] if any(map(str.strip, row["cells"]))]
            rows = tuple((row["start"], _label(row["cells"])) for row in filled)
            caption = str(block["table"].get("caption", ""))
            above = page.blocks[position - 1] if position else None
            if not caption and above and above["kind"] == "caption":  # directly above the table
                caption = page.text[above["start"] : above["end"]]
            heads = tuple(block["table"]["header"])
            table = CitedTable(
                cited.document_id, cited.page, block["start"], plain(caption), rows, heads
            )
            return CitedRow(table, place[0], _cells_at(block["table"]["rows"], place[0]))
    return None


def _cells_at(rows: Sequence[Mapping[str, Any]], place: int) -> tuple[str, ...]:
    """Return the cells of the row at a place of the page's text; empty if none is there."""
    filled = filled_cells(row["cells"] for row in rows)
    for row, cells in zip(rows, filled, strict=True):
        if row["start"] <= place < row["end"]:
            return tuple(cells)
    return ()


def _label(cells: Sequence[str]) -> str:
    """Return the first cell that has words, cut to fit a line of labels."""
    label = next(filter(None, map(plain, cells)), "")
    return label if len(label) <= MAX_LABEL else f"{label[:MAX_LABEL]}…"


def table_row(quotes: Sequence[str], text: str) -> TableRow | None:
    """Return the row of the quotes `[row, header, ...]`, the order in which rows are quoted.

    None if the quotes are no row. If the first cell is empty, the third quote is a merged cell and
    fills it. Of the others, those that the statement's text has in brackets are notes.
    """
    cells = _cells(quotes[0]) if quotes else []
    labels = _cells(quotes[1].splitlines()[-1]) if len(quotes) > 1 else []
    if len(cells) < 2 or len(labels) != len(cells):
        return None
    further = list(quotes[2:])
    if not cells[0] and further:
        cells[0] = further.pop(0)
    notes = _notes(plain(text), further)
    leads = tuple(quote for quote in further if quote not in notes)
    return TableRow(tuple(zip(labels, cells, strict=True)), leads, tuple(notes))


def is_verbatim(text: str, quotes: Sequence[str]) -> bool:
    """Tell whether a text is one quote with its context, or a row with its labels and notes.

    Every quote has to be in the text. Any other combination of quotes may say what none of them
    says.
    """
    row = table_row(quotes, text)
    if row:
        labels, cells = zip(*row.pairs, strict=True)
        return _is_shown(text, labelled(labels, cells), (*row.leads, *row.notes))
    return bool(quotes) and _is_shown(text, quotes[0], quotes[1:])


def _is_shown(text: str, main: str, further: Sequence[str]) -> bool:
    """Tell whether a text is `main` with the quotes it depends on, as quotable units write them.

    A continuation, such as a list that goes on overleaf, comes after `main`.
    """
    text = plain(text)
    notes = _notes(text, further)
    parts = [quote for quote in further if quote not in notes]
    leads = [part for part in parts if text.find(plain(part)) < text.find(plain(main))]
    behind = [part for part in parts if part not in leads]
    whole = [*(as_lead(lead) for lead in leads), main, *behind, *(f"({note})" for note in notes)]
    return text == plain(" ".join(whole))


def _notes(text: str, quotes: Iterable[str]) -> list[str]:
    """Return the quotes that a text has in brackets."""
    return [quote for quote in quotes if f"({plain(quote)})" in text]


def _cells(row: str) -> list[str]:
    """Return the cells of a row; a row with an empty first cell begins with the separator."""
    return [cell.strip() for cell in f" {row} ".split(CELLS)]


def plain(text: str) -> str:
    return " ".join(text.split())
