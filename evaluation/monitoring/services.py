"""The only writer of figures of days."""

from __future__ import annotations

import datetime
from collections import Counter

import numpy as np

from chat.models import Channel, Feedback
from chat.reviews.selectors import turns_between
from evaluation.models import DayFigures
from evaluation.monitoring.selectors import days_missing, period_of

BINS = 10
# Of the first look, which is the one that decides; what follows explains a refusal.
SCORE = "trace__searches__0__gate__probability"


def days_close() -> None:
    """Store the figures of each day that ended and has none, oldest first."""
    for day in days_missing():
        day_figures_store(day)


def day_figures_store(day: datetime.date) -> bool:
    """Count a day that ended; return whether its figures are new. Stored ones stay."""
    period = period_of(day, day)
    rows = list(turns_between(period).order_by().values_list("reason", "duration_ms", SCORE))
    reasons = Counter(reason for reason, _, _ in rows)
    answered = reasons.pop("", 0)
    scores, _ = np.histogram([s for *_, s in rows if s is not None], bins=BINS, range=(0, 1))
    p50, p95 = np.percentile([took for _, took, _ in rows], [50, 95]) if rows else (None, None)
    given = Feedback.objects.filter(created_at__gte=period.begins, created_at__lt=period.ends)
    said = Counter(
        given.exclude(turn__channel=Channel.EVALUATION).values_list("helpful", flat=True)
    )
    _, is_new = DayFigures.objects.get_or_create(
        day=day,
        defaults={
            "answered": answered,
            "refused": dict(sorted(reasons.items())),
            "scores": scores.tolist(),
            "p50_ms": p50,
            "p95_ms": p95,
            "helpful": said[True],
            "not_helpful": said[False],
        },
    )
    return is_new
