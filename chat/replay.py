"""Replay a stored turn and find the first thing that comes out differently.

Search, gate, verification and caveats run again, for the day of the question and with the asker's
rights. What language models wrote and judged is taken from the turn, unless it is to be generated
again; a verifier that is a language model is called again. Only the fact of the replay is stored.
"""

from __future__ import annotations

import datetime
import itertools
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.db import transaction

from chat.ask import answer
from chat.audit import log as audit
from chat.config import AnswerConfig
from chat.generation.types import Generation
from chat.models import Citation, Mode, Reason, Turn
from chat.pipeline.parts import site_parts
from chat.pipeline.run import AnswerRun
from chat.pipeline.trace import fingerprint_of, trace_of
from chat.question.multiple_choice import set_apart
from chat.question.understand import Understood
from chat.types import IDENTIFIERS, Abstained, Answered, DraftClaim, Option, Outcome
from chat.verification.answer_judge import AnswerJudgement
from core.errors import MedragError
from core.llm.usage import Usage
from retrieval.filters import filters_from
from retrieval.types import Query

# The order in which differences are told: that of the way of a question.
_STEPS = (
    "asked corpus failure fingerprint documents searches gate generation verdicts judgement outcome"
).split()
_STEPS_OF_SEARCH = (
    "look query on scope rights filters encoder analysis lexemes variants rankings fused reranked "
    "rerank_parts also_in hits gate"
).split()
# What is no part of the result: how long it took, and what it cost.
_NOT_COMPARED = {"durations_ms", "duration_ms", "rewriting", "usage", "notes"}
_NOT_COMPARED |= {"complexity", "reasons"}  # of a question; an older release stored them
SHOWN_CHARS = 300  # of a value that differs
_DRAWN = {"keys", "raw"}  # new with each call of a language model


class NotReplayable(MedragError):
    """The turn has nothing to replay."""


@dataclass(frozen=True)
class Difference:
    """The first difference of a replay. Values may hold what was asked and answered."""

    place: str  # such as `searches.0.rankings.1.entries.0.key`
    stored: Any
    now: Any

    @property
    def stored_text(self) -> str:
        return _short(self.stored)

    @property
    def now_text(self) -> str:
        return _short(self.now)


@dataclass(frozen=True)
class Replay:
    turn: Turn
    outcome: Outcome
    difference: Difference | None  # None: the same in every step


def turn_replay(turn: Turn, *, regenerate: bool = False, by: audit.Actor = None) -> Replay:
    """Replay a turn and compare it, step by step; write one audit event.

    Raises `NotReplayable` for a turn that was blocked, is of an older release, or lost its text.
    """
    if turn.removal:
        raise NotReplayable(turn.removal, hint="Nothing was run, and nothing was changed.")
    if turn.reason == Reason.IDENTIFIERS_IN_QUESTION:
        raise NotReplayable(
            "This question was blocked before anything was searched.",
            hint="Nothing was run, and nothing was changed.",
        )
    if "asked" not in turn.trace:
        raise NotReplayable(
            "This question was stored by an older release, without the data that a replay needs.",
            hint="Ask the question again.",
        )
    run = _run_of(turn, regenerate=regenerate)
    outcome = answer(run)
    stored, now = _stored(turn), _now(run, outcome)
    if regenerate:
        stored, now = _without_drawn(stored), _without_drawn(now)
    difference = _first_difference(stored, now)
    _record(turn, difference, regenerate=regenerate, by=by)
    return Replay(turn, outcome, difference)


def _run_of(turn: Turn, *, regenerate: bool) -> AnswerRun:
    asked = turn.trace["asked"]
    said = asked.get("unclear") or turn.standalone or turn.question
    choice = set_apart(said, [Option(**option) for option in asked["options"]])
    query = Query(
        text=choice.stem if choice else said,
        on=datetime.date.fromisoformat(asked["on"]),
        collections=tuple(asked["collections"]),
        reader=turn.user_id,
        filters=filters_from(asked["filters"]),
    )
    config = AnswerConfig(**turn.trace["answers"] | {"mode": Mode(turn.mode)})
    run = AnswerRun(query, config, *site_parts())
    run.understood = Understood(
        query.text, choice.options if choice else (), is_unclear="unclear" in asked
    )
    run.forgotten = tuple(asked.get("forgotten", ()))
    if not regenerate:  # nobody is asked, also where there was no answer
        run.stored = _generation(turn.trace["generation"] or {})
        if judged := turn.trace["judgement"]:
            run.judgement = _judgement(judged)
    return run


