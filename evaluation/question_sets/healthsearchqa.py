"""HealthSearchQA: questions that people type into a search engine, without answers.

Source: Singhal et al., Nature 2023. Read are JSON (a list of texts or of objects with `question`),
JSON lines, CSV with a column `question`, and text with a question a line.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from evaluation.datasets.types import DatasetError
from evaluation.question_sets.records import (
    JsonObject,
    Record,
    csv_rows,
    json_lines,
    json_list,
    key_of,
    line_of,
    object_of,
    text_lines,
)
from evaluation.question_sets.types import Item, ItemKind


def healthsearchqa_records(path: Path) -> Iterator[Record]:
    """By the ending of the file's name, .gz aside. Raises DatasetError."""
    ending = Path(path.name.lower().removesuffix(".gz")).suffix
    if ending == ".json":
        return json_list(path)
    if ending == ".jsonl":
        return json_lines(path)
    if ending == ".csv":
        return _table(path)
    if ending in ("", ".txt"):
        return _lines(path)
    raise DatasetError(
        f"{path.name} is neither JSON, CSV nor text.", hint="Name it .json, .jsonl, .csv or .txt."
    )


def healthsearchqa_item(record: Record) -> Item:
    """Without an id, a question is known by its number. Raises Malformed."""
    if isinstance(record.value, str):
        key, question = str(record.number), record.value
    else:
        row = object_of(record, "question")
        key, question = key_of(row.get("id", record.number)), row["question"]
    return Item(key, line_of(question, "the question"), ItemKind.UNLABELLED)


def _lines(path: Path) -> Iterator[Record]:
    for number, line in text_lines(path):
        yield Record(f"{path.name}, line {number}", number, line)


def _table(path: Path) -> Iterator[Record]:
    rows = csv_rows(path)
    head = [cell.strip().lower() for cell in next(rows, Record("", 0, [])).value]
    if "question" not in head:
        raise DatasetError(
            f"{path.name} has no column question.", hint="Name it so in the first line."
        )
    for row in rows:
        fault = "" if len(row.value) == len(head) else f"{len(head)} columns are needed."
        named = [(name, cell) for name, cell in zip(head, row.value, strict=False) if name]
        yield Record(row.place, row.number, JsonObject(named), fault)
