"""Reviews as CSV or JSON lines, with what was asked and answered, or without any text."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator
from typing import Any

from django.db.models import QuerySet

from chat.models import Review

CSV, JSON_LINES = "csv", "jsonl"
FORMS = {CSV: "text/csv; charset=utf-8", JSON_LINES: "application/x-ndjson; charset=utf-8"}
_BATCH = 200
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


def review_rows(reviews: QuerySet[Review], *, texts: bool) -> Iterator[dict[str, Any]]:
    """Yield a row a review, with question, statements and note only where `texts` are wanted."""
    found = reviews.prefetch_related("turn__claims") if texts else reviews.defer("note")
    for review in found.iterator(chunk_size=_BATCH):
        row = _facts(review)
        if texts:
            row["question"] = review.turn.question
            row["statements"] = "\n".join(claim.text for claim in review.turn.claims.all())
            row["note"] = review.note
        yield row


def harmless(value: Any) -> Any:
    """Return text that no spreadsheet takes for a formula."""
    if isinstance(value, list):
        value = " ".join(str(each) for each in value)
    return f"'{value}" if isinstance(value, str) and value.startswith(_STARTS_FORMULA) else value


def _facts(review: Review) -> dict[str, Any]:
    turn = review.turn
    return {
        "review": review.pk,
        "turn": str(turn.pk),
        "asked_at": turn.created_at.isoformat(),
        "channel": turn.channel,
        "status": turn.status,
        "reason": turn.reason,
        "confidence": turn.confidence,
        "state": review.state,
        "flags": review.flags,
        "seed": review.seed,
        "percent": review.percent,
        "assignee": review.assignee.get_username() if review.assignee else "",
        "verdict": review.verdict,
        "created_at": review.created_at.isoformat(),
        "created_by": review.created_by.get_username() if review.created_by else "",
        "done_at": review.done_at.isoformat() if review.done_at else "",
        "done_by": review.done_by.get_username() if review.done_by else "",
    }


def _csv_line(cells: Iterable[Any]) -> str:
    line = io.StringIO()
    csv.writer(line).writerow(cells)
    return line.getvalue()
