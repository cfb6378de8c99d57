"""The way of a question: retrieve, gate, generate, verify, store. The only writer of turns."""

from __future__ import annotations

import hashlib
import json
import logging
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from chat import audit
from chat.calibration_records import gate_in_use
from chat.confidence import confidence
from chat.gate import Decision, GateUnavailable
from chat.generation.configured import site_generator
from chat.generation.types import Generator, Task
from chat.looking import EXPLAINING, Look, Looks, look, look_once
from chat.models import Channel, Citation, Claim, Conversation, Reason, Turn, TurnStatus
from chat.types import Abstained, Answered, DraftClaim, Outcome
from chat.verification.verify import Verdict, verify
from corpus.access import is_narrowed
from corpus.errors import MedragError
from corpus.parsing.clean import clean_text
from retrieval.configured import site_config
from retrieval.types import NO_FILTERS, Filters, Hit, Query, Rights, Scope

logger = logging.getLogger(__name__)

NEAREST = 3  # passages shown with a refusal
OWNER_ABOVE = 0.05  # the gate's probability below which no topic is recognised, nor its owner


class QuestionError(MedragError):
    """A question that can't be asked as it is."""


@dataclass(frozen=True)
class Asker:
    """Who asks, by which way, and in which conversation."""

    user: User | None
    channel: Channel
    conversation: Conversation | None = None


@dataclass
class _Inquiry:
    """What happened on the way, for the trace."""

    looks: Looks
    verdicts: tuple[Verdict, ...] = ()
    failure: str = ""


def question_clean(raw: str) -> str:
    """The question as it is asked and stored. Raises `QuestionError` with what to do."""
    if len(raw) > settings.QUESTION_MAX_CHARS:
        raise QuestionError(
            f"The question has {len(raw):,} characters; at most "
            f"{settings.QUESTION_MAX_CHARS:,} can be read.",
            hint="Nothing was stored. Please ask it in fewer words.",
        )
    question = " ".join(clean_text(raw).split())
    if not any(character.isalnum() for character in question):
        raise QuestionError("The question is empty.", hint="Please type a question.")
    return question


def turn_ask(
    question: str,
    *,
    user: User | None,
    channel: Channel,
    conversation: Conversation | None = None,
    collections: tuple[str, ...] = (),
    filters: Filters = NO_FILTERS,
) -> Turn:
    """Answer or refuse, and store the turn with its audit event in one transaction.

    A question of the page without a conversation begins one. Raises `QuestionError` before
    anything is stored. A failure of the search, the gate, the generator or the verifier is a
    refusal; if the turn can't be stored there is no answer.
    """
    asked = question_clean(question)
    started = time.perf_counter()
    query = Query(
        text=asked,
        on=timezone.localdate(),
        collections=collections,
        reader=user.pk if user else None,
        filters=filters,
    )
    inquiry = _Inquiry(Looks(site_config(), began=started))
    generator = site_generator()
    outcome = _answer(query, generator=generator, inquiry=inquiry)
    asker = Asker(user=user, channel=channel, conversation=conversation)
    turn = _draft_turn(asked, asker, outcome)
    turn.fingerprint = _fingerprint(inquiry, generator)
    turn.trace = _trace(inquiry, generator)
    turn.duration_ms = round((time.perf_counter() - started) * 1000)
    return _store(turn, outcome)


def _answer(query: Query, *, generator: Generator, inquiry: _Inquiry) -> Outcome:
    looks = inquiry.looks
    try:
        looks.gate = gate_in_use(looks.config)
    except Exception as error:  # noqa: BLE001 - fail closed: whatever breaks here is a refusal
        return _failed(Reason.GATE_UNAVAILABLE, error, None, inquiry)
    try:
        decision = look(query, looks.gate, looks)
    except GateUnavailable as error:
        return _failed(Reason.GATE_UNAVAILABLE, error, None, inquiry)
    except Exception as error:  # noqa: BLE001 - fail closed
        return _failed(Reason.SEARCH_UNAVAILABLE, error, None, inquiry)
    if decision.reason is not None:
        return _refuse(query, decision, looks)
    try:
        claims = generator.generate(Task(query.text, decision.passages)).claims
    except Exception as error:  # noqa: BLE001 - fail closed
        return _failed(Reason.GENERATOR_UNAVAILABLE, error, decision, inquiry)
    try:
        inquiry.verdicts = verify(claims)
    except Exception as error:  # noqa: BLE001 - fail closed
        return _failed(Reason.VERIFIER_UNAVAILABLE, error, decision, inquiry)
    supported = tuple(verdict.claim for verdict in inquiry.verdicts if verdict.supported)
    if not supported:
        reason = Reason.UNSUPPORTED_CLAIMS if claims else Reason.WEAK_EVIDENCE
        return Abstained(reason, decision.passages[:NEAREST], decision.probability)
    faithfulness = len(supported) / len(claims)
    return Answered(supported, confidence(faithfulness=faithfulness, coverage=decision.probability))


def _refuse(query: Query, decision: Decision, looks: Looks) -> Abstained:
    """Refuse, and say why if that can be found out; if not, the refusal stands all the same."""
    try:
        explained = _explained(query, decision, looks)
    except Exception as error:  # noqa: BLE001 - only the explanation is lost
        logger.error("A refusal could not be explained: %s", type(error).__name__)
        looks.note(f"The refusal could not be explained: {type(error).__name__}.")
        explained = None
    if explained is not None:
        return explained
    reason = decision.reason or Reason.WEAK_EVIDENCE
    return Abstained(reason, decision.passages[:NEAREST], decision.probability)


