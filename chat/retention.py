"""Remove the personal text of what is older than a site keeps it. The only writer of that.

The log stays whole: no text is in it. A turn that loses its text gets an event with the digest that
it has from then on, as it got one when it was stored. The application may not change a turn, so
this goes by the database's owner.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping
from typing import Any

from django.db import ProgrammingError, transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from chat.audit import log as audit
from chat.audit.answers import stored_turns
from chat.models import REMOVED, Channel, Citation, Claim, Conversation, Feedback, Review, Turn
from core.errors import MedragError

OWNER = "owner"
BATCH = 100  # rows of a transaction: nobody who asks waits long for the log

_GONE: dict[str, dict[str, Any]] = {
    "conversations": {"title": REMOVED},
    "feedback": {"comment": REMOVED},
    "reviews": {"note": REMOVED},
}


class NotOwner(MedragError):
    """The connection of the database's owner has no more rights than the application's."""


def texts_expired(before: datetime.datetime) -> dict[str, QuerySet[Any]]:
    """Return the rows whose text is older, by what they are; conversations before their turns.

    A question stands in its conversation's title too, and goes there when it goes. What was asked
    to measure is nobody's, and is kept.
    """
    turns = Turn.objects.using(OWNER).filter(created_at__lt=before, text_removed_at=None)
    turns = turns.exclude(channel=Channel.EVALUATION)
    titled = turns.filter(conversation=OuterRef("pk"), question__startswith=OuterRef("title"))
    titles = Conversation.objects.using(OWNER).exclude(title__in=["", REMOVED])
    comments = Feedback.objects.using(OWNER).exclude(comment__in=["", REMOVED])
    notes = Review.objects.using(OWNER).exclude(note__in=["", REMOVED])
    return {
        "conversations": titles.filter(Q(updated_at__lt=before) | Q(Exists(titled))),
        "feedback": comments.filter(created_at__lt=before),
        "reviews": notes.filter(done_at__lt=before),
        "turns": turns,
    }


def texts_remove(
    before: datetime.datetime, *, tell: Callable[[int], None] = lambda rows: None
) -> Mapping[str, int]:
    """Remove the text of all that is older; return how many rows of each kind lost theirs.

    A batch is a transaction: interrupted, it goes on where it stopped. `tell` hears of each batch's
    rows. One event at the end, none where there was nothing. Raises NotOwner.
    """
    counts = dict.fromkeys(texts_expired(before), 0)
    try:
        for what, rows in texts_expired(before).items():
            while done := _batch(what, rows):
                counts[what] += done
                tell(done)
    except ProgrammingError as error:
        raise NotOwner(
            "The database refused to change what was stored.",
            hint="What was removed before stays so. Set DATABASE_OWNER_URL, and run it again.",
        ) from error
    if any(counts.values()):
        payload = {"before": before.isoformat(), **counts}
        with transaction.atomic(using=OWNER):
            audit.record("retention", actor=None, subject="", payload=payload, using=OWNER)
    return counts


def _batch(what: str, rows: QuerySet[Any]) -> int:
    with transaction.atomic(using=OWNER):
        keys = list(rows.order_by().values_list("pk", flat=True)[:BATCH])
        if what == "turns":
            _strip_turns(keys)
        else:
            rows.model.objects.using(OWNER).filter(pk__in=keys).update(**_GONE[what])
    return len(keys)


def _strip_turns(keys: list[Any]) -> None:
    """Leave who, when, how long, what became of it, and which pages of which documents it cited."""
    Turn.objects.using(OWNER).filter(pk__in=keys).update(
        question=REMOVED,
        standalone="",
        trace={},
        warnings=[],
        nearest=[],
        owner={},
        text_removed_at=timezone.now(),
    )
    Claim.objects.using(OWNER).filter(turn__in=keys).update(text=REMOVED)
    Citation.objects.using(OWNER).filter(claim__turn__in=keys).update(quote="")
    for turn in stored_turns(OWNER).filter(pk__in=keys):
        audit.record_removal(turn, using=OWNER)
