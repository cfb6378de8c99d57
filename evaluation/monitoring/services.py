"""Write the figures of days and the drift alerts; nothing else does."""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Callable

import numpy as np
from django.db import transaction
from django.utils import timezone

from chat.models import Channel, Feedback
from chat.reviews.selectors import turns_between
from evaluation.models import DayFigures, DriftAlert
from evaluation.monitoring.drift import drift_until
from evaluation.monitoring.selectors import DAY, days_missing, period_of

BINS = 10
# The score of the first search, on which the gate decides; later ones explain a refusal.
SCORE = "trace__searches__0__gate__probability"


def days_close(announce: Callable[[DriftAlert], None]) -> None:
    """Store the figures of each ended day without any, oldest first.

    The transaction that stores yesterday's also updates the drift alerts, and calls `announce` for
    each new one.
    """
    yesterday = timezone.localdate() - DAY
    for day in days_missing():
        with transaction.atomic():
            if day_figures_store(day) and day == yesterday:
                for alert in drift_check(day):
                    announce(alert)


def day_figures_store(day: datetime.date) -> bool:
    """Store the figures of an ended day, unless it has some; return whether they are new."""
    period = period_of(day, day)
    rows = list(turns_between(period).order_by().values_list("reason", "duration_ms", SCORE))
    reasons = Counter(reason for reason, _, _ in rows)
    answered = reasons.pop("", 0)
    scores, _ = np.histogram([s for *_, s in rows if s is not None], bins=BINS, range=(0, 1))
    p50, p95 = np.percentile([took for _, took, _ in rows], [50, 95]) if rows else (None, None)
    given = Feedback.objects.filter(created_at__gte=period.begins, created_at__lt=period.ends)
    ratings = Counter(
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
            "helpful": ratings[True],
            "not_helpful": ratings[False],
        },
    )
    return is_new


def drift_check(day: datetime.date) -> list[DriftAlert]:
    """Store an alert for each measure that drifts on this day, and end those that no longer do.

    Returns the new alerts. An alert stays open while there are too few questions to judge. To be
    called in a transaction.
    """
    open_ = {alert.measure: alert for alert in DriftAlert.objects.filter(ended_on=None)}
    begun = []
    for compared in drift_until(day):
        alert = open_.get(compared.measure)
        if compared.statistic is None or compared.p is None:
            continue
        if compared.is_drift and alert is None:
            begun.append(
                DriftAlert.objects.create(
                    measure=compared.measure,
                    began_on=day,
                    statistic=compared.statistic,
                    p=compared.p,
                    n_before=compared.n_before,
                    n=compared.n,
                )
            )
        elif alert is not None and not compared.is_drift:
            alert.ended_on = day
            alert.save(update_fields=["ended_on"])
    return begun
