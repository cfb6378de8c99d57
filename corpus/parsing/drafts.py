"""Blocks without offsets, and the pages that are written from them.

Every parser makes drafts; only this module counts characters, so that the offsets of `types.py`
hold for all formats.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from core.language.words import CELLS
from corpus.parsing.geometry import union
from corpus.parsing.tables.printed import LABEL_JOINT, Entry, ReadTable, read_cells
from corpus.parsing.types import Block, BlockKind, Box, Cell, Doubt, Line, Page, Row, Table


@dataclass(frozen=True)
class LineText:
    """Text of one printed line. `glue`, a space or nothing, joins it to the piece before."""

    text: str
    box: Box | None = None
    glue: str = " "


@dataclass(frozen=True)
class Draft:
    """A text block: its pieces in order. Its doubts get offsets when the page is written."""

    kind: BlockKind
    pieces: tuple[LineText, ...]
    level: int = 0
    continues: bool = False
    doubts: tuple[Doubt, ...] = ()

    @property
    def has_text(self) -> bool:
        return any(piece.text for piece in self.pieces)

    @property
    def text(self) -> str:
        parts = [self.pieces[0].text, *(p.glue + p.text for p in self.pieces[1:])]
        return "".join(parts)

    def reworded(self, change: Callable[[str], str]) -> Draft:
        """Return the block with `change` applied to the text of each piece."""
        pieces = (replace(piece, text=change(piece.text)) for piece in self.pieces)
        return replace(self, pieces=tuple(pieces))


@dataclass(frozen=True)
class DraftTable:
    """A table: its cells as printed, in order of row and column, header rows first.

    `inherited` are the labels of the table's part on the page before, if this part prints none.
    """

    cells: tuple[Cell, ...]
    caption: str = ""
    continues: bool = False
    inherited: tuple[str, ...] = ()
    doubts: tuple[Doubt, ...] = ()  # their places are filled in when the page is written

    @property
    def has_text(self) -> bool:
        return any(cell.text for cell in self.cells)

    @property
    def cell_lines(self) -> str:
        """The text of the cells, each on a line of its own."""
        return "\n".join(" ".join(cell.text.split()) for cell in self.cells)

    @cached_property
    def reading(self) -> ReadTable:
        return read_cells(self.cells)

    @property
    def header(self) -> tuple[str, ...]:
        return tuple(entry.text for entry in self.reading.header)

    @property
    def rows(self) -> tuple[tuple[str, ...], ...]:
        return tuple(tuple(entry.text for entry in row) for row in self.reading.rows)

    def reworded(self, change: Callable[[str], str]) -> DraftTable:
        """Return the table with `change` applied to all its texts."""
        return replace(
            self,
            cells=tuple(replace(cell, text=change(cell.text)) for cell in self.cells),
            caption=change(self.caption),
            inherited=tuple(map(change, self.inherited)),
        )


Drafted = Draft | DraftTable


def text_draft(kind: BlockKind, text: str, level: int = 0) -> Draft:
    """Return a text block without geometry."""
    return Draft(kind, (LineText(text),), level)


def place_draft(draft: Drafted, place: Callable[[Box], Box]) -> Drafted:
    """Return a draft with `place` applied to its boxes."""
    if isinstance(draft, DraftTable):
        cells = (replace(c, box=None if c.box is None else place(c.box)) for c in draft.cells)
        return replace(draft, cells=tuple(cells))
    pieces = tuple(
        replace(piece, box=None if piece.box is None else place(piece.box))
        for piece in draft.pieces
    )
    return replace(draft, pieces=pieces)


def write_page(page: Page, drafts: Sequence[Drafted]) -> Page:
    """Return `page` with drafts as its blocks; count the offsets of blocks, lines and rows.

    Drafts without text are left out. The doubts of the drafts follow those of the page.
    """
    texts: list[str] = []
    blocks: list[Block] = []
    doubts = list(page.doubts)
    at = 0
    for draft in drafts:
        if isinstance(draft, DraftTable):
            text, block = _write_table(draft, at)
        else:
            text, block = _write_text(draft, at)
        if not text:
            continue
        texts.append(text)
        blocks.append(replace(block, continues=draft.continues))
        doubts += [replace(doubt, start=block.start, end=block.end) for doubt in draft.doubts]
        at += len(text) + 1
    return replace(page, text="\n".join(texts), blocks=tuple(blocks), doubts=tuple(doubts))


def _write_text(draft: Draft, start: int) -> tuple[str, Block]:
    text = ""
    lines: list[Line] = []
    for index, piece in enumerate(draft.pieces):
        text += piece.glue if index else ""
        if piece.box is not None:
            lines.append(
                Line(start + len(text), start + len(text) + len(piece.text), _r(piece.box))
            )
        text += piece.text
    return text, Block(draft.kind, start, start + len(text), draft.level, tuple(lines))


def _write_table(draft: DraftTable, start: int) -> tuple[str, Block]:
    reading = draft.reading
    printed = [reading.header, *reading.rows] if reading.header else list(reading.rows)
    texts: list[str] = []
    spans: list[tuple[int, int]] = []
    lines: list[Line] = []
    at = start
    for entries in printed:
        texts.append(CELLS.join(entry.text for entry in entries))
        spans.append((at, at + len(texts[-1])))
        lines += _row_lines(entries, at)
        at += len(texts[-1]) + 1
    body = spans[1:] if reading.header else spans
    rows = tuple(Row(a, b, cells) for (a, b), cells in zip(body, draft.rows, strict=True))
    cells = tuple(replace(c, box=None if c.box is None else _r(c.box)) for c in draft.cells)
    table = Table(draft.header or draft.inherited, rows, draft.caption, cells)
    end = spans[-1][1] if spans else start
    return "\n".join(texts), Block(BlockKind.TABLE, start, end, 0, tuple(lines), table)


def _row_lines(entries: Sequence[Entry], start: int) -> list[Line]:
    """Return the places of a row's texts: one line for neighbours printed in the same row.

    A cell over several rows, or a text repeated from another row, has a line of its own.
    """
    lines: list[Line] = []
    before: Cell | None = None
    at = start
    for entry in entries:
        for index, cell in enumerate(entry.cells):
            at += len(LABEL_JOINT) if index else 0
            if cell.box is not None:
                line = Line(at, at + len(cell.text), _r(cell.box))
                goes_on = before is not None and before is not cell and before.row == cell.row
                if before is not None and goes_on and before.rows == cell.rows == 1:
                    line = Line(lines[-1].start, line.end, union([lines.pop().box, line.box]))
                lines.append(line)
                before = cell
            at += len(cell.text)
        at += len(CELLS)
    return lines


def _r(box: Box) -> Box:
    left, top, right, bottom = box
    return (round(left, 2), round(top, 2), round(right, 2), round(bottom, 2))
