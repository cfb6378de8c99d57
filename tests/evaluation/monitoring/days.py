"""Turns on given days."""

import datetime
from typing import Any

from django.utils import timezone

from chat.models import Channel, Reason, Turn, TurnStatus
from evaluation.monitoring.selectors import DAY, period_of

TODAY = timezone.localdate()
YESTERDAY = TODAY - DAY


def asked(
    day: datetime.date,
    *,
    score: float | None = 0.75,
    reason: str = "",
    second: int = 0,
    **fields: Any,
) -> Turn:
    """Store a turn on a day: answered, or refused with a reason; `score=None` means no search."""
    look = [] if score is None else [{"gate": {"probability": score}}, {"gate": {}}]
    values = {
        "channel": Channel.PAGE,
        "question": "What dose?",
        "status": TurnStatus.ABSTAINED if reason else TurnStatus.ANSWERED,
        "reason": reason,
        "confidence": 0.5,
        "fingerprint": "f" * 16,
        "trace": {"searches": look},
        "created_at": period_of(day, day).begins + datetime.timedelta(seconds=second),
        "duration_ms": 100,
    }
    return Turn.objects.create(**values | fields)


def refused(day: datetime.date, question: str, **fields: Any) -> Turn:
    """Store a turn that was refused for lack of evidence."""
    return asked(day, score=0.1, reason=Reason.NO_EVIDENCE, question=question, **fields)
