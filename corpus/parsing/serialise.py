"""Write a parsed document as JSON and read it back.

JSON and not a pickle: the child that writes it read a hostile file.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from corpus.parsing.types import (
    Block,
    BlockKind,
    Box,
    Cell,
    Doubt,
    Line,
    Page,
    ParsedDocument,
    ParseError,
    Row,
    Table,
    WordsFound,
)

KNOWN_FAILURE = 3  # the child's exit status where error.json says what is wrong


def to_json(document: ParsedDocument) -> str:
    """Return `document` as JSON; equal documents give equal strings."""
    return json.dumps(asdict(document), ensure_ascii=False, sort_keys=True, allow_nan=False)


def from_json(text: str) -> ParsedDocument:
    """Return the document that `to_json` wrote.

    Raises ParseError (`parser_output`) for anything else.
    """
    try:
        return from_raw(json.loads(text))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise unreadable_output() from error


def from_raw(raw: dict[str, Any]) -> ParsedDocument:
    """Return the document of JSON that was read; what is amiss raises as it comes."""
    return ParsedDocument(
        pages=tuple(_page(page) for page in raw["pages"]),
        engine=str(raw["engine"]),
        title=str(raw["title"]),
        metadata={str(key): str(value) for key, value in raw["metadata"].items()},
    )


def unreadable_output() -> ParseError:
    """Return the error of what a child wrote that nobody can read."""
    return ParseError(
        "The parser wrote a result that can't be read.",
        code="parser_output",
        hint="Try again; if it happens again, report the file.",
        retryable=True,
    )


def _page(raw: dict[str, Any]) -> Page:
    confidence = raw["ocr_confidence"]
    return Page(
        number=int(raw["number"]),
        text=str(raw["text"]),
        blocks=tuple(_block(block) for block in raw["blocks"]),
        width=float(raw["width"]),
        height=float(raw["height"]),
        ocr_confidence=None if confidence is None else float(confidence),
        doubts=tuple(
            Doubt(str(x["code"]), str(x["message"]), int(x["start"]), int(x["end"]))
            for x in raw.get("doubts", ())
        ),
        dropped=tuple(_box(box) for box in raw.get("dropped", ())),
        words=_words(raw.get("words")),
    )


def _words(raw: dict[str, Any] | None) -> WordsFound | None:
    return None if raw is None else WordsFound(int(raw["found"]), int(raw["checked"]))


def _block(raw: dict[str, Any]) -> Block:
    return Block(
        kind=BlockKind(raw["kind"]),
        start=int(raw["start"]),
        end=int(raw["end"]),
        level=int(raw["level"]),
        lines=tuple(Line(int(x["start"]), int(x["end"]), _box(x["box"])) for x in raw["lines"]),
        table=None if raw["table"] is None else _table(raw["table"]),
        continues=bool(raw.get("continues", False)),
    )


def _table(raw: dict[str, Any]) -> Table:
    return Table(
        header=tuple(str(cell) for cell in raw["header"]),
        rows=tuple(
            Row(int(row["start"]), int(row["end"]), tuple(str(cell) for cell in row["cells"]))
            for row in raw["rows"]
        ),
        caption=str(raw["caption"]),
        cells=tuple(_cell(cell) for cell in raw.get("cells", ())),
    )


def _cell(raw: dict[str, Any]) -> Cell:
    return Cell(
        row=int(raw["row"]),
        column=int(raw["column"]),
        text=str(raw["text"]),
        rows=int(raw["rows"]),
        columns=int(raw["columns"]),
        is_header=bool(raw["is_header"]),
        box=None if raw["box"] is None else _box(raw["box"]),
    )


def _box(raw: list[float]) -> Box:
    left, top, right, bottom = (float(value) for value in raw)
    return (left, top, right, bottom)