def _explained(query: Query, decision: Decision, looks: Looks) -> Abstained | None:
    """Whether one that is not open to the reader, or no longer in force, would have answered.

    Of what is not open nothing is said but that it is there: no passage, no title, no owner.
    """
    if looks.gate is None:
        return None
    if is_narrowed(query.reader):
        closed = replace(query, rights=Rights.HIDDEN)
        if look_once(closed, looks.gate, looks, kind=EXPLAINING).reason is None:
            return Abstained(Reason.NOT_PERMITTED_EVIDENCE, (), decision.probability)
    ended = replace(query, scope=Scope.OUT_OF_DATE)
    old = look_once(ended, looks.gate, looks, kind=EXPLAINING)
    if old.reason is None:
        return Abstained(Reason.ONLY_OUT_OF_DATE, old.passages[:NEAREST], decision.probability)
    return None


def _failed(
    reason: Reason, error: Exception, decision: Decision | None, inquiry: _Inquiry
) -> Abstained:
    inquiry.failure = type(error).__name__
    logger.error("%s: %s", reason.value, type(error).__name__)
    if decision is None:
        return Abstained(reason)
    return Abstained(reason, decision.passages[:NEAREST], decision.probability)


def _draft_turn(question: str, asker: Asker, outcome: Outcome) -> Turn:
    turn = Turn(
        conversation=asker.conversation,
        user=asker.user,
        channel=asker.channel,
        question=question,
        created_at=timezone.now(),
        confidence=round(outcome.confidence, 4),
    )
    if isinstance(outcome, Answered):
        turn.status = TurnStatus.ANSWERED
        return turn
    turn.status = TurnStatus.ABSTAINED
    turn.reason = outcome.reason
    turn.nearest = [_nearest(hit) for hit in outcome.nearest]
    if outcome.reason == Reason.ONLY_OUT_OF_DATE or outcome.confidence >= OWNER_ABOVE:
        turn.owner = _owner(outcome.nearest)
    return turn


def _nearest(hit: Hit) -> dict[str, Any]:
    return {
        "document": hit.title,
        "version": hit.version,
        "sha256": hit.sha256,
        "lifecycle": hit.lifecycle,
        "page": hit.page,
        "section": hit.section,
        "text": hit.text,
        "chunk": hit.key,
    }


def _owner(hits: Sequence[Hit]) -> dict[str, str]:
    for hit in hits:
        if hit.owner_name or hit.owner_contact:
            return {"name": hit.owner_name, "contact": hit.owner_contact}
    return {}


def _store(turn: Turn, outcome: Outcome) -> Turn:
    with transaction.atomic():
        if turn.channel == Channel.PAGE and turn.conversation is None and turn.user:
            turn.conversation = Conversation.objects.create(
                user=turn.user, title=turn.question[:200]
            )
        turn.save(force_insert=True)
        if isinstance(outcome, Answered):
            _store_claims(turn, outcome.claims)
        if turn.conversation is not None:
            turn.conversation.save(update_fields=["updated_at"])
        audit.record_turn(turn)
    return turn


def _store_claims(turn: Turn, drafts: Sequence[DraftClaim]) -> None:
    numbers: dict[str, int] = {}  # the passage's number in the turn, by first appearance
    for index, draft in enumerate(drafts, start=1):
        population = draft.quotes[0].hit.population
        claim = Claim.objects.create(turn=turn, index=index, text=draft.text, population=population)
        Citation.objects.bulk_create(
            Citation(
                claim=claim,
                index=numbers.setdefault(quote.hit.key, len(numbers) + 1),
                document_id=quote.hit.document_id,
                chunk_key=quote.hit.key,
                sha256=quote.hit.sha256,
                title=quote.hit.title,
                version=quote.hit.version,
                page=quote.page,
                section=quote.hit.section,
                start=quote.start,
                end=quote.end,
                quote=quote.text,
            )
            for quote in draft.quotes
        )


def _fingerprint(inquiry: _Inquiry, generator: Generator) -> str:
    """16 hex digits over what decided: every search, the lexicon, calibration, gate, generator."""
    looks = inquiry.looks
    traces = [taken.evidence.trace for taken in looks.taken]
    content = {
        "retrieval": [trace.fingerprint for trace in traces] or [looks.config.fingerprint()],
        "lexicon": [trace.analysis.lexicon if trace.analysis else "" for trace in traces],
        "gate": looks.gate.as_dict() if looks.gate else None,
        "generator": generator.fingerprint,
    }
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:16]


def _trace(inquiry: _Inquiry, generator: Generator) -> dict[str, Any]:
    looks = inquiry.looks
    return {
        "searches": [_search_trace(taken) for taken in looks.taken],
        "gate": looks.gate.as_dict() if looks.gate else None,
        "generator": generator.fingerprint,
        "verdicts": [
            {"text": verdict.claim.text, "failed": verdict.failed} for verdict in inquiry.verdicts
        ],
        "failure": inquiry.failure,
        "notes": looks.notes,
    }


def _search_trace(taken: Look) -> dict[str, Any]:
    evidence, decision = taken.evidence, taken.decision
    return {
        **asdict(evidence.trace),
        "on": evidence.trace.on.isoformat(),
        "look": taken.kind,
        "gate": {
            "probability": round(decision.probability, 6),
            "threshold": decision.threshold,
            "reason": decision.reason,
        },
        "hits": [
            {
                "chunk": hit.key,
                "rank": hit.rank,
                "cosine": round(hit.cosine, 6),
                "coverage": round(hit.coverage, 6),
            }
            for hit in evidence.hits
        ],
    }
