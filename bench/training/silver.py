"""Convert silver sets to training rows.

The checker gets a row for each claim; the reader one for each question and passage, with its
answers.
"""

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
    """Tell, by the keys of its first line, whether a file is a silver set. Raises DatasetError."""
    return set(KEYS) <= next(records_of(path), {}).keys()


def silver_records(path: Path, first: str) -> Iterator[Record]:
    """Return rows for the task whose first text is `first`: a claim, or a question.

    Raises DatasetError for a value that is no text, for an unknown label, and for a claim that
    answers a question but has no quote and is not itself in the passage.
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
    """Return the checker's row; claims about one question are alike, so they stay in one part."""
    return {
        "id": _id(record["question"], record["passage"], record["claim"]),
        "source": _source(record),
        "claim": record["claim"],
        "evidence": record["passage"],
        "label": record["label"],
        "document": record["question"],
    }


def _question_rows(lines: Iterator[Record], name: str) -> Iterator[Record]:
    """Yield the reader's rows; quotes of supported and contradicted claims are answers."""
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
    """Return the name in `licences.json`: the teacher's terms decide on use for training."""
    return f"silver of {record['teacher']}"


def _id(*texts: str) -> str:
    return hashlib.sha256("\0".join(texts).encode("utf-8", "replace")).hexdigest()[:16]
