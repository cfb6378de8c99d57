"""Decide what of a stored turn a reader may be shown: the one guard, used by all who show turns.

All that was made from documents passes here with the reader's rights at the time of looking:
statements, passages, warnings, wording, option, owner, confidence and the reason of a refusal. What
can't be told to be open is closed.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import Any

from django.contrib.auth.models import User
from django.db.models import Q
from django.urls import reverse

from chat.models import ENDED, Channel, Reason, Turn, TurnStatus
from chat.selectors import cited_claims, documents_by_sha256, turn_readable_ids
from chat.types import IDENTIFIERS
from corpus.models import Collection, Document
from corpus.staff_selectors import collections_closed
from corpus.stops import Stops
from corpus.types import CitingAnswer
from retrieval.asked.spelling import words_open
from retrieval.types import Rights

# Decided by the question alone, or by a part that failed: all others tell what documents say.
_NOT_OF_DOCUMENTS = frozenset(
    {
        *("", Reason.UNCLEAR_QUESTION, Reason.IDENTIFIERS_IN_QUESTION, Reason.SEARCH_UNAVAILABLE),
        *(Reason.GATE_UNAVAILABLE, Reason.GENERATOR_UNAVAILABLE, Reason.VERIFIER_UNAVAILABLE),
        *(Reason.BUDGET_EXCEEDED, Reason.OTHER_LANGUAGE, Reason.STOPPED),
    }
)
_NEUTRAL = Reason.WEAK_EVIDENCE  # said instead of a reason that is closed to the reader


@dataclass(frozen=True)
class OpenTurn:
    """What a reader may be shown of a turn; the turn's own fields are not to be shown instead."""

    turn: Turn
    reason: str  # of a refusal, or the neutral one; empty for an answer
    claims: frozenset[int]  # numbers of the statements that may be shown
    nearest: tuple[tuple[Mapping[str, Any], Document], ...]  # with the documents as of today
    warnings: tuple[Mapping[str, Any], ...]
    standalone: str
    option: str
    owner: Mapping[str, str]
    failed: tuple[str, ...]  # checks that statements failed which are not shown
    confidence: float | None
    hidden: int  # number of statements and passages that are not shown
    ended: str  # the gravest state of a cited document: one of `ENDED`, or empty

    @property
    def is_partly_closed(self) -> bool:
        """Whether anything of it is not shown."""
        return bool(
            self.hidden
            or self.reason != self.turn.reason
            or len(self.warnings) < len(self.turn.warnings)
        )


def turns_open(
    turns: Sequence[Turn], readable: Set[int], *, stops: Stops, reader: int | None = None
) -> list[OpenTurn]:
    """Return what a reader of these collections, by primary key, may be shown of each turn.

    `reader` is the user's, for what those who work in a closed collection may know of it. Askers
    are always told that what they were shown has ended, without a word of what is closed. Runs one
    query for refusals and turns with warnings, and two if any was worded anew; none if the claims
    of the turns were fetched with them. A reason that may be closed takes up to three more.
    """
    hashes = {sha256 for turn in turns for sha256 in _hashes(turn)}
    documents = documents_by_sha256(hashes) if hashes else {}
    known = {key: each for key, each in documents.items() if each.collection_id in readable}
    closed = _worded_by_closed(turns, readable)
    telling = _with_closed_reason(turns, documents, readable, reader)
    return [
        replace(
            _open(turn, known, readable, reader, is_worded_by_closed=turn.pk in closed),
            reason=_NEUTRAL if turn.pk in telling else turn.reason,
            ended=_ended(turn, readable, stops, reader),
        )
        for turn in turns
    ]


def _with_closed_reason(
    turns: Sequence[Turn],
    documents: Mapping[str, Document],
    readable: Set[int],
    reader: int | None,
) -> frozenset[uuid.UUID]:
    """Return the refusals whose reason rests on a document that the reader may not know of.

    Who works in a closed collection may know that it has an answer, and no more.
    """
    known = {key for key, document in documents.items() if document.collection_id in readable}
    refused = [
        turn
        for turn in turns
        if turn.reason not in _NOT_OF_DOCUMENTS
        and not {*_found(turn), *_found_closed(turn)} <= known
    ]
    if not refused or not Collection.objects.exclude(pk__in=readable).exists():
        return frozenset()  # to whom all is open, nothing is hidden
    slugs = collections_closed(reader)
    worked_in = {key for key, document in documents.items() if document.collection.slug in slugs}
    return frozenset(
        turn.pk
        for turn in refused
        if turn.reason != Reason.NOT_PERMITTED_EVIDENCE
        or not _found_closed(turn) <= known | worked_in
    )


