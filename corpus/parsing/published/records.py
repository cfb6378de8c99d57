"""Read one record of a corpus in JSON lines.

Common formats: `id, title, content, contents` (MedRAG's snippets), `_id, title, text` (BEIR),
`doc_id, title, abstract` with the abstract as a list of sentences (SciFact).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from corpus.parsing.clean import clean_line, clean_lines
from corpus.parsing.drafts import Draft, text_draft
from corpus.parsing.lists import is_bullet, list_marker
from corpus.parsing.published.publications import Reader, known, language_code, no_text, year_in
from corpus.parsing.types import BlockKind, ParseError

# Where the text of a record stands; `contents` repeats the title in front of it.
_TEXTS = ("content", "text", "abstract", "contents")
_NAMES = ("id", "_id", "doc_id", "docid", "pmid", "PMID")
_TYPES = {"guideline", "article", "book", "answers", "reference", "other"}
_BLANK_LINE = re.compile(r"\n\s*\n")


def _load(source: Path | bytes) -> dict[str, Any]:
    """Return the single object of a file. Raises ParseError: `json_corrupt`, `many_records`."""
    content = source if isinstance(source, bytes) else source.read_bytes()
    record = _value(content)
    if isinstance(record, dict):
        return record
    lines = [line for line in content.splitlines() if line.strip()]
    if len(lines) > 1 and isinstance(_value(lines[0]), dict):
        raise ParseError(
            f"The file holds {len(lines)} records; each is a document of its own.",
            code="many_records",
            hint="Import it with manage.py import_corpus jsonl, which divides it.",
        )
    raise ParseError(
        "The file is not a JSON object on one line.",
        code="json_corrupt",
        hint='Export it again; a record looks like {"id": …, "title": …, "content": …}.',
    )


def _value(content: bytes) -> Any:
    """Return the parsed JSON; None if it is not valid."""
    try:
        return json.loads(content.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return None


def record_name(record: dict[str, Any]) -> str:
    """Return the record's identifier; empty if it has none."""
    return next((text for name in _NAMES if (text := _line(record, name))), "")


def _facts(record: dict[str, Any]) -> dict[str, str]:
    if not _text(record).strip():
        raise no_text("text")
    kind = _line(record, "source_type").lower()
    return known(
        source=_line(record, "source"),
        journal=_line(record, "journal"),
        year=year_in([_line(record, "year"), _line(record, "date")]),
        source_type=kind if kind in _TYPES else "",
        url=_line(record, "url"),
        licence=_line(record, "licence") or _line(record, "license"),
        language=language_code(_line(record, "language")),
        population=_line(record, "population"),
        id=record_name(record),
    )


def _line(record: dict[str, Any], key: str) -> str:
    value = record.get(key)
    return clean_line(str(value)) if isinstance(value, str | int) else ""


def _text(record: dict[str, Any]) -> str:
    for key in _TEXTS:
        value = record.get(key)
        if isinstance(value, list):
            value = " ".join(part.strip() for part in value if isinstance(part, str))
        if isinstance(value, str) and value.strip():
            return clean_lines(value)
    return ""


def _body(record: dict[str, Any]) -> Iterator[Draft]:
    """Yield the headings of the record's section path, then its text."""
    value = record.get("section_path")
    names = value if isinstance(value, list) else [value] if isinstance(value, str) else []
    path = [text for name in names if isinstance(name, str) and (text := clean_line(name))]
    for level, text in enumerate(path, start=2 if _line(record, "title") else 1):
        yield text_draft(BlockKind.HEADING, text, level)
    for part in _BLANK_LINE.split(_text(record)):
        drafts: list[Draft] = []
        for line in filter(None, part.split("\n")):
            marker = list_marker(line)
            if marker is not None:
                content = line[len(marker) :] if is_bullet(line) else line
                drafts += [text_draft(BlockKind.LIST_ITEM, content)] if content else []
            elif drafts:  # it belongs to the line before
                drafts[-1] = text_draft(drafts[-1].kind, f"{drafts[-1].text} {line}")
            else:
                drafts.append(text_draft(BlockKind.PARAGRAPH, line))
        yield from drafts


READER = Reader(_load, _facts, lambda record: _line(record, "title"), _body)
