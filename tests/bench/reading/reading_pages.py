"""Pages for scoring a reading: blocks with plain words instead of hashes."""

from bench.reading.types import Block, Cell, Kind, TruePage
from bench.reading.words import words_of


def block(kind: str, text: str) -> Block:
    return Block(Kind(kind), words_of(text), text=text)


def table(*rows: str) -> Block:
    """Build a table from rows such as `Drug | Dose`; an empty text makes no cell."""
    cells = tuple(
        Cell(row, column, words_of(text))
        for row, line in enumerate(rows)
        for column, text in enumerate(line.split("|"))
        if text.strip()
    )
    return Block(Kind.TABLE, tuple(word for cell in cells for word in cell.words), cells=cells)


def page(*blocks: Block, dropped: tuple[str, ...] = ()) -> TruePage:
    return TruePage("0" * 64, 1, blocks, tuple(words_of(text) for text in dropped))
