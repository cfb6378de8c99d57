"""Split cited table rows into labels and cells, and find the tables that they belong to today.

A row may name no medicine and no condition of its own, but its table's caption does.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from chat.models import Citation
from chat.selectors import pages_at
from chat.web.painting import locate
from corpus.models import Page
from corpus.statements.lead_ins import as_lead
from corpus.statements.table_rows import labelled

CELLS = " | "  # between the cells of a table row in the text of a page


@dataclass(frozen=True)
class TableRow:
    """A table row as pairs of label and cell, with its footnotes."""

    pairs: tuple[tuple[str, str], ...]
    notes: tuple[str, ...]


@dataclass(frozen=True)
class CitedTable:
    """A table on a page, at `start` in the page's text; `rows` counts its non-empty rows."""

    document: int
    page: int
    start: int
    caption: str
    rows: int


def cited_tables(rows: Iterable[Citation]) -> dict[int, CitedTable]:
    """Return the table of each citation of a row, by the citation's primary key.

    A row that is not found on its page, or more than once, has none. One query; none for no rows.
    """
    listed = list(rows)
    if not listed:
        return {}
    pages = pages_at(
        {(row.document_id, row.page) for row in listed}, "document", "number", "text", "blocks"
    )
    tables = {row.pk: _table_of(row, pages.get((row.document_id, row.page))) for row in listed}
    return {key: table for key, table in tables.items() if table}


def _table_of(cited: Citation, page: Page | None) -> CitedTable | None:
    place = locate(page.text, (cited.start, cited.end), cited.quote) if page else None
    if page is None or place is None:
        return None
    for position, block in enumerate(page.blocks):
        if block.get("table") and block["start"] <= place[0] < block["end"]:
            cells = [row["cells"] for row in block["table"]["rows"]]
            rows = sum(any(cell.strip() for cell in each) for each in cells)
            said = str(block["table"].get("caption", ""))
            above = page.blocks[position - 1] if position else None
            if not said and above and above["kind"] == "caption":  # directly above the table
                said = page.text[above["start"] : above["end"]]
            return CitedTable(cited.document_id, cited.page, block["start"], plain(said), rows)
    return None


def table_row(quotes: Sequence[str]) -> TableRow | None:
    """Return the row of the quotes `[row, header, ...]`, the order in which rows are quoted.

    None if the quotes are no row. If the first cell is empty, the third quote is a merged cell and
    fills it. Other quotes are notes: text above and below the table.
    """
    cells = _cells(quotes[0]) if quotes else []
    labels = _cells(quotes[1].splitlines()[-1]) if len(quotes) > 1 else []
    if len(cells) < 2 or len(labels) != len(cells):
        return None
    notes = list(quotes[2:])
    if not cells[0] and notes:
        cells[0] = notes.pop(0)
    return TableRow(tuple(zip(labels, cells, strict=True)), tuple(notes))


def is_verbatim(text: str, quotes: Sequence[str]) -> bool:
    """Tell whether a text is one quote with its context, or a row with its labels and notes.

    Every quote has to be in the text. Any other combination of quotes may say what none of them
    says.
    """
    row = table_row(quotes)
    if row:
        labels, cells = zip(*row.pairs, strict=True)
        return _is_shown(text, labelled(labels, cells), row.notes)
    return bool(quotes) and _is_shown(text, quotes[0], quotes[1:])


def _is_shown(text: str, said: str, further: Sequence[str]) -> bool:
    """Tell whether a text is `said` with the quotes it depends on, as quotable units write them.

    A continuation, such as a list that goes on overleaf, comes after `said`.
    """
    text = plain(text)
    notes = [quote for quote in further if f"({plain(quote)})" in text]
    parts = [quote for quote in further if quote not in notes]
    leads = [part for part in parts if text.find(plain(part)) < text.find(plain(said))]
    behind = [part for part in parts if part not in leads]
    whole = [*(as_lead(lead) for lead in leads), said, *behind, *(f"({note})" for note in notes)]
    return text == plain(" ".join(whole))


def _cells(row: str) -> list[str]:
    """Return the cells of a row; a row with an empty first cell begins with the separator."""
    return [cell.strip() for cell in f" {row} ".split(CELLS)]


def plain(text: str) -> str:
    return " ".join(text.split())
