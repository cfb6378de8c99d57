"""Read Excel files by docling: what a reader sees of each sheet, as tables and lines of text.

docling would read hidden rows and columns, struck cells, and numbers as they are stored.
"""

from __future__ import annotations

import datetime
import re
import zipfile
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any

from docling.backend.msexcel_backend import MsExcelDocumentBackend
from docling.datamodel.base_models import InputFormat
from openpyxl.utils.datetime import from_excel
from openpyxl.worksheet.cell_range import MultiCellRange

from corpus.parsing.clean import clean_line
from corpus.parsing.office.docling.documents import children_of, opened
from corpus.parsing.office.docling.sheet_looks import is_unseen, strikes_by_rule, struck_texts
from corpus.parsing.office.markup import document_with
from corpus.parsing.office.number_formats import has_year, shown_date, shown_number
from corpus.parsing.office.package import damaged, part_of, read_or_damaged, too_many
from corpus.parsing.office.parts import Package, doubt_parts, lines_of
from corpus.parsing.office.sheet_dates import DATE, doubt_dates
from corpus.parsing.office.sheet_heads import BOLD, NUMBER, Filled
from corpus.parsing.office.sheet_tables import (
    Block,
    Grid,
    block_of,
    blocks_in,
    place_of,
    sheet_page,
)
from corpus.parsing.office.workbooks import check_workbook
from corpus.parsing.published.xml_text import COMMENT, DATED, HIDDEN, STRUCK, UNWRITTEN
from corpus.parsing.registry import Request
from corpus.parsing.types import ParsedDocument

_BOOK = re.compile(r"^xl/workbook[^/]*\.xml$")
_LOCAL_DATES = frozenset((*range(27, 37), *range(50, 59)))  # ids of formats that name no form
_PLACES = ("left", "center", "right")  # of a header


def parse_xlsx(request: Request) -> ParsedDocument:
    """Return a page for each visible sheet, without hidden rows and columns.

    Numbers are written as they are shown, dates in ISO 8601.
    """
    marks = UNWRITTEN if check_workbook(request.path) else ""
    with read_or_damaged():
        sheets = list(_sheets(request, marks))
        boxes, read = _boxes(request.path, len(sheets))
        pages = [
            replace(sheet_page(*sheet, number, boxes=boxes.get(number, ())), running_lines=lines)
            for number, (sheet, lines) in enumerate(sheets, start=1)
        ]
        return doubt_parts(document_with(request, pages), request.path, read=read)


def _boxes(path: Path, sheets: int) -> tuple[dict[int, list[str]], set[str]]:
    """Return the paragraphs in the text boxes of each sheet, by page, and the parts of these."""
    boxes: dict[int, list[str]] = {}
    read = set()
    with zipfile.ZipFile(path) as archive:
        package = Package(archive)
        parts = package.pages()
        for number, part in enumerate(parts if len(parts) == sheets else [], start=1):
            for relation in package.relations(part):
                if relation.kind == "drawing" and not relation.is_external:
                    lines = lines_of(part_of(package.read(relation.target)))
                    boxes.setdefault(number, []).extend(lines)
                    read.add(relation.target)
    return boxes, read


def _running_lines(sheet: Any) -> tuple[str, ...]:
    """Return the words of the headers and footers that are printed with a sheet."""
    kinds = (f"{of}{what}" for of in ("odd", "even", "first") for what in ("Header", "Footer"))
    parts = (getattr(getattr(sheet, kind), at) for kind in kinds for at in _PLACES)
    lines = (clean_line(re.sub("&[A-Z&]", " ", part.text or "")) for part in parts)
    return tuple(dict.fromkeys(filter(None, lines)))


_Sheet = tuple[str, str, list[Block]]  # title, marks of doubts, and tables in order


def _sheets(request: Request, marks: str) -> Iterator[tuple[_Sheet, tuple[str, ...]]]:
    """Yield each visible sheet, and the lines that run over its pages."""
    reader = opened(Sheets, BytesIO(request.path.read_bytes()))
    book = reader.workbook
    with zipfile.ZipFile(request.path) as archive:
        main = part_of(archive.read(next(filter(_BOOK.match, archive.namelist()))))
        struck = struck_texts(archive)
    if len(main.findall("sheets/sheet")) > len(book.sheetnames):
        raise damaged()  # the library left out a sheet that is missing
    hidden = [sheet for sheet in book.worksheets if sheet.sheet_state != "visible"]
    for sheet in [*hidden, *book.chartsheets]:
        book.remove(sheet)
    if len(book.worksheets) > request.max_pages:
        raise too_many(len(book.worksheets), "sheets", request.max_pages)
    marks += HIDDEN if hidden else ""
    if any(v.prompt for s in book.worksheets for v in s.data_validations.dataValidation):
        marks += COMMENT  # shown when the cell is chosen
    marks += UNWRITTEN * any(map(strikes_by_rule, book.worksheets))
    running = [_running_lines(sheet) for sheet in book.worksheets]
    marked = [mark_sheet(sheet, struck) for sheet in book.worksheets]
    document = reader.convert()
    groups = children_of(document.body, document)
    for group, (places, is_hidden), lines in zip(groups, marked, running, strict=True):
        tables = {place_of(table): table for table in children_of(group, document)}
        yield (
            (group.name, marks + HIDDEN * is_hidden, [block_of(tables[at]) for at in places]),
            lines,
        )
        marks = ""


