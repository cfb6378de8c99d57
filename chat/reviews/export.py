"""Export reviews, with question and answer or without any text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.db.models import QuerySet

from chat.models import Review

_BATCH = 200


def review_rows(reviews: QuerySet[Review], *, texts: bool) -> Iterator[dict[str, Any]]:
    """Yield a row per review; with question, statements and note only if `texts`."""
    found = reviews.prefetch_related("turn__claims") if texts else reviews.defer("note")
    for review in found.iterator(chunk_size=_BATCH):
        row = _facts(review)
        if texts:
            row["question"] = review.turn.question
            row["statements"] = "\n".join(claim.text for claim in review.turn.claims.all())
            row["note"] = review.note
        yield row


def _facts(review: Review) -> dict[str, Any]:
    turn = review.turn
    return {
        "review": review.pk,
        "turn": str(turn.pk),
        "asked_at": turn.created_at.isoformat(),
        "channel": turn.channel,
        "status": turn.status,
        "reason": turn.reason,
        "confidence": turn.confidence,
        "state": review.state,
        "flags": review.flags,
        "seed": review.seed,
        "percent": review.percent,
        "assignee": review.assignee.get_username() if review.assignee else "",
        "verdict": review.verdict,
        "created_at": review.created_at.isoformat(),
        "created_by": review.created_by.get_username() if review.created_by else "",
        "done_at": review.done_at.isoformat() if review.done_at else "",
        "done_by": review.done_by.get_username() if review.done_by else "",
    }
