"""Ask a test set's questions of a site whose language model knows the answers.

Runs in the database of this process, through the same function as a clinician's question.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from django.conf import settings
from django.utils.functional import cached_property

from bench.answers.knowing_model import KnowingModel, Saying, served
from chat.ask import turn_ask
from chat.models import Channel, ClaimKind, Turn
from chat.types import AskedQuestion
from core.llm.client import Endpoint
from core.progress import Progress
from evaluation.datasets.types import DatasetError
from evaluation.question_sets.patterned import Half, Question

JUDGE = "llm"  # the verifier that asks a language model


@dataclass(frozen=True)
class ModelOrder:
    """What the model says, and the gate and verifier that it meets."""

    mode: str
    claims: str = ""  # a file of claims by question id; empty: none
    is_gate_open: bool = False
    is_judged: bool = False  # by a judge who knows which claims are true


@dataclass(frozen=True)
class ModelAsked:
    """The result of one saying of the model for one question."""

    id: str
    half: str
    kind: str  # of a lie
    is_answerable: bool
    calls: int  # of the model: 0 where the gate refused
    stretches: int  # found among the passages
    shown: int  # of its claims
    stopped_by: tuple[str, ...]  # first failed check of each other claim, with detail
    reason: str  # why it was refused
    duration_ms: int
    said: str
    confidence: float  # the gate's probability or, of an answer, its confidence

    @classmethod
    def from_dict(cls, row: Mapping[str, Any]) -> ModelAsked:
        return cls(**{**row, "stopped_by": tuple(row["stopped_by"])})


def half_of(document: str) -> str:
    """Return a document's half, by a hash of its name: all its questions are in the same half."""
    first = hashlib.sha256(document.encode()).digest()[0]
    return str(Half.COUNTED if first % 2 else Half.LOOKED_AT)


class Claims:
    """The model's claims for each question: `{id: {"free": TEXT, "lies": [{"kind", "text"}]}}`."""

    def __init__(self, path: str) -> None:
        """Remember the file, which is read at first use; empty for no claims."""
        self._path = path

    @cached_property
    def _by_id(self) -> Mapping[str, Any]:
        if not self._path:
            return {}
        try:
            found = json.loads(Path(self._path).read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise DatasetError(f"{self._path} can't be read as JSON.") from error
        if not isinstance(found, dict):
            raise DatasetError(f"{self._path} holds no claims by question id.")
        return found

    def sayings(self, question: Question, mode: Saying) -> list[tuple[str, str]]:
        """Return kind and text of each saying; empty if the file has none for the question.

        An empty text makes the model quote. Raises DatasetError.
        """
        own = self._by_id.get(question.id) or {}
        if mode is Saying.QUOTE or not question.is_answerable:
            return [("", "")]
        if mode is Saying.ANSWER:
            return [("", question.answer)] if question.answer else []
        if mode is Saying.FREE:
            return [("", own["free"])] if "free" in own else []
        lies = own.get("lies") or ([{"kind": "", "text": own["lie"]}] if "lie" in own else [])
        return [(str(lie["kind"]), str(lie["text"])) for lie in lies]


def model_asked(questions: Sequence[Question], order: ModelOrder) -> Iterator[ModelAsked]:
    """Ask every question once for each saying of the model, in order. Raises DatasetError."""
    mode, claims = Saying(order.mode), Claims(order.claims)
    asked = [(q, kind, said) for q in questions for kind, said in claims.sayings(q, mode)]
    model = KnowingModel(is_truthful=mode is not Saying.LIE)
    asking = Progress("  Asking", len(asked), "questions")
    with served(model) as address, _site_of(address, order), asking as progress:
        for question, kind, said in asked:
            model.ask(question, said)
            turn = turn_ask(AskedQuestion(question.text, user=None, channel=Channel.COMMAND))
            yield _told(question, kind, model, turn)
            progress.step()


def _told(question: Question, kind: str, model: KnowingModel, turn: Turn) -> ModelAsked:
    verdicts = turn.trace.get("verdicts") or ()
    shown = turn.claims.filter(kind=ClaimKind.ANSWER).count()
    return ModelAsked(
        id=question.id,
        half=half_of(question.document) if question.document else str(question.half),
        kind=kind,
        is_answerable=question.is_answerable,
        calls=model.calls,
        stretches=model.stretches,
        shown=shown,
        stopped_by=tuple(f"{v['failed']}: {v['detail']}" for v in verdicts if v["failed"]),
        reason=turn.reason,
        duration_ms=turn.duration_ms,
        said=model.said or " / ".join(claim["text"] for claim in model.claims),
        confidence=turn.confidence,
    )


@contextmanager
def _site_of(address: str, order: ModelOrder) -> Iterator[None]:
    """Configure this process to use the model at the address, by `order` also as its judge."""
    models = replace(settings.MODELS, generate=(Endpoint(address, "knowing", role="generate"),))
    wanted: dict[str, Any] = {"GENERATOR": "llm", "MODELS": models}
    if order.is_judged:
        judge = Endpoint(address, "knowing", role="judge")
        wanted |= {"VERIFIER": JUDGE, "MODELS": replace(models, judge=(judge,))}
    if order.is_gate_open:
        wanted |= {"GATE_THRESHOLD": 0.0, "CONFIDENCE_THRESHOLD": 0.0}
    before = {name: getattr(settings, name) for name in wanted}
    try:
        for name, value in wanted.items():
            setattr(settings, name, value)
        yield
    finally:
        for name, value in before.items():
            setattr(settings, name, value)
