"""Convert a page that a reader parsed to the form of the truth. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from bench.reading.hashing import hashed
from bench.reading.types import Block, Cell, Kind
from bench.reading.words import cell_words_of, words_of
from corpus.parsing.lists import is_recommendation
from corpus.parsing.types import Block as ParsedBlock
from corpus.parsing.types import BlockKind, Page, Table


def blocks_of(page: Page, key: bytes) -> tuple[Block, ...]:
    """Return the blocks of a page in reading order, their words hashed by `key`.

    A table has the cells as printed, not the rows for search, which repeat some. A numbered
    recommendation counts as an item, as in the truth. Blocks and cells without words are left out.
    """
    return tuple(block for block in _blocks(page, key) if block.words)


def _blocks(page: Page, key: bytes) -> Iterator[Block]:
    for block in page.blocks:
        text = page.text[block.start : block.end]
        if block.table is None:
            words = hashed(words_of(text), key)
            is_item = block.kind is BlockKind.PARAGRAPH and is_recommendation(text)
            yield Block(Kind.LIST_ITEM if is_item else _kind(block), words, block.level, text=text)
        else:
            cells = tuple(_cells(block.table, key))
            words = tuple(word for cell in cells for word in cell.words)
            yield Block(Kind.TABLE, words, cells=cells, text=text)


def _kind(block: ParsedBlock) -> Kind:
    """Return the kind of a block; lines of a list of contents are paragraphs."""
    is_contents = block.kind is BlockKind.CONTENTS
    return Kind.PARAGRAPH if is_contents else Kind(block.kind.value)


def _cells(table: Table, key: bytes) -> Iterator[Cell]:
    for cell in table.cells:
        words = hashed(cell_words_of(cell.text), key)
        if words:
            place = (cell.row, cell.column)
            yield Cell(*place, words, cell.rows, cell.columns, cell.is_header)