class Sheets(MsExcelDocumentBackend):
    """docling's reader of sheets, without pictures and charts.

    Titles stay in their tables, since docling takes only merged ones for titles.
    """

    KIND = InputFormat.XLSX

    def _add_nothing(self, doc: Any, *args: Any, **kwargs: Any) -> Any:
        return doc

    _find_images_in_sheet: Any = _add_nothing
    _find_chart_in_sheet: Any = _add_nothing

    def _split_leading_section_label(self, table: Any) -> tuple[None, Any]:
        return None, table

    @staticmethod
    def _find_page_size(*args: Any, **kwargs: Any) -> tuple[float, float]:
        return 0.0, 0.0


def mark_sheet(sheet: Any, struck: Mapping[str, str]) -> tuple[list[tuple[int, int]], bool]:
    """Write the texts that a sheet shows into its cells, without hidden rows and columns.

    Empty cells of a block get a blank, so that docling reads the block as one table. Return the
    first row and column of each block, in order, and whether anything was hidden. `struck` maps
    texts of which a part is struck out to what stays of them.
    """
    grid, hidden = _grid(sheet, struck)
    sheet._cells.clear()
    sheet.merged_cells = MultiCellRange()
    places = []
    for block in map(doubt_dates, blocks_in(grid)):
        top, left = min(row for row, _ in block), min(column for _, column in block)
        bottom = max(row + cell.rows for (row, _), cell in block.items())
        right = max(column + cell.columns for (_, column), cell in block.items())
        places.append((top, left))
        for row in range(top, bottom):
            for column in range(left, right):
                filled = block.get((row, column))
                sheet.cell(row + 1, column + 1)._value = filled.raw if filled else " "
        for (row, column), cell in block.items():
            if cell.rows * cell.columns > 1:
                end = (row + cell.rows, column + cell.columns)
                sheet.merge_cells(None, row + 1, column + 1, *end)
    return places, hidden


def _grid(sheet: Any, struck: Mapping[str, str]) -> tuple[Grid, bool]:
    """Return the visible cells that are not empty, and whether any such cell is hidden."""
    hidden_rows = sorted(n for n, row in sheet.row_dimensions.items() if row.hidden)
    hidden_columns = sorted(
        n
        for column in sheet.column_dimensions.values()
        if column.hidden
        for n in range(column.min or 0, (column.max or 0) + 1)
    )
    spans = {(m.min_row, m.min_col): (m.max_row, m.max_col) for m in sheet.merged_cells.ranges}
    grid: Grid = {}
    hidden = False
    for (row, column), cell in sorted(sheet._cells.items()):  # sparse, unlike its public ways
        raw = _raw(cell, struck)
        if not raw:
            continue
        bottom, right = spans.get((row, column), (row, column))
        top, left = _seen(row, hidden_rows), _seen(column, hidden_columns)
        rows = _seen(bottom + 1, hidden_rows) - top
        columns = _seen(right + 1, hidden_columns) - left
        if not rows or not columns:
            hidden = True
            continue
        marks = BOLD * bool(cell.font.b) + NUMBER * isinstance(cell.value, int | float)
        grid[(top, left)] = Filled(marks + raw, rows, columns)
    return grid, hidden


def _seen(number: int, hidden: Sequence[int]) -> int:
    """Return how many visible rows or columns come before this one, counted from 1."""
    return number - 1 - bisect_left(hidden, number)


def _raw(cell: Any, struck: Mapping[str, str]) -> str:
    """Return the text that a cell shows, with marks; empty for an empty cell."""
    value, form = cell.value, cell.number_format or "General"
    if value is None or str(value).strip() == "":
        return ""
    if cell.font.strike or (cell.border.diagonalUp and cell.border.diagonalDown):
        return STRUCK
    if is_unseen(cell):
        return HIDDEN
    if isinstance(value, str):
        return struck.get(value, value)
    if isinstance(value, int | float) and cell._style.numFmtId in _LOCAL_DATES:
        value, form = from_excel(value, cell.base_date), "yyyy-mm-dd"
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, datetime.date | datetime.time):
        return shown_date(value, form) + (DATE if has_year(form) else DATED)
    if isinstance(value, int | float):
        shown = shown_number(value, form)
        if shown == "":
            return HIDDEN if value else ""
        return f"{value}{UNWRITTEN}" if shown is None else shown
    return f"{value}{UNWRITTEN}" if isinstance(value, datetime.timedelta) else str(value)
