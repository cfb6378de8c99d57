"""Read questions that were written from documents, each with the verbatim text that answers it.

Two forms, in a file of one JSON object a line, which may be compressed. A place: `question` as a
ward types it, `plain` as it is said in full, the `answer` in the document's words, what it `needs`
around it (label of a row, head, lead-in), texts that are `wrong`, its `form`. A row: a `statement`
of the document `title` and the `questions` that it answers.
"""

from __future__ import annotations

import gzip
import html
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from evaluation.measures.patterns import folded

SUFFIXES = (".jsonl", ".jsonl.gz")
_MARKUP = re.compile(r"</?[a-zA-Z][^<>]*>|\*\*_?|_\*\*")
_TOKEN = re.compile(r"[^\W_]+|[<>≤≥%]")
_BETWEEN = r"[\W_]*"
PLAIN = "-plain"  # ends the id of a question that is said in full
_UNANSWERABLE = "none"  # the form of a place that no document has


def written_rows(path: Path) -> list[dict[str, Any]]:
    """Return the questions of a file in the form of a test set, both wordings of each."""
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    return [each for row in rows for each in (_of_row if "statement" in row else _of_place)(row)]


def verbatim(text: str) -> str:
    """Return a pattern that finds a text whatever stands between its words."""
    return _BETWEEN.join(map(re.escape, _TOKEN.findall(_plain(text))))


def _of_place(row: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    answerable = row["form"] != _UNANSWERABLE
    shared = {
        "answerable": answerable,
        "kind": row["form"],
        "family": row["document"] or row["id"],
        "document": row["document"] if answerable else "",
        "page": row["page"],
        "decisive": [verbatim(row["answer"])] if answerable else [],
        "quotes": [_plain(row["answer"])] if answerable else [],
        "needs": _patterns(row["needs"]),
        "wrong": _patterns(row["wrong"]),
    }
    yield {"id": row["id"], "question": row["question"], **shared}
    yield {"id": f"{row['id']}{PLAIN}", "question": row["plain"], **shared}


def _of_row(row: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for number, question in enumerate(row["questions"]):
        yield {
            "id": f"{row['id']}-{number}",
            "question": question["text"],
            "answerable": True,
            "kind": "row",
            "family": row["title"],
            "document": row["title"],
            "quotes": [_plain(row["statement"])],
        }


def _patterns(texts: Sequence[str] | None) -> list[str]:
    return [pattern for text in texts or () if (pattern := verbatim(text))]


def _plain(text: str) -> str:
    return folded(_MARKUP.sub("", html.unescape(text)))
