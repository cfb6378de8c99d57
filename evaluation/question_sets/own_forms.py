"""Read our own two forms: plain questions, and questions on guidelines with patterns.

Plain is a JSON list of `{"question", "expected_answer"}`, each maybe with an `id`. The form of
guidelines is described in `docs/evaluation.md`: patterns recognise a right answer, as for `evaluate
answers`.
"""

from __future__ import annotations

import hashlib
import re
from typing import Any

from evaluation.datasets.types import Malformed
from evaluation.question_sets.records import (
    JsonObject,
    Record,
    key_of,
    kind_of,
    line_of,
    lines_of,
    list_of,
    object_of,
    texts_of,
)
from evaluation.question_sets.types import Item, ItemKind


def plain_item(record: Record) -> Item:
    """Return a record's item; without an id its key is its number. Raises Malformed."""
    row = object_of(record, "question", "expected_answer")
    gold = lines_of(row["expected_answer"], "the expected answer")
    return Item(
        key=key_of(row.get("id", record.number)),
        question=line_of(row["question"], "the question"),
        kind=kind_of(gold),
        gold_answer=gold,
    )


PATTERNS = ("decisive", "wrong", "dangerous", "list")
MAX_PAGE = 100_000


def guidelines_item(record: Record) -> Item:
    """Return a record's item. Raises Malformed, also for an invalid regular expression."""
    row = object_of(record, "id", "question", "answerable")
    if not isinstance(row["answerable"], bool):
        raise Malformed("answerable must be true or false.")
    key = key_of(row["id"])
    patterns = {name: texts for name in PATTERNS if (texts := _patterns(row, name))}
    quotes = texts_of(row.get("quotes"), "quotes")
    if row["answerable"] and not (patterns.get("decisive") or quotes):
        raise Malformed("an answerable question needs a decisive pattern.")
    document = line_of(row.get("document"), "document")
    return Item(
        key=key,
        question=line_of(row["question"], "the question"),
        kind=ItemKind.ANSWERABLE if row["answerable"] else ItemKind.UNANSWERABLE,
        gold_answer=lines_of(row.get("answer"), "answer"),
        gold_claims=quotes,
        relevant=(document,) if document else (),
        page=_page(row.get("page")),
        before=texts_of(row.get("before"), "before"),
        category=line_of(row.get("kind"), "kind"),
        split="test" if is_counted(key) else "dev",
        patterns=patterns,
    )


def is_counted(key: str) -> bool:
    """Tell whether a question belongs to the half that is reported and never looked at.

    Decided by a hash of its id, so that it never changes.
    """
    return hashlib.sha256(key.encode()).digest()[0] % 2 == 1


def _patterns(row: JsonObject, name: str) -> tuple[str, ...]:
    patterns = []
    for text in list_of(row.get(name), name):
        if not isinstance(text, str) or "\0" in text:
            raise Malformed(f"{name} must be a list of strings.")
        try:
            text.encode()  # the database stores no lone surrogate
            re.compile(text, re.IGNORECASE)
        except (re.error, OverflowError, RecursionError, UnicodeEncodeError) as error:
            raise Malformed(f"a pattern of {name} is not a regular expression.") from error
        patterns.append(text)
    return tuple(patterns)


def _page(value: Any) -> int | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or not 0 < value <= MAX_PAGE:
        raise Malformed("page must be a whole number from 1.")
    return value
