"""Read a test set: questions with patterns, and the documents that they are about."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from bench.answers.written import SUFFIXES, written_rows
from evaluation.datasets.types import MAX_ID_CHARS, DatasetError
from evaluation.question_sets.patterned import Question, compiled


@dataclass(frozen=True)
class QuestionSet:
    """Questions in order of id, and the files of the documents, by name."""

    name: str
    questions: tuple[Question, ...]
    documents: tuple[Path, ...]
    digest: str  # of the file of questions and the documents

    @cached_property
    def documents_digest(self) -> str:
        """64 hex digits over the documents' bytes."""
        return _digest(path.read_bytes() for path in self.documents)


def read_questions(path: Path, documents: Path, *, limit: int = 0) -> QuestionSet:
    """Read a test set in the forms of `docs/evaluation.md`; `limit` keeps only the first questions.

    Raises DatasetError, naming the question, for a file of another form.
    """
    try:
        content = path.read_bytes()
        rows = written_rows(path) if path.name.endswith(SUFFIXES) else json.loads(content)
    except (OSError, EOFError, ValueError, KeyError, TypeError) as error:
        raise DatasetError(f"{path} can't be read as JSON.") from error
    if not isinstance(rows, list) or not rows:
        raise DatasetError(f"{path.name} holds no list of questions.")
    if not documents.is_dir():
        raise DatasetError(f"{documents} is not a folder of documents.")
    questions = sorted((_question(row, n) for n, row in enumerate(rows, 1)), key=lambda q: q.id)
    if len({question.id for question in questions}) != len(questions):
        raise DatasetError(f"{path.name}: an id occurs twice.")
    files = tuple(sorted(f for f in documents.rglob("*") if f.is_file() and f != path))
    missing = {q.document for q in questions} - {f.name for f in files} - {""}
    if missing:
        raise DatasetError(f"{documents} lacks {sorted(missing)[0]}, which a question is about.")
    kept = tuple(questions[:limit] if limit else questions)
    digest = _digest([content, *(f.read_bytes() for f in files), str(limit).encode()])
    return QuestionSet(f"{path.parent.name}/{path.stem}", kept, files, digest)


def _question(row: Any, number: int) -> Question:
    try:
        question = Question(
            id=str(row["id"])[:MAX_ID_CHARS],
            text=str(row["question"]),
            is_answerable=bool(row["answerable"]),
            kind=str(row.get("kind") or ""),
            document=str(row.get("document") or ""),
            page=row.get("page"),
            decisive=compiled(row.get("decisive") or ()),
            wrong=compiled(row.get("wrong") or ()),
            dangerous=compiled(row.get("dangerous") or ()),
            whole=compiled(row.get("list") or ()),
            before=tuple(map(str, row.get("before") or ())),
            quotes=tuple(map(str, row.get("quotes") or ())),
            answer=str(row.get("answer") or ""),
            needs=compiled(row.get("needs") or ()),
            family=str(row.get("family") or ""),
        )
    except (KeyError, TypeError, AttributeError, re.error) as error:
        raise DatasetError(
            f"Question {number} is not in the expected form: {type(error).__name__}."
        ) from error
    if question.is_answerable and not (question.decisive or question.quotes):
        raise DatasetError(f"Question {question.id} is answerable, so it needs a decisive pattern.")
    return question


def _digest(contents: Any) -> str:
    """Hash the contents separately, so that their boundaries count."""
    digest = hashlib.sha256()
    for content in contents:
        digest.update(hashlib.sha256(content).digest())
    return digest.hexdigest()