def reasons_open(
    turns: Sequence[Turn], readable: Set[int], *, reader: int | None = None
) -> dict[uuid.UUID, str]:
    """Return the reason of each refusal as it may be told to a reader. At most four queries."""
    hashes = {sha256 for turn in turns for sha256 in (*_found(turn), *_found_closed(turn))}
    documents = documents_by_sha256(hashes) if hashes else {}
    telling = _with_closed_reason(turns, documents, readable, reader)
    return {turn.pk: _NEUTRAL if turn.pk in telling else turn.reason for turn in turns}


def standalone_open(turns: Sequence[Turn], readable: Set[int]) -> dict[uuid.UUID, str]:
    """Return the wording of each turn that a reader may be shown: as it was searched, or as typed.

    Runs at most two queries.
    """
    closed = _worded_by_closed(turns, readable)
    return {
        turn.pk: turn.question if turn.pk in closed else turn.standalone or turn.question
        for turn in turns
    }


def answers_citing(document: Document, *, reader: User | None = None) -> list[CitingAnswer]:
    """Return every answer that cited the document, latest first.

    With its statements that rest on the document, as far as they are open to `reader`, who may
    read the document itself; without a reader none. Answers of evaluations are left out: nobody
    acted on them. Runs one query; for a reader three more,
    and those for permissions.
    """
    turns = Turn.objects.filter(pk__in=document.citations.values("claim__turn"))
    turns = turns.exclude(channel=Channel.EVALUATION).select_related("user")
    turns = turns.defer("trace", "nearest").order_by("-created_at", "-pk")
    readable: Set[int] = frozenset()
    if reader is not None:
        turns = turns.prefetch_related(cited_claims())
        readable = turn_readable_ids(reader) | {document.collection_id}
    return [
        CitingAnswer(
            reference=str(turn.pk),
            asked_at=turn.created_at,
            asked_by=turn.user.get_username() if turn.user else "system",
            url=reverse("admin:chat_turn_change", args=[turn.pk]),
            question=turn.question,
            statements=_statements(turn, document, readable) if reader is not None else (),
        )
        for turn in turns
    ]


def _statements(turn: Turn, document: Document, readable: Set[int]) -> tuple[str, ...]:
    open_ = _claims_open(turn, readable)
    return tuple(
        claim.text
        for claim in turn.claims.all()
        if claim.index in open_
        and any(cited.document_id == document.pk for cited in claim.citations.all())
    )


def _claims_open(turn: Turn, readable: Set[int]) -> frozenset[int]:
    """Return the numbers of the statements that cite only what is readable."""
    return frozenset(
        claim.index
        for claim in turn.claims.all()
        if all(cited.document.collection_id in readable for cited in claim.citations.all())
    )


def _open(
    turn: Turn,
    known: Mapping[str, Document],
    readable: Set[int],
    reader: int | None,
    *,
    is_worded_by_closed: bool,
) -> OpenTurn:
    every = list(turn.claims.all())
    claims = _claims_open(turn, readable)
    shas = [str(raw.get("sha256", "")) for raw in turn.nearest]
    nearest = tuple(
        (raw, known[sha]) for raw, sha in zip(turn.nearest, shas, strict=True) if sha in known
    )
    hidden = len(every) - len(claims) + len(turn.nearest) - len(nearest)
    is_open = not hidden and set(_found(turn)) <= known.keys()
    warnings = tuple(
        warning for warning in turn.warnings if _is_open(warning, claims, known, is_open=is_open)
    )
    is_named = turn.reason != Reason.STOPPED or len(warnings) == len(turn.warnings)
    return OpenTurn(
        turn=turn,
        reason=turn.reason,
        claims=claims,
        nearest=nearest,
        warnings=warnings,
        standalone="" if is_worded_by_closed else turn.standalone,
        option="" if hidden else turn.option,
        owner=turn.owner if turn.owner and is_named and not hidden else _owner(nearest),
        failed=() if hidden else tuple(v["failed"] for v in turn.trace.get("verdicts", ())),
        confidence=None if hidden else turn.confidence,
        hidden=hidden,
        ended="",
    )


