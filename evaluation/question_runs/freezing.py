"""Record what a run is started with, so that two runs can be told apart."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from django.conf import settings
from django.utils import timezone

from chat.config import answer_config
from chat.errors import GateUnavailable
from chat.gate.records import gate_in_use
from chat.pipeline.corpus_snapshot import corpus_snapshot
from chat.pipeline.parts import site_parts
from chat.pipeline.run import AnswerRun
from chat.verification.answer_judge import judge_fingerprint
from evaluation.choices.model_alone import alone_fingerprint
from evaluation.measures.concepts import CONCEPT_MEASURES
from evaluation.measures.configured import known_concepts
from evaluation.measures.measure import MEASURES
from evaluation.models import Question
from retrieval.types import Query

_APPS = ("core", "corpus", "retrieval", "chat")


@dataclass(frozen=True)
class Budget:
    """The limits of a run, each 0 for none. A run that uses up its budget ends, done in part."""

    questions: int = 0
    seconds: float = 0.0  # of answering, in all processes together
    tokens: int = 0


NO_BUDGET = Budget()


@dataclass(frozen=True)
class RunOrder:
    """A person's order of a run. `limit` items are drawn at random by the seed; 0 takes all."""

    name: str = ""
    limit: int = 0
    seed: int = 0
    measures: tuple[str, ...] = MEASURES
    budget: Budget = NO_BUDGET
    is_here: bool = False  # a command executes it, not the worker
    model_alone: bool = False  # also ask the model, without evidence, questions with a label


def frozen_now(items: Sequence[Question], order: RunOrder) -> dict[str, Any]:
    """Return the state of the site; `configuration` is one digest of all that decides answers.

    The items are given by number and digest, since the results name them.
    """
    run = _run_now()
    decides = _decides(run)
    return {
        "items": len(items),
        "items_digest": _digest([item.key for item in items]),
        "configuration": _digest(decides)[:16],
        **decides,
        "search": asdict(run.searches.config),  # what `retrieval` is the digest of, for people
        "corpus": corpus_snapshot(run.query.on).as_dict(),
        "version": _version(),
        "seed": order.seed,
        "measures": list(order.measures),
        "concepts": _concepts() if set(order.measures) & set(CONCEPT_MEASURES) else None,
        "budget": asdict(order.budget),
        "model_alone": {"prompt_and_models": alone_fingerprint()} if order.model_alone else None,
    }


def configuration_now() -> str:
    """Return `configuration` of a run that would start now."""
    return _digest(_decides(_run_now()))[:16]


def _run_now() -> AnswerRun:
    return AnswerRun(Query(text="", on=timezone.localdate()), answer_config(), *site_parts())


def _decides(run: AnswerRun) -> dict[str, Any]:
    return {
        "retrieval": run.searches.config.fingerprint(),
        "answers": run.config.as_dict(),
        "gate": _gate(),
        "models": {
            "generator": run.generator.fingerprint,
            "verifier": run.verifier.fingerprint,
            "judge": judge_fingerprint(),
        },
        "prompts": prompt_digests(),
    }


def prompt_digests() -> dict[str, str]:
    """Map `app/file` to 16 hex digits of its SHA-256, for every prompt that the site may send."""
    base = Path(settings.BASE_DIR)
    files = sorted(path for app in _APPS for path in (base / app).glob("**/prompts/*.txt"))
    return {
        path.relative_to(base).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()[:16]
        for path in files
    }


def _gate() -> dict[str, Any]:
    """Return the gate's calibration and threshold, as JSON types. Runs one query."""
    try:
        gate: dict[str, Any] = json.loads(json.dumps(gate_in_use().as_dict()))
    except GateUnavailable as error:
        return {"unavailable": str(error)}
    return gate


def _concepts() -> str:
    known = known_concepts()
    return known if isinstance(known, str) else known.fingerprint


def _digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()


def _version() -> str:
    try:
        return version("medrag")
    except PackageNotFoundError:
        return "unknown"
