"""Read labelled questions and search for each, to fit a calibration.

A question is an object with `question` (text), `answerable` (true or false) and, if false, `reason`
(a code; `ONLY_OUT_OF_DATE` means that an ended document answers it). `documents`, file names or
SHA-256, says which documents answer it. Other fields are ignored.
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
from chat.models import Reason
from chat.pipeline.search import explaining_search
from chat.question.clean import question_clean
from corpus.models import Document
from retrieval.config import RetrievalConfig
from retrieval.pipeline import retrieve
from retrieval.types import Hit, Query, Rights, Scope


@dataclass(frozen=True)
class Labelled:
    """One question with its labels."""

    question: str
    answerable: bool
    reason: str = ""
    documents: tuple[str, ...] = ()


@dataclass(frozen=True)
class Observed:
    """The examples of all questions, and the search that produced them."""

    examples: tuple[Example, ...]
    retrieval: str  # fingerprint of the search
    encoder: str  # fingerprint of the encoder whose cosines these are
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
    found: dict[str, Labelled] = {}
    for number, item in enumerate(content, start=1):
        labelled = _parsed(item, number)
        if labelled.question in found:
            raise CalibrationError(
                f"Question {number} occurs twice.",
                hint="Nothing was changed. Remove the second one.",
            )
        found[labelled.question] = labelled
    return tuple(found.values())


def _parsed(item: Any, number: int) -> Labelled:
    if not isinstance(item, dict) or not isinstance(item.get("question"), str):
        raise CalibrationError(f"Question {number} is not an object with the text of a question.")
    if not isinstance(item.get("answerable"), bool):
        raise CalibrationError(f"Question {number}: answerable must be true or false.")
    reason = item.get("reason") or ""
    if reason and reason not in Reason.values:
        raise CalibrationError(f"Question {number}: there is no such reason.")
    documents = item.get("documents") or []
    if not isinstance(documents, list) or not all(isinstance(name, str) for name in documents):
        raise CalibrationError(f"Question {number}: documents must be a list of names.")
    try:
        question = question_clean(item["question"])
    except QuestionError as error:
        raise CalibrationError(f"Question {number}: {error}") from error
    return Labelled(question, item["answerable"], reason, tuple(documents))


def questions_digest(questions: Sequence[Labelled]) -> str:
    """Return the SHA-256 over all questions and labels, in hex, regardless of order."""
    rows = sorted([q.question, q.answerable, q.reason, sorted(q.documents)] for q in questions)
    return hashlib.sha256(canonical_json({"questions": rows}).encode()).hexdigest()


def observed(
    questions: Sequence[Labelled],
    config: RetrievalConfig,
    *,
    on: datetime.date,
    on_progress: Callable[[int], None] = lambda done: None,
) -> Observed:
    """Search for each question as `turn_ask` does, with everybody's rights."""
    examples: list[Example] = []
    fingerprint, encoder, not_found = "", "", 0
    for done, question in enumerate(questions, start=1):
        query = Query(question.question, on=on, rights=Rights.ALL)
        evidence = retrieve(query, config)
        fingerprint = evidence.trace.fingerprint
        encoder = evidence.trace.encoder
        hits = evidence.hits
        answered = question.answerable and _is_found(question, hits)
        not_found += question.answerable and not answered
        examples.append(Example(question.question, _features(hits), answered))
        if not question.answerable:
            examples.append(_among_ended(question, config, on=on))
        on_progress(done)
    return Observed(tuple(examples), fingerprint, encoder, not_found)


def _among_ended(question: Labelled, config: RetrievalConfig, *, on: datetime.date) -> Example:
    """Search the ended documents, as a refusal does to explain itself."""
    query = Query(question.question, on=on, scope=Scope.OUT_OF_DATE, rights=Rights.ALL)
    hits = retrieve(query, explaining_search(config)).hits
    ended = question.reason == Reason.ONLY_OUT_OF_DATE and _is_found(question, hits)
    return Example(question.question, _features(hits), ended, is_extra=True)


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


def _features(hits: Sequence[Hit]) -> tuple[tuple[float, float], ...]:
    """Return each pair of features once, in a fixed order."""
    return tuple(sorted({(hit.cosine, hit.coverage) for hit in hits}))