def _owner(nearest: Iterable[tuple[Mapping[str, Any], Document]]) -> dict[str, str]:
    """Return whom to ask about the passages that are shown; empty if no collection says."""
    for _, document in nearest:
        topic = document.collection
        if topic.owner_name or topic.owner_contact:
            return {"name": topic.owner_name, "contact": topic.owner_contact}
    return {}


def _ended(turn: Turn, readable: Set[int], stops: Stops, reader: int | None) -> str:
    is_own = reader is not None and reader == turn.user_id
    shown = _claims_open(turn, readable)
    claims = [claim for claim in turn.claims.all() if is_own or claim.index in shown]
    cited = [each.document for claim in claims for each in claim.citations.all()]
    states = {document.lifecycle for document in cited}
    states |= {ENDED[-1] for document in cited if stops.of(document)}
    return next((state for state in ENDED if state in states), "")


def _is_open(
    warning: Mapping[str, Any], claims: Set[int], known: Mapping[str, Document], *, is_open: bool
) -> bool:
    """Tell whether all that a warning rests on is open: its statements and documents, else all."""
    if warning["code"] == IDENTIFIERS:
        return True  # about the question alone
    about, documents = set(warning["claims"]), set(warning["documents"])
    if not about and not documents:
        return is_open
    return about <= claims and documents <= known.keys()


def _hashes(turn: Turn) -> Iterable[str]:
    yield from (str(raw.get("sha256", "")) for raw in turn.nearest)
    yield from (sha256 for warning in turn.warnings for sha256 in warning["documents"])
    yield from _found(turn)
    yield from _found_closed(turn)


def _found(turn: Turn) -> list[str]:
    """Return the documents that a refusal may rest on; an answer rests on those that it cites.

    Of a refusal that says nothing of them, one that is not known.
    """
    if turn.status == TurnStatus.ANSWERED:
        return []
    return [document["sha256"] for document in turn.trace.get("documents", [{"sha256": ""}])]


def _found_closed(turn: Turn) -> frozenset[str]:
    """Return the closed documents by which a refusal says that the evidence is not open.

    Of a refusal that doesn't name them, one that is not known; of any other turn, none.
    """
    if turn.reason != Reason.NOT_PERMITTED_EVIDENCE:
        return frozenset()
    keys = {
        hit["chunk"]
        for search in turn.trace.get("searches", ())
        if search["rights"] == Rights.HIDDEN
        for hit in search["hits"]
    }
    return frozenset(key.partition("_")[0] for key in keys or {""})


def _worded_by_closed(turns: Iterable[Turn], readable: Set[int]) -> frozenset[uuid.UUID]:
    """Return the turns whose wording may have a word that only closed documents have.

    Such a word comes from a corrected spelling, of the turn itself or of one before it in the
    conversation. A model may have changed its form, so a model's wording is not compared.
    """
    worded = {turn.pk: turn for turn in turns if turn.standalone}
    if not worded:
        return frozenset()
    threads = {turn.conversation_id for turn in worded.values() if turn.conversation_id}
    related = Turn.objects.filter(Q(pk__in=worded) | Q(conversation__in=threads))
    rows = list(
        related.exclude(standalone="").values_list(
            "pk", "conversation", "trace__spelling", "trace__follow_up__by"
        )
    )
    every = {word for _, _, spelling, _ in rows for word in _corrected(spelling)}
    if not every:
        return frozenset()
    secret = every - words_open(every, readable)
    by_model = {pk for pk, _, _, by in rows if str(by or "").startswith("llm")}
    threads = {thread for _, thread, spelling, _ in rows if secret & _corrected(spelling)}
    return frozenset(
        pk
        for pk, turn in worded.items()
        if any(word in turn.standalone.lower() for word in secret)
        or (pk in by_model and turn.conversation_id in threads)
    )


def _corrected(spelling: Mapping[str, str] | None) -> set[str]:
    return {meant.lower() for meant in (spelling or {}).values()}
