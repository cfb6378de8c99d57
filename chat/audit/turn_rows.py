"""Turns as rows, as their reader may see them: exported by auditors, and listed by the API."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from itertools import islice
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet

from chat.audit import log as audit
from chat.models import Turn
from chat.rights import OpenTurn, turns_open
from chat.selectors import audited_turns, turn_readable_ids
from corpus.stops import stops_held

_BATCH = 50  # traces are read with the answers


def turn_rows(turns: QuerySet[Turn], *, texts: bool, by: User) -> Iterator[dict[str, Any]]:
    """Yield a row per turn, in the order of `turns`, in batches of a fixed number of queries.

    Only with `texts` it has question, statements, citations, warnings and the asker's name. What
    was made from documents that `by` may not read is left out.
    """
    readable = turn_readable_ids(by)
    keys = turns.values_list("pk", flat=True).iterator(chunk_size=1000)
    while batch := list(islice(keys, _BATCH)):
        turn_of = {turn.pk: turn for turn in audited_turns().filter(pk__in=batch)}
        in_order = [turn_of[pk] for pk in batch if pk in turn_of]
        yield from rows_of(in_order, readable, texts=texts, by=by)


def rows_of(
    turns: Sequence[Turn], readable: Set[int], *, texts: bool, by: User
) -> Iterable[dict[str, Any]]:
    """Return a row for each of some turns of `selectors.audited_turns`."""
    for opened in turns_open(turns, readable, stops=stops_held(), reader=by.pk):
        yield _facts(opened) | (_texts(opened) if texts else {})


def turns_export_record(
    *, rows: int, form: str, texts: bool, filters: Iterable[str], by: User
) -> None:
    """Log an export of turns, before it is sent.

    `filters` are names: a value may be words of a question, which no log holds.
    """
    payload = {"format": form, "rows": rows, "texts": texts, "filters": sorted(filters)}
    with transaction.atomic():
        audit.record("turn.exported", actor=by, subject="turns:all", payload=payload)


def _facts(opened: OpenTurn) -> dict[str, Any]:
    turn = opened.turn
    return {
        "turn": str(turn.pk),
        "conversation": str(turn.conversation_id) if turn.conversation_id else None,
        "asked_at": turn.created_at.isoformat(),
        "user": turn.user_id,
        "channel": str(turn.channel),
        "mode": str(turn.mode),
        "status": str(turn.status),
        "reason": opened.reason or None,
        "confidence": opened.confidence,
        "fingerprint": turn.fingerprint,
        "duration_ms": turn.duration_ms,
        "text_removed_at": turn.text_removed_at.isoformat() if turn.text_removed_at else None,
        "recalled": opened.ended.lower() or None,
        "hidden": opened.hidden,
    }


def _texts(opened: OpenTurn) -> dict[str, Any]:
    turn = opened.turn
    shown = [claim for claim in turn.claims.all() if claim.index in opened.claims]
    citations = [cited.reference() for claim in shown for cited in claim.citations.all()]
    return {
        "username": turn.user.get_username() if turn.user else None,
        "question": turn.question,
        "standalone": opened.standalone or None,
        "statements": [claim.text for claim in shown],
        "citations": list(dict.fromkeys(citations)),
        "warnings": [str(warning["text"]) for warning in opened.warnings],
    }
