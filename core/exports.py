"""Rows as CSV or JSON lines, line by line, so that no table is too long to be handed out."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator
from typing import Any

CSV, JSON_LINES = "csv", "jsonl"
FORMS = {CSV: "text/csv; charset=utf-8", JSON_LINES: "application/x-ndjson; charset=utf-8"}
_STARTS_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def exported(rows: Iterable[dict[str, Any]], form: str) -> Iterator[str]:
    """Yield lines of one of `FORMS`. The names of the first row are those of all."""
    if form == JSON_LINES:
        yield from (json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        return
    for number, row in enumerate(rows):
        if not number:
            yield _csv_line(row)
        yield _csv_line(harmless(value) for value in row.values())


def harmless(value: Any) -> Any:
    """Return text that no spreadsheet takes for a formula."""
    if isinstance(value, list):
        value = " ".join(str(each) for each in value)
    return f"'{value}" if isinstance(value, str) and value.startswith(_STARTS_FORMULA) else value


def _csv_line(cells: Iterable[Any]) -> str:
    line = io.StringIO()
    csv.writer(line).writerow(cells)
    return line.getvalue()
