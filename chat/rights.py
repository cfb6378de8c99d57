"""Decide what of a stored turn a reader may be shown: the one guard, used by all who show turns.

All that was made from documents passes here with the reader's rights at the time of looking:
statements, passages, warnings, wording, option, owner and confidence. What can't be told to be open
is closed.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any

from django.db.models import Q

from chat.models import Turn, TurnStatus
from chat.selectors import documents_by_sha256
from chat.types import IDENTIFIERS
from corpus.models import Document
from retrieval.spelling import words_open


@dataclass(frozen=True)
class OpenTurn:
    """What a reader may be shown of a turn; the turn's own fields are not to be shown instead."""

    turn: Turn
    claims: frozenset[int]  # numbers of the statements that may be shown
    nearest: tuple[tuple[Mapping[str, Any], Document], ...]  # with the documents as of today
    warnings: tuple[Mapping[str, Any], ...]
    standalone: str
    option: str
    owner: Mapping[str, str]
    failed: tuple[str, ...]  # checks that statements failed which are not shown
    confidence: float | None
    hidden: int  # number of statements and passages that are not shown


def turns_open(turns: Sequence[Turn], readable: Set[int]) -> list[OpenTurn]:
    """Return what a reader of these collections, by primary key, may be shown of each turn.

    Runs one query if any turn has passages or warnings, and two if any was worded anew; none if the
    claims of the turns were fetched with them.
    """
    hashes = {sha256 for turn in turns for sha256 in _hashes(turn)}
    documents = documents_by_sha256(hashes) if hashes else {}
    known = {key: one for key, one in documents.items() if one.collection_id in readable}
    closed = _worded_by_closed(turns, readable)
    return [_open(turn, known, readable, is_worded_by_closed=turn.pk in closed) for turn in turns]


def standalone_open(turns: Sequence[Turn], readable: Set[int]) -> dict[uuid.UUID, str]:
    """Return the wording of each turn that a reader may be shown: as it was searched, or as typed.

    Runs at most two queries.
    """
    closed = _worded_by_closed(turns, readable)
    return {
        turn.pk: turn.question if turn.pk in closed else turn.standalone or turn.question
        for turn in turns
    }


def _open(
    turn: Turn, known: Mapping[str, Document], readable: Set[int], *, is_worded_by_closed: bool
) -> OpenTurn:
    every = list(turn.claims.all())
    claims = frozenset(
        claim.index
        for claim in every
        if all(cited.document.collection_id in readable for cited in claim.citations.all())
    )
    shas = [str(raw.get("sha256", "")) for raw in turn.nearest]
    nearest = tuple(
        (raw, known[sha]) for raw, sha in zip(turn.nearest, shas, strict=True) if sha in known
    )
    hidden = len(every) - len(claims) + len(turn.nearest) - len(nearest)
    is_open = not hidden and set(_found(turn)) <= known.keys()
    return OpenTurn(
        turn=turn,
        claims=claims,
        nearest=nearest,
        warnings=tuple(
            one for one in turn.warnings if _is_open(one, claims, known, is_open=is_open)
        ),
        standalone="" if is_worded_by_closed else turn.standalone,
        option="" if hidden else turn.option,
        owner={} if hidden else turn.owner,
        failed=() if hidden else tuple(v["failed"] for v in turn.trace.get("verdicts", ())),
        confidence=None if hidden else turn.confidence,
        hidden=hidden,
    )


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
    if turn.warnings:
        yield from _found(turn)


def _found(turn: Turn) -> list[str]:
    """Return the documents that a refusal may rest on; an answer rests on those that it cites.

    Of a refusal that says nothing of them, one that is not known.
    """
    if turn.status == TurnStatus.ANSWERED:
        return []
    return [found["sha256"] for found in turn.trace.get("documents", [{"sha256": ""}])]


def _worded_by_closed(turns: Iterable[Turn], readable: Set[int]) -> frozenset[uuid.UUID]:
    """Return the turns whose wording may have a word that only closed documents have.

    Such a word comes from a corrected spelling, of the turn itself or of one before it in the
    conversation. A model may have changed its form, so a model's wording is not compared.
    """
    worded = {turn.pk: turn for turn in turns if turn.standalone}
    if not worded:
        return frozenset()
    threads = {turn.conversation_id for turn in worded.values() if turn.conversation_id}
    beside = Turn.objects.filter(Q(pk__in=worded) | Q(conversation__in=threads))
    rows = list(
        beside.exclude(standalone="").values_list(
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
