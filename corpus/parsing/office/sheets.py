"""Read Excel files: what a reader sees of each sheet, as tables and lines of text."""

from __future__ import annotations

import datetime
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise
from typing import Any

from corpus.parsing.clean import clean_line
from corpus.parsing.drafts import Draft, Drafted, DraftTable, Piece, text_draft, write_page
from corpus.parsing.layout.styles import CAPTION
from corpus.parsing.mending import mended
from corpus.parsing.office.markup import annotate
from corpus.parsing.office.number_formats import shown_date, shown_number
from corpus.parsing.office.package import Package, damaged, too_many
from corpus.parsing.office.sheet_heads import Filled, Heads, Row, heads_of
from corpus.parsing.office.workbooks import check_workbook
from corpus.parsing.published.xml_text import HIDDEN, STRUCK, UNWRITTEN, doubts_in
from corpus.parsing.registry import Request, engine_name
from corpus.parsing.tables.printed import label_rows, with_header
from corpus.parsing.types import BlockKind, Cell, Page, ParsedDocument

_UNNAMED = re.compile(r"^(?:Sheet|Tabelle|Feuil|Hoja|Foglio|Planilha|Blad)\s*\d*$", re.I)
_APART = 2  # columns without text between tables that stand beside each other


_Grid = dict[tuple[int, int], Filled]  # by visible row and column, from 0
_Cells = list[tuple[tuple[int, int], Filled]]  # those of a row, with their places


@dataclass(frozen=True)
class _Above:
    """The block above: where its columns are, its row of heads, and its labels if it has any."""

    left: int
    width: int
    row: Row
    labels: tuple[str, ...]


def parse_xlsx(request: Request) -> ParsedDocument:
    """Return a page for each visible sheet, without hidden rows and columns.

    Numbers and dates are written as they are shown.
    """
    uncalculated = check_workbook(request.path)
    sheets = _sheets(request)
    seen = [sheet for sheet in sheets if sheet.sheet_state == "visible"]
    if len(seen) > request.max_pages:
        raise too_many(len(seen), "sheets", request.max_pages)
    marks = (UNWRITTEN if uncalculated else "") + (HIDDEN if len(seen) < len(sheets) else "")
    pages = tuple(_page(sheet, no, marks if no == 1 else "") for no, sheet in enumerate(seen, 1))
    request.on_page(len(pages), len(pages))
    return ParsedDocument(pages, engine_name(request.media_type))


def _sheets(request: Request) -> list[Any]:
    from openpyxl import load_workbook  # late: other formats must not wait for it

    try:
        with request.path.open("rb") as stream:  # of a path the library wants a known suffix
            book = load_workbook(stream, data_only=True, keep_links=False)
        named = Package(request.path).main().findall("sheets/sheet")
        if len(named) > len(book.worksheets) + len(book.chartsheets):
            raise ValueError("a sheet is missing")  # the library would leave it out
        return list(book.worksheets)
    except MemoryError:
        raise
    except Exception as error:  # whatever the library and those below it raise
        raise damaged() from error


def _page(sheet: Any, number: int, marks: str) -> Page:
    grid, hidden = _grid(sheet)
    regions: list[_Grid] = []  # divided by an empty row, or by two empty columns
    for band in _parted(grid, 0, 1):
        parts = list(_parted(band, 1, _APART))
        regions += [low for part in parts for low in _parted(part, 0, 1)] if parts[1:] else parts
    drafts = mended(annotate(_sheet_drafts(regions)))
    if drafts and not _UNNAMED.match(sheet.title):
        drafts.insert(0, text_draft(BlockKind.HEADING, clean_line(sheet.title), 1))
    doubts = doubts_in(marks + (HIDDEN if hidden else ""))
    return write_page(Page(number, "", (), doubts=doubts), drafts)


def _grid(sheet: Any) -> tuple[_Grid, bool]:
    """Return the visible cells that are not empty, and whether any such cell is hidden."""
    hidden_rows = sorted(n for n, row in sheet.row_dimensions.items() if row.hidden)
    hidden_columns = sorted(
        n
        for column in sheet.column_dimensions.values()
        if column.hidden
        for n in range(column.min or 0, (column.max or 0) + 1)
    )
    spans = {(m.min_row, m.min_col): (m.max_row, m.max_col) for m in sheet.merged_cells.ranges}
    grid: _Grid = {}
    hidden = False
    for (row, column), cell in sorted(sheet._cells.items()):  # sparse, unlike its public ways
        raw = _raw(cell)
        if not raw:
            continue
        bottom, right = spans.get((row, column), (row, column))
        top, left = _seen(row, hidden_rows), _seen(column, hidden_columns)
        rows = _seen(bottom + 1, hidden_rows) - top
        columns = _seen(right + 1, hidden_columns) - left
        if not rows or not columns:
            hidden = True
            continue
        is_number = isinstance(cell.value, int | float)
        grid[(top, left)] = Filled(raw, rows, columns, is_number, bool(cell.font.b))
    return grid, hidden


