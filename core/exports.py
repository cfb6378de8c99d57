"""Export rows as CSV or JSON lines, streamed so that no table is too large."""

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
    """Yield lines in one of `FORMS`. The first row's names are those of all rows."""
    if form == JSON_LINES:
        yield from (json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        return
    for number, row in enumerate(rows):
        if not number:
            yield _csv_line(row)
        yield _csv_line(harmless(value) for value in row.values())


def harmless(value: Any) -> Any:
    """Escape text that a spreadsheet would run as a formula."""
    if isinstance(value, list):
        value = " ".join(str(each) for each in value)
    return f"'{value}" if isinstance(value, str) and value.startswith(_STARTS_FORMULA) else value


def _csv_line(cells: Iterable[Any]) -> str:
    line = io.StringIO()
    csv.writer(line).writerow(cells)
    return line.getvalue()
