"""Read a truth file: pages that people transcribed, kept in the repository.

It has no text: every word is a keyed hash that only the document's own bytes can reproduce, see
`hashing`; the document is named by its SHA-256. Kinds, order, levels, and the rows, columns and
spans of cells are plain.
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bench.reading.types import FACTS, Block, Cell, Kind, TruePage, TruthError
from bench.reading.words import Words

TRUTH = Path(__file__).with_name("truth.json.gz")
_FORM = 1
_DIGITS = 8  # of a hash


def read_truth(path: Path) -> list[TruePage]:
    """Read the pages of a truth file. Raises TruthError if it is missing or of another form."""
    content = _content(path)
    if content.get("form") != _FORM:
        raise TruthError(f"{path}: its form is {content.get('form')}, and {_FORM} is known here.")
    return [_page_from_json(raw) for raw in content["pages"]]


def _content(path: Path) -> dict[str, Any]:
    try:
        return dict(json.loads(gzip.decompress(path.read_bytes())))
    except (OSError, EOFError, zlib.error, ValueError, TypeError) as error:
        raise TruthError(f"{path} can't be read ({type(error).__name__}).") from error


def _page_from_json(raw: Mapping[str, Any]) -> TruePage:
    return TruePage(
        document=raw["document"],
        number=raw["page"],
        blocks=tuple(_block_from_json(block) for block in raw["blocks"]),
        dropped=tuple(_hashes(text) for text in raw["dropped"]),
        **{name: bool(raw.get(name)) for name in FACTS},
    )


def _block_from_json(raw: Mapping[str, Any]) -> Block:
    cells = tuple(
        Cell(row, column, _hashes(words), rows, columns, bool(is_header))
        for row, column, rows, columns, is_header, words in raw.get("cells", ())
    )
    words = tuple(word for cell in cells for word in cell.words) or _hashes(raw["words"])
    return Block(Kind(raw["kind"]), words, raw.get("level", 0), cells)


def _hashes(text: str) -> Words:
    return tuple(text[at : at + _DIGITS] for at in range(0, len(text), _DIGITS))
