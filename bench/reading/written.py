"""Read transcripts of pages, a JSON file each, as pages whose words are hashed. Pure.

A transcript is written from the picture of the page, never from a reader's result:

    {"document": "x.pdf", "page": 7, "has_table": true, "has_boxes": false, "scanned": false,
     "dropped": ["running header", "7 of 41"], "unsure": "only where there are two ways to read it",
     "blocks": [{"kind": "heading", "text": "1.2 Treatment", "level": 2},
                {"kind": "list_item", "text": "Give it.", "marker": "1.2.4", "depth": 1},
                {"kind": "table", "cells": [{"row": 0, "column": 0, "rows": 1, "columns": 2,
                                             "text": "Dose", "header": true}]}]}

Blocks are in the order a person reads them; their kinds are those of `types.Kind`. A numbered
recommendation is an item; a label across a table is a cell over all its columns; empty cells, mere
bullets and text in pictures are left out; a word divided at a line's end is joined.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from bench.reading.hashing import digest_of, hashed, page_key
from bench.reading.types import FACTS, Block, Cell, Kind, TruePage, TruthError
from bench.reading.words import Words, cell_words_of, words_of

Raw = Mapping[str, Any]


def read_written(folder: Path, documents: Path) -> list[TruePage]:
    """Read the pages that the files in `folder` describe, in order of document and page.

    `documents` holds the files that they name. Raises TruthError for a file that can't be used.
    """
    files = sorted(folder.glob("*.json"))
    if not files:
        raise TruthError(f"{folder}: there is no JSON file in it.")
    pages = [_read(path, documents) for path in files]
    pages.sort(key=lambda page: (page.document, page.number))
    for one, other in pairwise(pages):
        if (one.document, one.number) == (other.document, other.number):
            raise TruthError(f"Page {one.number} of {one.document} is described twice.")
    return pages


def _read(path: Path, documents: Path) -> TruePage:
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
        file = documents / Path(str(raw["document"])).name
        if not file.is_file():
            raise TruthError(f"its document {file.name} is not in {documents}")
        return _page(raw, file.read_bytes())
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise TruthError(f"{path.name} can't be used: {error}.") from error


def _page(raw: Raw, content: bytes) -> TruePage:
    number = int(raw["page"])
    key = page_key(content, number)
    return TruePage(
        document=digest_of(content),
        number=number,
        blocks=tuple(_blocks(raw["blocks"], key)),
        dropped=tuple(filter(None, (hashed(words_of(text), key) for text in raw["dropped"]))),
        **{name: bool(raw.get(name)) for name in FACTS},
    )


def _blocks(raw: Sequence[Raw], key: bytes) -> Iterator[Block]:
    """Yield the blocks that have words."""
    for one in raw:
        kind = Kind(one["kind"])
        cells = tuple(_cells(one["cells"], key)) if kind is Kind.TABLE else ()
        words = hashed(_words(one), key) if kind is not Kind.TABLE else ()
        words = words or tuple(word for cell in cells for word in cell.words)
        if words:
            yield Block(kind, words, int(one.get("level", 0)), cells)


def _words(raw: Raw) -> Words:
    """Return the words of a block, with an item's number first whether the text repeats it or not.

    A mere bullet has no words, including the letter `o` that Word prints for one.
    """
    words = words_of(str(raw["text"]))
    marker = words_of(f"{raw.get('marker') or ''} ")
    return words if words[: len(marker)] == marker else marker + words


def _cells(raw: Sequence[Raw], key: bytes) -> Iterator[Cell]:
    """Yield cells in order of row and column. Raises TruthError where two overlap."""
    taken: set[tuple[int, int]] = set()
    for one in sorted(raw, key=lambda cell: (int(cell["row"]), int(cell["column"]))):
        cell = Cell(
            row=int(one["row"]),
            column=int(one["column"]),
            words=hashed(cell_words_of(str(one["text"])), key),
            rows=int(one.get("rows", 1)),
            columns=int(one.get("columns", 1)),
            is_header=bool(one.get("header")),
        )
        rows, columns = cell.end
        covered = {(r, c) for r in range(cell.row, rows) for c in range(cell.column, columns)}
        if not covered or covered & taken:
            raise TruthError(f"the cell at row {cell.row}, column {cell.column} lies on another")
        taken |= covered
        if cell.words:
            yield cell
