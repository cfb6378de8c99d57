"""Read labelled questions, and the log-odds that the gate has for each, to calibrate it.

A question is an object with `question` (text) and `answerable` (true or false). `documents`, file
names or SHA-256, says which documents answer it. Other fields are ignored.
"""

from __future__ import annotations

import datetime
import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from chat.audit.chain import canonical_json
from chat.errors import QuestionError
from chat.gate.calibration import CalibrationError, Example
from chat.gate.records import judges_list
from chat.question.clean import question_clean
from chat.reader.choose import read
from corpus.models import Document
from retrieval.config import RetrievalConfig
from retrieval.pipeline import retrieve
from retrieval.types import Hit, Query, Rights


@dataclass(frozen=True)
class Labelled:
    """One question with its labels."""

    question: str
    answerable: bool
    documents: tuple[str, ...] = ()


@dataclass(frozen=True)
class Observed:
    """The examples of all questions, and the search that produced them."""

    examples: tuple[Example, ...]
    retrieval: str  # fingerprint of the search
    not_found: int  # answerable questions none of whose documents was among the passages


def labelled_questions(name: str) -> tuple[Labelled, ...]:
    """Read a JSON file. Raises `CalibrationError`."""
    path = Path(name)
    if path.is_file():
        return parsed_questions(_json_of(path))
    raise CalibrationError(
        f"{name} is not a file.",
        hint="Nothing was changed. Give a JSON list of questions as in tests/golden.",
    )


def _json_of(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise CalibrationError(f"{path} can't be read as JSON: {type(error).__name__}.") from error


def parsed_questions(content: Any) -> tuple[Labelled, ...]:
    """Parse questions; raises `CalibrationError` with the number of a malformed one."""
    if not isinstance(content, list) or not content:
        raise CalibrationError("A test set is a JSON list of questions.")
    parsed: dict[str, Labelled] = {}
    for number, item in enumerate(content, start=1):
        labelled = _parsed(item, number)
        if labelled.question in parsed:
            raise CalibrationError(
                f"Question {number} occurs twice.",
                hint="Nothing was changed. Remove the second one.",
            )
        parsed[labelled.question] = labelled
    return tuple(parsed.values())


def _parsed(item: Any, number: int) -> Labelled:
    if not isinstance(item, dict) or not isinstance(item.get("question"), str):
        raise CalibrationError(f"Question {number} is not an object with the text of a question.")
    if not isinstance(item.get("answerable"), bool):
        raise CalibrationError(f"Question {number}: answerable must be true or false.")
    documents = item.get("documents") or []
    if not isinstance(documents, list) or not all(isinstance(name, str) for name in documents):
        raise CalibrationError(f"Question {number}: documents must be a list of names.")
    try:
        question = question_clean(item["question"])
    except QuestionError as error:
        raise CalibrationError(f"Question {number}: {error}") from error
    return Labelled(question, item["answerable"], tuple(documents))


def questions_digest(questions: Sequence[Labelled]) -> str:
    """Return the SHA-256 over all questions and labels, in hex, regardless of order."""
    rows = sorted([q.question, q.answerable, sorted(q.documents)] for q in questions)
    return hashlib.sha256(canonical_json({"questions": rows}).encode()).hexdigest()


def observed(
    questions: Sequence[Labelled],
    config: RetrievalConfig,
    *,
    on: datetime.date,
    on_progress: Callable[[int], None] = lambda done: None,
) -> Observed:
    """Search and read for each question as `turn_ask` does, with everybody's rights."""
    examples: list[Example] = []
    fingerprint, not_found = "", 0
    for done, question in enumerate(questions, start=1):
        query = Query(question.question, on=on, rights=Rights.ALL)
        evidence = retrieve(query, config)
        fingerprint = evidence.trace.fingerprint
        answered = question.answerable and _is_found(question, evidence.hits)
        not_found += question.answerable and not answered
        odds = _odds(question.question, evidence.hits)
        examples.append(Example(question.question, odds, answered))
        on_progress(done)
    return Observed(tuple(examples), fingerprint, not_found)


def _odds(question: str, hits: Sequence[Hit]) -> float | None:
    """Return the log-odds that the gate reads, of all passages or of the best; None for none."""
    reading = read(question, hits)
    if not reading.statements:
        return None
    if judges_list():
        return reading.answerable
    return max(hit.odds for hit in reading.with_odds(hits) if hit.odds is not None)


def _is_found(question: Labelled, hits: Sequence[Hit]) -> bool:
    """Tell whether a document that answers the question was found.

    True where the set names no documents. A document with the same passage as a result counts as
    found. Runs one query where such a document is named by its file.
    """
    named = set(question.documents)
    if not named or any(hit.filename in named or hit.sha256 in named for hit in hits):
        return True
    twins = [twin for hit in hits for twin in hit.also_in]
    if any(twin.key.partition("_")[0] in named for twin in twins):
        return True
    ids = {twin.document_id for twin in twins}
    return bool(ids) and Document.objects.filter(pk__in=ids, filename__in=named).exists()
