"""Export reviews as their reader may see them, with question and answer or without any text."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

from django.contrib.auth.models import User
from django.db.models import QuerySet

from chat.models import Review
from chat.rights import OpenTurn, turns_open
from chat.selectors import audited_turns, turn_readable_ids
from corpus.stops import stops_held

_BATCH = 50  # traces are read with the answers


def review_rows(reviews: QuerySet[Review], *, texts: bool, by: User) -> Iterator[dict[str, Any]]:
    """Yield a row per review; with question, statements and note only if `texts`.

    What was made from documents that `by` may not read is left out. So are the flags, verdict and
    note of an answer of which anything is.
    """
    readable = turn_readable_ids(by)
    rows = reviews.iterator(chunk_size=_BATCH)
    while batch := list(islice(rows, _BATCH)):
        turns = audited_turns().filter(pk__in={review.turn_id for review in batch})
        shown = turns_open(list(turns), readable, stops=stops_held(), reader=by.pk)
        opened = {each.turn.pk: each for each in shown}
        for review in batch:
            yield _row(review, opened[review.turn_id], texts=texts)


def _row(review: Review, opened: OpenTurn, *, texts: bool) -> dict[str, Any]:
    row = _facts(review, opened)
    if texts:
        claims = opened.turn.claims.all()
        shown = [claim.text for claim in claims if claim.index in opened.claims]
        row["question"] = opened.turn.question
        row["statements"] = "\n".join(shown)
        row["note"] = "" if opened.is_partly_closed else review.note
    return row


def _facts(review: Review, opened: OpenTurn) -> dict[str, Any]:
    turn = opened.turn
    return {
        "review": review.pk,
        "turn": str(turn.pk),
        "asked_at": turn.created_at.isoformat(),
        "channel": turn.channel,
        "status": turn.status,
        "reason": opened.reason,
        "confidence": opened.confidence,
        "state": review.state,
        "flags": [] if opened.is_partly_closed else review.flags,
        "seed": review.seed,
        "percent": review.percent,
        "assignee": review.assignee.get_username() if review.assignee else "",
        "verdict": "" if opened.is_partly_closed else review.verdict,
        "created_at": review.created_at.isoformat(),
        "created_by": review.created_by.get_username() if review.created_by else "",
        "done_at": review.done_at.isoformat() if review.done_at else "",
        "done_by": review.done_by.get_username() if review.done_by else "",
    }
