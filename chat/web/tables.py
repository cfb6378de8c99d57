"""The tables that cited rows stand in, as their pages are read today.

A row may name no medicine and no condition of its own: its table's caption does.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import Any

from django.db.models import Q

from chat.models import Citation
from chat.web.painting import locate
from corpus.models import Page

CELLS = " | "  # between the cells of a table row in the text of a page


@dataclass(frozen=True)
class CitedTable:
    """A table on a page: `start` is its place in the page's text, `rows` how many say something."""

    document: int
    page: int
    start: int
    caption: str
    rows: int


def cited_tables(rows: Iterable[Citation]) -> dict[int, CitedTable]:
    """The table of each citation of a row, by the citation's primary key.

    None for a row that is not found again, or stands on its page more than once. One query; none
    for no rows.
    """
    listed = list(rows)
    if not listed:
        return {}
    wanted = {(row.document_id, row.page) for row in listed}
    of_these = reduce(or_, (Q(document=document, number=page) for document, page in wanted))
    found = Page.objects.filter(of_these).only("document", "number", "text", "blocks")
    pages = {(page.document_id, page.number): page for page in found}
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
            caption = _caption(page.text, page.blocks, position)
            return CitedTable(cited.document_id, cited.page, block["start"], caption, rows)
    return None


def _caption(text: str, blocks: list[Mapping[str, Any]], position: int) -> str:
    """The table's own, or the block of that kind directly above it."""
    above = blocks[position - 1] if position else None
    said = str(blocks[position]["table"].get("caption", ""))
    if not said and above and above["kind"] == "caption":
        said = text[above["start"] : above["end"]]
    return " ".join(said.split())
