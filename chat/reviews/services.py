"""Create and decide reviews, as their only writer. Decisions are logged without their notes."""

from __future__ import annotations

import uuid
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.db import connection, transaction
from django.utils import timezone
from django.utils.crypto import salted_hmac

from chat.audit import log as audit
from chat.models import Flag, Review, ReviewState, Turn, TurnStatus, Verdict
from chat.question.guard import question_guarded
from chat.reviews.selectors import REVIEWS, Period, turns_between, turns_flagged
from chat.reviews.statistics import drawn
from core.errors import MedragError
from corpus.parsing.clean import clean_lines

MAX_NOTE_CHARS = 4000
_LOCK_CLASS = 7_303  # PostgreSQL's advisory lock for filling the queue

OF_ANSWER = (Verdict.CORRECT, Verdict.INCOMPLETE, Verdict.WRONG, Verdict.DANGEROUS)
OF_REFUSAL = (Verdict.RIGHTLY_REFUSED, Verdict.WRONGLY_REFUSED)


class OwnTurn(MedragError):
    """Nobody may review a turn of their own."""

    def __init__(self) -> None:
        super().__init__("You can't review your own question.", hint="Nothing was changed.")


class ReviewError(MedragError):
    """The review can't be changed in this way. Nothing was changed."""


@dataclass(frozen=True)
class Sample:
    """A random sample by a seed; `percent` of a period's turns, in (0, 100]."""

    percent: float
    seed: int


@dataclass(frozen=True)
class Filled:
    """The numbers of turns considered, of those selected, and of those new in the queue."""

    of: int
    meant: int
    added: int


def verdicts_for(turn: Turn) -> tuple[Verdict, ...]:
    """Return the verdicts that a turn can get, as an answer or a refusal."""
    return OF_ANSWER if turn.status == TurnStatus.ANSWERED else OF_REFUSAL


def review_flag(turn: Turn, *, by: User) -> Review:
    """Add a turn to the queue; an open review of it stays as it is. Raises `OwnTurn`."""
    if turn.user_id == by.pk:
        raise OwnTurn
    with transaction.atomic():
        _one_at_a_time()
        open_ = Review.objects.filter(turn=turn, state=ReviewState.OPEN).first()
        if open_ is not None:
            return open_
        review = Review.objects.create(turn=turn, flags=[Flag.HAND], created_by=by)
        _record("review.flagged", review, by, {"flags": review.flags})
    return review


def reviews_flag_by_rules(
    period: Period, rules: Iterable[Flag], *, below: float, by: User
) -> Filled:
    """Add the turns of a period that match rules to the queue, once per rule. One event."""
    turns, meant, added = turns_between(period), set[uuid.UUID](), 0
    with transaction.atomic():
        _one_at_a_time()
        for rule in (rules := list(rules)):
            matches = list(turns_flagged(turns, rule, below=below).values_list("pk", flat=True))
            meant.update(matches)
            added += _add(matches, rule, by)
        filled = Filled(turns.count(), len(meant), added)
        payload = {"rules": [str(rule) for rule in rules], "below": below}
        _record_filled("review.ruled", period, filled, by, payload)
    return filled


def reviews_sample(period: Period, sample: Sample, *, by: User) -> Filled:
    """Add a random sample of a period's turns to the queue. One event.

    Turns of the user who draws are included, for others to review: a sample without them would not
    represent all turns.
    """
    with transaction.atomic():
        _one_at_a_time()
        ids = [str(pk) for pk in turns_between(period).values_list("pk", flat=True)]
        chosen = [uuid.UUID(id) for id in drawn(ids, percent=sample.percent, seed=sample.seed)]
        filled = Filled(len(ids), len(chosen), _add(chosen, Flag.SAMPLE, by, sample))
        payload = {"percent": sample.percent, "seed": sample.seed}
        _record_filled("review.sampled", period, filled, by, payload)
    return filled