def _judgement(stored: Mapping[str, Any]) -> AnswerJudgement:
    usage, notes = Usage(**stored["usage"]), tuple(stored["notes"])
    return AnswerJudgement(**{**stored, "usage": usage, "notes": notes})


def _generation(stored: Mapping[str, Any]) -> Generation:
    if not stored:
        return Generation(claims=())
    kept = {name: stored[name] for name in ("raw", "keys", "prompt", "model", "option")}
    return Generation(claims=(), usage=Usage(**stored["usage"]), **kept)


def _stored(turn: Turn) -> dict[str, Any]:
    claims = turn.claims.prefetch_related("citations")
    return {
        "fingerprint": turn.fingerprint,
        **_as_stored(turn.trace),
        "outcome": {
            "reason": turn.reason,
            "confidence": turn.confidence,
            "option": turn.option,
            "warnings": [w for w in turn.warnings if w["code"] != IDENTIFIERS],
            "nearest": [passage["chunk"] for passage in turn.nearest],
            "claims": [
                [claim.kind, claim.text, [_place(c) for c in claim.citations.all()]]
                for claim in claims
            ],
        },
    }


def _now(run: AnswerRun, outcome: Outcome) -> dict[str, Any]:
    answered = outcome.claims if isinstance(outcome, Answered) else ()
    return {
        "fingerprint": fingerprint_of(run),
        **_as_stored(trace_of(run)),
        "outcome": {
            "reason": str(outcome.reason) if isinstance(outcome, Abstained) else "",
            "confidence": round(outcome.confidence, 4),
            "option": run.option if answered else "",
            "warnings": [caution.as_dict() for caution in run.cautions_of(outcome)],
            "nearest": [] if isinstance(outcome, Answered) else [h.key for h in outcome.nearest],
            "claims": [
                [
                    str(claim.kind),
                    claim.text,
                    _places(claim),
                ]
                for claim in answered
            ],
        },
    }


def _place(citation: Citation) -> list[Any]:
    return [citation.chunk_key, citation.page, citation.start, citation.end, citation.quote]


def _places(claim: DraftClaim) -> list[list[Any]]:
    """Return the cited places as they are stored, each once."""
    places = {(q.hit.key, q.page, q.start): [q.end, q.text] for q in claim.quotes}
    return [[*place, *rest] for place, rest in places.items()]


def _as_stored(trace: dict[str, Any]) -> dict[str, Any]:
    """Return the value as a JSON column gives it back."""
    stored: dict[str, Any] = json.loads(json.dumps(trace))
    return stored


def _without_drawn(step: dict[str, Any]) -> dict[str, Any]:
    generation = step.get("generation") or {}
    return step | {"generation": {k: v for k, v in generation.items() if k not in _DRAWN}}


def _first_difference(stored: Mapping[str, Any], now: Mapping[str, Any]) -> Difference | None:
    steps = (_differences(stored.get(step), now.get(step), step) for step in _STEPS)
    return next(itertools.chain.from_iterable(steps), None)


def _differences(stored: Any, now: Any, place: str) -> Iterator[Difference]:
    """Yield the differences in order: of list entries by index, of objects by name."""
    if isinstance(stored, dict) and isinstance(now, dict):
        for name in _names(stored, now):
            yield from _differences(stored.get(name), now.get(name), f"{place}.{name}")
    elif isinstance(stored, list) and isinstance(now, list):
        for number in range(max(len(stored), len(now))):
            one, other = (_at(values, number) for values in (stored, now))
            yield from _differences(one, other, f"{place}.{number}")
    elif stored != now:
        yield Difference(place, stored, now)


def _names(stored: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """Return the names of both objects: the steps of a search in order, then the others sorted."""
    names = {*stored, *now} - _NOT_COMPARED
    first = [name for name in _STEPS_OF_SEARCH if name in names]
    return [*first, *sorted(names.difference(first))]


def _at(values: list[Any], number: int) -> Any:
    return values[number] if number < len(values) else None


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, sort_keys=True)
    return text if len(text) <= SHOWN_CHARS else f"{text[:SHOWN_CHARS]} ..."


def _record(
    turn: Turn, difference: Difference | None, *, regenerate: bool, by: audit.Actor
) -> None:
    payload = {
        "difference": difference.place if difference else None,
        "regenerated": regenerate,
    }
    with transaction.atomic():
        audit.record("replay", actor=by, subject=f"turn:{turn.pk}", payload=payload)
