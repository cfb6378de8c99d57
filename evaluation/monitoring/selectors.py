"""Read the figures of days, which are those of the site's time zone."""

from __future__ import annotations

import datetime

from django.db.models import QuerySet
from django.utils import timezone

from chat.models import Channel, Turn
from chat.reviews.selectors import Period
from evaluation.models import DayFigures

DAY = datetime.timedelta(days=1)


def period_of(first: datetime.date, last: datetime.date) -> Period:
    """Return the period from the beginning of `first` to the end of `last`."""
    begins, ends = (
        timezone.make_aware(datetime.datetime.combine(day, datetime.time.min))
        for day in (first, last + DAY)
    )
    return Period(begins, ends)


def days_missing() -> list[datetime.date]:
    """Return the ended days, since the first question, without figures, oldest first.

    Runs two queries.
    """
    first = _asked().order_by("created_at").values_list("created_at", flat=True).first()
    if first is None:
        return []
    begun = timezone.localdate(first)
    count = (timezone.localdate() - begun).days
    stored = set(DayFigures.objects.values_list("day", flat=True))
    days = (begun + n * DAY for n in range(count))
    return [day for day in days if day not in stored]


def are_days_missing() -> bool:
    """Tell whether a day is to be counted. Days are stored in order. Runs one or two queries."""
    today = timezone.localdate()
    if DayFigures.objects.filter(day=today - DAY).exists():
        return False
    return _asked().filter(created_at__lt=period_of(today, today).begins).exists()


def figures_between(first: datetime.date, last: datetime.date) -> list[DayFigures]:
    """Return the stored figures of these days, both included, in order. Runs one query."""
    return list(DayFigures.objects.filter(day__range=(first, last)).order_by("day"))


def _asked() -> QuerySet[Turn]:
    return Turn.objects.exclude(channel=Channel.EVALUATION)
