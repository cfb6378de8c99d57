"""What `evaluate silver` wrote, as rows to train on: for the checker each claim, for the reader
each passage with what answers its question."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from chat.verification.types import Label
from evaluation.datasets.reading import records_of
from evaluation.datasets.types import DatasetError

KEYS = ("question", "passage", "claim", "label", "teacher")
LABELS = tuple(label.value for label in Label)
Record = dict[str, Any]


def is_silver(path: Path) -> bool:
    """By the keys of its first line. Raises DatasetError where that is none."""
    return set(KEYS) <= next(records_of(path), {}).keys()


def silver_records(path: Path, first: str) -> Iterator[Record]:
    """Return rows of the task whose first text is `first`: a claim, or a question.

    Raises DatasetError for a value that is no text, for a label that is none, and for a claim that
    answers a question and does not say where: without its quote, and not word for word.
    """
    lines = (_checked(record, path.name) for record in records_of(path, *KEYS))
    return map(_claim_row, lines) if first == "claim" else _question_rows(lines, path.name)


def _checked(record: Record, name: str) -> Record:
    if not all(isinstance(record[key], str) for key in KEYS):
        raise DatasetError(f"{name}: {', '.join(KEYS)} must be texts.")
    if record["label"] not in LABELS:
        raise DatasetError(f"{name}: label must be one of {', '.join(LABELS)}.")
    return record


def _claim_row(record: Record) -> Record:
    """Return what was claimed about one question stays in one part: the claims are much alike."""
    return {
        "id": _id(record["question"], record["passage"], record["claim"]),
        "source": _source(record),
        "claim": record["claim"],
        "evidence": record["passage"],
        "label": record["label"],
        "document": record["question"],
    }


def _question_rows(lines: Iterator[Record], name: str) -> Iterator[Record]:
    """Yield what supports a claim about the question or contradicts it answers the question."""
    rows: dict[tuple[str, str], Record] = {}
    for line in lines:
        question, passage = line["question"], line["passage"]
        row = {
            "id": _id(question, passage),
            "source": _source(line),
            "question": question,
            "passage": passage,
            "answers": [],
        }
        row = rows.setdefault((question, passage), row)
        if line["label"] == Label.NOT_FOUND.value:
            continue
        text = line.get("quote") or line["claim"]
        if not isinstance(text, str) or text not in passage:
            raise DatasetError(f"{name}: a claim's quote does not stand in its passage.")
        answer = {"start": passage.index(text), "text": text}
        if answer not in row["answers"]:
            row["answers"].append(answer)
    yield from rows.values()


def _source(record: Mapping[str, Any]) -> str:
    """Return a name for `licences.json`: terms of a teacher say what may be trained on its
    words.
    """
    return f"silver of {record['teacher']}"


def _id(*texts: str) -> str:
    return hashlib.sha256("\0".join(texts).encode("utf-8", "replace")).hexdigest()[:16]
