"""Blocks without offsets, and the pages that are written from them.

Every parser makes drafts; only this module counts characters, so that the offsets of `types.py`
hold for all formats.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from corpus.parsing.types import Block, BlockKind, Box, Line, Page, Row, Table

CELL_JOINT = " | "


@dataclass(frozen=True)
class Piece:
    """Text of one printed line. `glue` stands between it and the piece before: a space or
    nothing."""

    text: str
    box: Box | None = None
    glue: str = " "


@dataclass(frozen=True)
class Draft:
    """A text block: its pieces in order."""

    kind: BlockKind
    pieces: tuple[Piece, ...]
    level: int = 0

    @property
    def text(self) -> str:
        parts = [self.pieces[0].text, *(p.glue + p.text for p in self.pieces[1:])]
        return "".join(parts)


@dataclass(frozen=True)
class DraftTable:
    """A table: header labels (may be empty), body rows, and a box for each printed row, header
    first."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    boxes: tuple[Box, ...] = ()
    caption: str = ""


@dataclass(frozen=True)
class Sheet:
    """What a page is made of besides its blocks."""

    number: int
    width: float = 0.0
    height: float = 0.0
    ocr_confidence: float | None = None


def text_draft(kind: BlockKind, text: str, level: int = 0) -> Draft:
    """Return a block of text that has no geometry."""
    return Draft(kind, (Piece(text),), level)


def place_draft(draft: Draft | DraftTable, place: Callable[[Box], Box]) -> Draft | DraftTable:
    """Return a draft with its boxes moved by `place`."""
    if isinstance(draft, DraftTable):
        return replace(draft, boxes=tuple(place(box) for box in draft.boxes))
    pieces = tuple(
        replace(piece, box=None if piece.box is None else place(piece.box))
        for piece in draft.pieces
    )
    return replace(draft, pieces=pieces)


def write_page(sheet: Sheet, drafts: Sequence[Draft | DraftTable]) -> Page:
    """Join drafts to a page and count the offsets of blocks, lines and rows."""
    texts: list[str] = []
    blocks: list[Block] = []
    at = 0
    for draft in drafts:
        if isinstance(draft, DraftTable):
            text, block = _write_table(draft, at)
        else:
            text, block = _write_text(draft, at)
        if not text:
            continue
        texts.append(text)
        blocks.append(block)
        at += len(text) + 1
    return Page(
        number=sheet.number,
        text="\n".join(texts),
        blocks=tuple(blocks),
        width=round(sheet.width, 2),
        height=round(sheet.height, 2),
        ocr_confidence=sheet.ocr_confidence,
    )


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
    printed = [draft.header, *draft.rows] if draft.header else list(draft.rows)
    texts = [CELL_JOINT.join(cells) for cells in printed]
    spans: list[tuple[int, int]] = []
    at = start
    for text in texts:
        spans.append((at, at + len(text)))
        at += len(text) + 1
    lines = tuple(Line(a, b, _r(box)) for (a, b), box in zip(spans, draft.boxes, strict=False))
    body = spans[1:] if draft.header else spans
    rows = tuple(Row(a, b, cells) for (a, b), cells in zip(body, draft.rows, strict=True))
    table = Table(draft.header, rows, draft.caption)
    end = spans[-1][1] if spans else start
    return "\n".join(texts), Block(BlockKind.TABLE, start, end, 0, lines, table)


def _r(box: Box) -> Box:
    left, top, right, bottom = box
    return (round(left, 2), round(top, 2), round(right, 2), round(bottom, 2))