def review_assign(review: Review, *, to: User | None, by: User) -> None:
    """Assign a review to somebody, or to nobody.

    Raises `OwnTurn`, and `ReviewError` if it is decided or `to` may not review.
    """
    _refuse_own(review, by)
    if to is not None:
        _refuse_own(review, to)
        if not to.has_perm(REVIEWS):
            raise ReviewError(f"{to} may not review.", hint="Nothing was changed.")
    with transaction.atomic():
        _change(review, assignee=to)
        _record("review.assigned", review, by, {"to": audit.actor_name(to) if to else ""})


def review_decide(review: Review, *, verdict: Verdict, note: str, by: User) -> None:
    """Store the final verdict of a review with its note.

    Patient identifiers are replaced in the note as in feedback; the log gets the note's length and
    a keyed hash. Raises `OwnTurn`, and `ReviewError` if the review is decided or the verdict is not
    one of `verdicts_for`.
    """
    _refuse_own(review, by)
    if verdict not in verdicts_for(review.turn):
        raise ReviewError(
            "This verdict is not possible here.",
            hint="Nothing was changed. Choose one of the list.",
        )
    policy = "warn" if settings.IDENTIFIERS == "warn" else "redact"
    note = question_guarded(clean_lines(note).strip()[:MAX_NOTE_CHARS], policy).text
    with transaction.atomic():
        _change(
            review,
            state=ReviewState.DONE,
            verdict=verdict,
            note=note,
            done_at=timezone.now(),
            done_by=by,
        )
        payload: dict[str, Any] = {"verdict": str(verdict), "note_chars": len(note)}
        if note:
            payload["note_hmac"] = salted_hmac(
                "chat.reviews.note", note, algorithm="sha256"
            ).hexdigest()
        _record("review.decided", review, by, payload)


def reviews_export_record(*, rows: int, form: str, texts: bool, by: User) -> None:
    """Log an export of reviews, before it is sent."""
    payload = {"format": form, "rows": rows, "texts": texts}
    with transaction.atomic():
        audit.record("review.exported", actor=by, subject="reviews:all", payload=payload)


def _refuse_own(review: Review, user: User) -> None:
    if review.turn.user_id == user.pk:
        raise OwnTurn


def _change(review: Review, **values: Any) -> None:
    """Update an open review. Raises `ReviewError` if it was decided meanwhile."""
    open_ = Review.objects.filter(pk=review.pk, state=ReviewState.OPEN)
    if open_.update(**values) != 1:
        raise ReviewError("This review is decided already.", hint="Nothing was changed.")
    review.refresh_from_db(fields=[*values])


def _add(ids: Collection[uuid.UUID], flag: Flag, by: User, sample: Sample | None = None) -> int:
    """Flag turns that never had this flag; return the number of new reviews.

    The caller must hold the lock.
    """
    had = Review.objects.filter(turn__in=ids, flags__contains=[flag])
    fresh = set(ids).difference(had.values_list("turn", flat=True))
    of_sample = {"seed": sample.seed, "percent": sample.percent} if sample else {}
    open_ = list(Review.objects.filter(turn__in=fresh, state=ReviewState.OPEN))
    for review in open_:
        review.flags.append(str(flag))
        for name, value in of_sample.items():
            setattr(review, name, value)
    Review.objects.bulk_update(open_, ["flags", *of_sample])
    new = fresh.difference(review.turn_id for review in open_)
    Review.objects.bulk_create(
        Review(turn_id=pk, flags=[str(flag)], created_by=by, **of_sample) for pk in sorted(new)
    )
    return len(new)


def _one_at_a_time() -> None:
    """Lock the queue until the transaction ends, so that two users don't fill it at once."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s, 0)", [_LOCK_CLASS])


def _record(action: str, review: Review, by: User, payload: dict[str, Any]) -> None:
    content = {"review": review.pk, **payload}
    audit.record(action, actor=by, subject=f"turn:{review.turn_id}", payload=content)


def _record_filled(
    action: str, period: Period, filled: Filled, by: User, payload: dict[str, Any]
) -> None:
    content = {
        "from": period.begins.isoformat(),
        "to": period.ends.isoformat(),
        "of": filled.of,
        "meant": filled.meant,
        "added": filled.added,
        **payload,
    }
    audit.record(action, actor=by, subject="reviews:all", payload=content)
