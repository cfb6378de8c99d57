"""Make the page of a sheet from its blocks: captions, tables with their heads, and lines."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from corpus.parsing.clean import clean_line
from corpus.parsing.drafts import Draft, Drafted, DraftTable, LineText, text_draft, write_page
from corpus.parsing.layout.styles import CAPTION
from corpus.parsing.mending import mended
from corpus.parsing.office.markup import annotate
from corpus.parsing.office.sheet_heads import Filled, Heads, Row, heads_of
from corpus.parsing.published.xml_text import doubts_in
from corpus.parsing.tables.printed import label_rows, with_header
from corpus.parsing.types import BlockKind, Cell, Doubt, Page

_UNNAMED = re.compile(r"^(?:Sheet|Tabelle|Feuil|Hoja|Foglio|Planilha|Blad)\s*\d*$", re.I)
_APART = 2  # columns without text between tables that stand beside each other


@dataclass(frozen=True)
class _Above:
    """The block above: where its columns are, its row of heads, and its labels if it has any."""

    left: int
    width: int
    row: Row
    labels: tuple[str, ...]


_BOXED = Doubt(
    "box_over_sheet",
    "This stands in a text box over the sheet and is read behind its cells: it may hold for some "
    "of them only, or correct them. Compare with the file.",
)


@dataclass(frozen=True)
class Block:
    """Cells of a sheet that stand together: its left column, how wide it is, and its rows."""

    left: int
    width: int
    lines: list[Row]


def sheet_page(
    title: str, marks: str, tables: Sequence[Block], number: int, *, boxes: Sequence[str] = ()
) -> Page:
    """Return the page of a sheet: its title, unless it is a default one, cells and text boxes."""
    drafts = mended(annotate(_sheet_drafts(tables)))
    drafts += [Draft(BlockKind.PARAGRAPH, (LineText(box),), doubts=(_BOXED,)) for box in boxes]
    if drafts and not _UNNAMED.match(title):
        drafts.insert(0, text_draft(BlockKind.HEADING, clean_line(title), 1))
    return write_page(Page(number, "", (), doubts=doubts_in(marks)), drafts)


def place_of(table: Any) -> tuple[int, int]:
    """Return the first row and column of a table in its sheet."""
    box = table.prov[0].bbox
    return int(box.t), int(box.l)


def block_of(table: Any) -> Block:
    """Return a table of docling's, with the empty cells that it fills in."""
    lines: list[dict[int, Filled]] = [{} for _ in range(table.data.num_rows)]
    for cell in table.data.table_cells:
        held = Filled(cell.text, cell.row_span, cell.col_span)
        lines[cell.start_row_offset_idx][cell.start_col_offset_idx] = held
    return Block(place_of(table)[1], table.data.num_cols, list(lines))


def _sheet_drafts(tables: Sequence[Block]) -> Iterator[Drafted]:
    """Yield what the tables hold; a table right below another may take its labels."""
    above: _Above | None = None
    for table in tables:
        left, width, lines = table.left, table.width, table.lines
        captions = list(_captions(lines, width))
        yield from captions
        if width == 1 or not lines:
            above = None
            for line in lines:
                for cell in _filled(line).values():
                    yield from _line(cell, BlockKind.PARAGRAPH)
            continue
        if captions or (above and (above.left, above.width) != (left, width)):
            above = None
        draft, above = _table(lines, left, width, above)
        yield draft


Grid = dict[tuple[int, int], Filled]  # by visible row and column, from 0


def blocks_in(grid: Grid) -> Iterator[Grid]:
    """Yield blocks of cells, divided by an empty row, or by two empty columns."""
    for band in _parted(grid, 0, 1):
        parts = list(_parted(band, 1, _APART))
        for part in parts:
            yield from _parted(part, 0, 1) if parts[1:] else [part]


def _parted(grid: Grid, axis: int, gap: int) -> list[Grid]:
    sides = ((at[axis], cell.columns if axis else cell.rows) for at, cell in grid.items())
    filled = sorted({at for start, size in sides for at in range(start, start + size)})
    starts = [*filled[:1], *(b for a, b in pairwise(filled) if b - a > gap)]
    parts: list[Grid] = [{} for _ in starts]
    for place, cell in grid.items():
        parts[bisect_right(starts, place[axis]) - 1][place] = cell
    return parts


def _filled(line: Row) -> Row:
    return {column: cell for column, cell in line.items() if cell.raw.strip()}


def _captions(lines: list[Row], width: int) -> Iterator[Draft]:
    """Take lines that stand alone above a table from its lines; the last is its caption."""
    while lines and width > 1 and len(alone := [*_filled(lines[0]).values()]) == 1:
        if alone[0].is_number:
            return
        del lines[0]
        while lines and not _filled(lines[0]):
            del lines[0]
        goes_on = lines and len(_filled(lines[0])) == 1
        yield from _line(alone[0], BlockKind.PARAGRAPH if goes_on else BlockKind.CAPTION)


def _line(cell: Filled, kind: BlockKind) -> Iterator[Draft]:
    if cell.text:
        role = BlockKind.CAPTION if CAPTION.match(cell.text) else kind
        yield Draft(role, (LineText(cell.text),), doubts=doubts_in(cell.raw))


def _table(
    lines: Sequence[Row], left: int, width: int, above: _Above | None
) -> tuple[DraftTable, _Above | None]:
    """Return a table, and what it is to a table below it: None where no heads are known."""
    cells = []
    for row, line in enumerate(lines):
        filled = _filled(line)
        alone = [*filled] == [0] and filled[0].is_bold  # a bar over the table
        for column, cell in (filled if alone else line).items():
            columns = width if alone else cell.columns
            cells.append(Cell(row, column, cell.text, cell.rows, columns))
    rows = [filled for line in lines if (filled := _filled(line))]
    heads = heads_of(rows, above.row if above else None)
    count = label_rows(cells, 1) if heads is Heads.OWN else 0
    raw = "".join(cell.raw for row in rows for cell in row.values())
    draft = DraftTable(with_header(cells, count), doubts=doubts_in(raw))
    if draft.header:
        return draft, _Above(left, width, rows[0], draft.header)
    if above is None:
        return draft, None
    labels = above.labels if heads is Heads.ABOVE else ()
    if draft.rows and len(labels) == len(draft.rows[0]):
        draft = replace(draft, inherited=labels)
    return draft, replace(above, labels=draft.inherited)
