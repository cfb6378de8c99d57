"""Store a turn with its claims, citations, trace and audit event. The only writer of turns."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

from django.db import transaction
from django.utils.translation import gettext

from chat.audit import log as audit
from chat.caveats.cautions import Caution, stop_caution
from chat.experiments.arms import Assignment
from chat.models import Citation, Claim, Reason, Turn, TurnStatus
from chat.pipeline.run import AnswerRun
from chat.pipeline.trace import fingerprint_of, trace_of
from chat.question.guard import Guarded
from chat.types import (
    IDENTIFIERS,
    Abstained,
    Answered,
    AskedQuestion,
    DraftClaim,
    Excerpt,
    Outcome,
    Quote,
)
from corpus.boxes import Blocks
from corpus.positions import positions_of
from corpus.selectors import blocks_without_pages
from corpus.stops import stops_settled
from retrieval.types import Hit


def turn_store(
    run: AnswerRun,
    outcome: Outcome,
    guarded: Guarded,
    question: AskedQuestion,
    assignment: Assignment,
) -> Turn:
    """Store the outcome of a question and its audit event, in one transaction.

    An answer from what was stopped meanwhile is stored as a refusal. Of a blocked question only
    what may be kept is stored: it was neither searched nor sent. Raises IntegrityError for a used
    key.
    """
    with transaction.atomic():
        if isinstance(outcome, Answered):
            outcome = _heeding_stops(run, outcome)
        turn = _turn_of(run, outcome, guarded, question, assignment)
        _store_conversation(turn)
        turn.save(force_insert=True)
        if isinstance(outcome, Answered):
            _store_claims(turn, outcome.claims)
        audit.record_turn(turn)
    return turn


def _heeding_stops(run: AnswerRun, answered: Answered) -> Outcome:
    """Return the answer, or a refusal if something that it quotes is stopped by now."""
    stops = stops_settled()
    hits = {quote.hit.sha256: quote.hit for claim in answered.claims for quote in claim.quotes}
    met = {stops.on(hit.document_id, hit.collection): key for key, hit in hits.items()}
    stopped = [stop for stop in met if stop]
    run.cautions += [stop_caution(stop, met[stop]) for stop in stopped]
    if not stopped:
        return answered
    return Abstained(Reason.STOPPED, confidence=answered.confidence, stop=stopped[0])


def _turn_of(
    run: AnswerRun,
    outcome: Outcome,
    guarded: Guarded,
    question: AskedQuestion,
    assignment: Assignment,
) -> Turn:
    """Make the turn, without its claims; stores nothing."""
    turn = Turn(
        conversation=question.conversation,
        user=question.user,
        channel=question.channel,
        question=guarded.text,
        mode=run.config.mode,
        confidence=round(outcome.confidence, 4),
        experiment=assignment.experiment,
        arm=assignment.arm,
        **({"pk": question.key} if question.key else {}),
    )
    cautions = _identified(guarded, run.config.identifiers)
    turn.trace = {"identifiers": list(guarded.kinds)}
    turn.trace |= {"request": question.request} if question.request else {}
    if not guarded.is_blocked:
        cautions += run.cautions_of(outcome)
        turn.standalone = run.understood.standalone
        turn.fingerprint = fingerprint_of(run)
        turn.trace |= trace_of(run)
    turn.warnings = [caution.as_dict() for caution in cautions]
    if isinstance(outcome, Answered):
        turn.status, turn.option = TurnStatus.ANSWERED, run.option
    else:
        _note_refusal(turn, outcome)
    turn.duration_ms = round((time.perf_counter() - run.began) * 1000)
    return turn


def _note_refusal(turn: Turn, outcome: Abstained) -> None:
    turn.status = TurnStatus.ABSTAINED
    turn.reason = outcome.reason
    turn.nearest = [
        _nearest(hit, outcome.excerpts.get(hit.key, Excerpt())) for hit in outcome.nearest
    ]
    turn.owner = _owner(outcome)


def _store_conversation(turn: Turn) -> None:
    """Create the conversation, named after its first question, or move it to the top."""
    conversation = turn.conversation
    if conversation is None:
        return
    is_named = bool(conversation.title)
    conversation.title = conversation.title or turn.question[:200]
    if conversation._state.adding:
        conversation.save(force_insert=True)
    else:  # its owner may have renamed it meanwhile
        conversation.save(update_fields=["updated_at"] if is_named else ["title", "updated_at"])


def _identified(guarded: Guarded, policy: str) -> list[Caution]:
    """Return the warnings about identifiers, for the asked."""
    if not guarded.kinds:
        return []
    kinds = ", ".join(map(gettext, guarded.kinds))
    seen = gettext("The question seems to identify a patient (%(kinds)s).") % {"kinds": kinds}
    done = {
        "warn": gettext("It was stored as it was typed. Please leave such details out."),
        "redact": gettext("It was taken out before the question was stored or searched."),
        "block": gettext("Nothing was searched or sent, and it was not stored."),
    }[policy]
    return [Caution(IDENTIFIERS, f"{seen} {done}")]


def _nearest(hit: Hit, excerpt: Excerpt) -> dict[str, Any]:
    return {
        "document": hit.title,
        "version": hit.version,
        "sha256": hit.sha256,
        "lifecycle": hit.lifecycle,
        "page": hit.page,
        "position": hit.position,
        "section": hit.section,
        "section_path": list(hit.section_path),
        "text": hit.text,
        "excerpt": list(excerpt.texts),
        "best": excerpt.best,
        "chunk": hit.key,
    }


def _owner(refused: Abstained) -> dict[str, str]:
    """Return whom to ask: whom the stop names, or the owner of the nearest passages."""
    if refused.stop:
        return {"name": "", "contact": refused.stop.contact}
    for hit in refused.nearest:
        if hit.owner_name or hit.owner_contact:
            return {"name": hit.owner_name, "contact": hit.owner_contact}
    return {}


def _position(blocks: Mapping[int, Blocks], quote: Quote) -> str:
    """Return where in its section a quote is; empty in a document with pages."""
    passage_blocks = blocks.get(quote.hit.document_id, ())
    return positions_of(passage_blocks, [(quote.start, quote.end)])[0]


def _store_claims(turn: Turn, drafts: Sequence[DraftClaim]) -> None:
    """Store claims and citations; runs one query for documents without pages, if any."""
    hits = [quote.hit for draft in drafts for quote in draft.quotes]
    without_pages = {hit.document_id for hit in hits if hit.position}
    blocks = blocks_without_pages(without_pages) if without_pages else {}
    numbers: dict[str, int] = {}  # the passage's number in the turn, by first appearance
    for index, draft in enumerate(drafts, start=1):
        population = draft.quotes[0].hit.population
        claim = Claim.objects.create(
            turn=turn, index=index, text=draft.text, kind=draft.kind, population=population
        )
        # What two citations share, such as the header of a table, is stored once.
        quotes = {(quote.hit.key, quote.page, quote.start): quote for quote in draft.quotes}
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
                position=_position(blocks, quote),
                start=quote.start,
                end=quote.end,
                quote=quote.text,
            )
            for quote in quotes.values()
        )
