"""Remove the personal text of what is older than a site's retention. Nothing else does.

The audit log stays complete, since it holds no text. A turn that loses its text gets an event with
its new digest, as it got one when it was stored. The application may not change turns, so this
connects as the database's owner.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping
from typing import Any

from django.conf import settings
from django.db import ProgrammingError, transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from chat.audit import log as audit
from chat.audit.answers import stored_turns
from chat.models import REMOVED, Channel, Citation, Claim, Conversation, Feedback, Review, Turn
from core.errors import MedragError

OWNER = "owner"
Ends = Mapping[str, datetime.datetime]
KINDS = ("questions", "comments", "notes")
BATCH = 100  # rows of a transaction: nobody who asks waits long for the log

_GONE: dict[str, dict[str, Any]] = {
    "conversations": {"title": REMOVED},
    "feedback": {"comment": REMOVED},
    "reviews": {"note": REMOVED},
}


class NotOwner(MedragError):
    """The owner's connection has no more rights than the application's."""


def periods_end(now: datetime.datetime, *, older_than: datetime.timedelta | None = None) -> Ends:
    """Return until when text has expired, by kind, for one age or the site's periods.

    A kind without a period is left out: its text is kept.
    """
    if older_than:
        return dict.fromkeys(KINDS, now - older_than)
    days = {kind: int(settings.RETENTION[kind]) for kind in KINDS}
    return {kind: now - datetime.timedelta(count) for kind, count in days.items() if count}


def texts_expired(ends: Ends) -> dict[str, QuerySet[Any]]:
    """Return the rows with expired text, by table; conversations before their turns.

    A question also forms its conversation's title, which expires with it. Questions of evaluations
    are nobody's and are kept.
    """
    never = datetime.datetime.min.replace(tzinfo=datetime.UTC)
    asked, said, noted = (ends.get(kind, never) for kind in KINDS)
    turns = Turn.objects.using(OWNER).filter(created_at__lt=asked, text_removed_at=None)
    turns = turns.exclude(channel=Channel.EVALUATION)
    titled = turns.filter(conversation=OuterRef("pk"), question__startswith=OuterRef("title"))
    titles = Conversation.objects.using(OWNER).exclude(title__in=["", REMOVED])
    comments = Feedback.objects.using(OWNER).exclude(comment__in=["", REMOVED])
    notes = Review.objects.using(OWNER).exclude(note__in=["", REMOVED])
    return {
        "conversations": titles.filter(Q(updated_at__lt=asked) | Q(Exists(titled))),
        "feedback": comments.filter(created_at__lt=said),
        "reviews": notes.filter(done_at__lt=noted),
        "turns": turns,
    }


def texts_remove(
    ends: Ends, *, tell: Callable[[int], None] = lambda rows: None
) -> Mapping[str, int]:
    """Remove all expired text; return the number of rows by table.

    Each batch is a transaction, so an interrupted run continues where it stopped. `tell` is called
    with each batch's rows. Writes one event at the end unless nothing expired. Raises NotOwner.
    """
    counts = dict.fromkeys(texts_expired(ends), 0)
    try:
        for what, rows in texts_expired(ends).items():
            while done := _batch(what, rows):
                counts[what] += done
                tell(done)
    except ProgrammingError as error:
        raise NotOwner(
            "The database refused to delete text.",
            hint="Text deleted before stays deleted. Set DATABASE_OWNER_URL and run the "
            "command again.",
        ) from error
    if any(counts.values()):
        payload = {"before": {kind: at.isoformat() for kind, at in ends.items()}, **counts}
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
    """Keep who, when, duration, outcome and cited pages of turns; remove their text."""
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
