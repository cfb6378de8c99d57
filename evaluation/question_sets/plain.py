"""A JSON list of `{"question", "expected_answer"}`, where each may have an `id`."""

from __future__ import annotations

from evaluation.question_sets.records import Record, key_of, kind_of, line_of, lines_of, object_of
from evaluation.question_sets.types import Item


def plain_item(record: Record) -> Item:
    """Without an id, a question is known by its number. Raises Malformed."""
    row = object_of(record, "question", "expected_answer")
    gold = lines_of(row["expected_answer"], "the expected answer")
    return Item(
        key=key_of(row.get("id", record.number)),
        question=line_of(row["question"], "the question"),
        kind=kind_of(gold),
        gold_answer=gold,
    )