def _seen(number: int, hidden: Sequence[int]) -> int:
    """Return how many visible rows or columns come before this one, counted from 1."""
    return number - 1 - bisect_left(hidden, number)


def _raw(cell: Any) -> str:
    """Return the text that a cell shows, with marks; empty for an empty cell."""
    value, form = cell.value, cell.number_format or "General"
    if value is None or str(value).strip() == "":
        return ""
    if cell.font.strike:
        return STRUCK
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, datetime.date | datetime.time):
        return shown_date(value, form)
    if isinstance(value, int | float):
        shown = shown_number(value, form)
        return f"{value}{UNWRITTEN}" if shown is None else shown
    return f"{value}{UNWRITTEN}" if isinstance(value, datetime.timedelta) else str(value)


def _parted(grid: _Grid, axis: int, gap: int) -> list[_Grid]:
    sides = ((at[axis], cell.columns if axis else cell.rows) for at, cell in grid.items())
    filled = sorted({at for start, size in sides for at in range(start, start + size)})
    starts = [*filled[:1], *(b for a, b in pairwise(filled) if b - a > gap)]
    parts: list[_Grid] = [{} for _ in starts]
    for place, cell in grid.items():
        parts[bisect_right(starts, place[axis]) - 1][place] = cell
    return parts


def _sheet_drafts(regions: Sequence[_Grid]) -> Iterator[Drafted]:
    """Yield what the regions hold; a table right below another may take its labels."""
    above: _Above | None = None
    for region in regions:
        left = min(column for _, column in region)
        width = max(column + cell.columns for (_, column), cell in region.items()) - left
        ordered = groupby(sorted(region.items()), key=lambda held: held[0][0])
        lines = [list(row) for _, row in ordered]
        captions = list(_captions(lines, width))
        yield from captions
        if width == 1 or not lines:
            above = None
            for line in lines:
                yield from _line(line[0][1], BlockKind.PARAGRAPH)
            continue
        if captions or (above and (above.left, above.width) != (left, width)):
            above = None
        draft, above = _table(lines, left, width, above)
        yield draft


def _captions(lines: list[_Cells], width: int) -> Iterator[Draft]:
    """Take lines that stand alone above a table from its lines; the last is its caption."""
    while lines and width > 1 and len(lines[0]) == 1 and not lines[0][0][1].is_number:
        _, cell = lines.pop(0)[0]
        kind = BlockKind.PARAGRAPH if lines and len(lines[0]) == 1 else BlockKind.CAPTION
        yield from _line(cell, kind)


def _line(cell: Filled, kind: BlockKind) -> Iterator[Draft]:
    if cell.text:
        found = BlockKind.CAPTION if CAPTION.match(cell.text) else kind
        yield Draft(found, (Piece(cell.text),), doubts=doubts_in(cell.raw))


def _table(
    lines: Sequence[_Cells], left: int, width: int, above: _Above | None
) -> tuple[DraftTable, _Above | None]:
    """Return a table, and what it is to a table below it: None where no heads are known."""
    top = lines[0][0][0][0]
    cells = []
    for line in lines:
        alone = len(line) == 1 and line[0][0][1] == left and line[0][1].is_bold
        for (row, column), cell in line:
            columns = width if alone else cell.columns  # a bar over the table
            cells.append(Cell(row - top, column - left, cell.text, cell.rows, columns))
    rows = [{column - left: cell for (_, column), cell in line} for line in lines]
    heads = heads_of(rows, above.row if above else None)
    whole = [*cells, *_empty(cells, width)]
    count = label_rows(whole, 1) if heads is Heads.OWN else 0
    raw = "".join(cell.raw for line in lines for _, cell in line)
    draft = DraftTable(with_header(whole, count), doubts=doubts_in(raw))
    if draft.header:
        return draft, _Above(left, width, rows[0], draft.header)
    if above is None:
        return draft, None
    labels = above.labels if heads is Heads.ABOVE else ()
    if draft.rows and len(labels) == len(draft.rows[0]):
        draft = replace(draft, inherited=labels)
    return draft, replace(above, labels=draft.inherited)


def _empty(cells: Sequence[Cell], width: int) -> list[Cell]:
    covered = {
        (row, column)
        for cell in cells
        for row in range(cell.row, cell.row + cell.rows)
        for column in range(cell.column, cell.column + cell.columns)
    }
    height = max(row for row, _ in covered) + 1
    places = ((row, column) for row in range(height) for column in range(width))
    return [Cell(row, column, "") for row, column in places if (row, column) not in covered]
