"""Select the reviews that a user may read, and the turns that a rule flags."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db.models import Q, QuerySet

from chat.models import Channel, Citation, Feedback, Flag, Review, Turn, TurnStatus
from corpus.models import Lifecycle

REVIEWS = "chat.change_review"  # permission to assign and to decide


@dataclass(frozen=True)
class Period:
    """The time from `begins` until before `ends`."""

    begins: datetime.datetime
    ends: datetime.datetime


def reviews_readable(user: User) -> QuerySet[Review]:
    """Return the reviews of other people's questions: nobody sees their own reviewed."""
    reviews = Review.objects.select_related("turn__user", "assignee", "done_by", "created_by")
    return reviews.defer("turn__trace", "turn__nearest").exclude(turn__user=user)


def reviewers_of(turn: Turn) -> list[User]:
    """Return the users who may review a turn, by name: all with the right, except its asker."""
    held = Q(user_permissions__codename="change_review") | Q(
        groups__permissions__codename="change_review"
    )
    reviewers = User.objects.filter(held | Q(is_superuser=True), is_active=True, is_staff=True)
    return list(reviewers.exclude(pk=turn.user_id or 0).distinct().order_by("username"))


def turns_between(period: Period) -> QuerySet[Turn]:
    """Return the turns of a period, without evaluations, whose results are judged elsewhere."""
    turns = Turn.objects.filter(created_at__gte=period.begins, created_at__lt=period.ends)
    return turns.exclude(channel=Channel.EVALUATION).order_by("created_at", "pk")


def turns_flagged(turns: QuerySet[Turn], flag: Flag, *, below: float) -> QuerySet[Turn]:
    """Return the turns that a rule flags; `below` is the limit of the rule on confidence."""
    return turns.filter(_RULES[flag](below))


_RULES: dict[Flag, Callable[[float], Q]] = {
    Flag.FEEDBACK: lambda _: Q(pk__in=Feedback.objects.filter(helpful=False).values("turn")),
    Flag.CONFLICT: lambda _: Q(warnings__contains=[{"code": "conflict"}]),
    Flag.CONFIDENCE: lambda below: Q(status=TurnStatus.ANSWERED, confidence__lt=below),
    Flag.RECALLED: lambda _: Q(
        pk__in=Citation.objects.filter(document__lifecycle=Lifecycle.WITHDRAWN)
        .order_by()
        .values("claim__turn")
    ),
}
RULES = tuple(_RULES)
