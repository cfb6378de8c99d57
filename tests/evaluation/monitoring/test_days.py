"""Daily figures: what they count, each day once, and missed days later."""

import json

import pytest
from django.forms.models import model_to_dict

from chat.models import Channel, Feedback, Reason
from evaluation.models import DayFigures
from evaluation.monitoring.selectors import DAY, are_days_missing, days_missing
from evaluation.monitoring.services import days_close
from tests.evaluation.monitoring.days import TODAY, YESTERDAY, asked

pytestmark = pytest.mark.django_db
LAST_S = 23 * 3600 - 1  # of the shortest day of a year


def test_a_day_is_counted_without_a_word() -> None:
    turns = [
        asked(YESTERDAY, score=score, duration_ms=took, second=second)
        for score, took, second in ((0.0, 100, 0), (0.1, 200, 60), (1.0, 300, LAST_S))
    ]
    asked(YESTERDAY, score=0.05, reason=Reason.WEAK_EVIDENCE, duration_ms=400)
    asked(YESTERDAY, score=None, reason=Reason.IDENTIFIERS_IN_QUESTION, duration_ms=500)
    asked(YESTERDAY, channel=Channel.EVALUATION)
    asked(TODAY)
    for turn, helpful in zip(turns, (True, True, False), strict=True):
        feedback = Feedback.objects.create(turn=turn, helpful=helpful, comment="secret")
        Feedback.objects.filter(pk=feedback.pk).update(created_at=turn.created_at)
    Feedback.objects.create(turn=asked(YESTERDAY - DAY), helpful=False)  # given today
    days_close(lambda alert: None)
    stored = DayFigures.objects.get(day=YESTERDAY)
    assert (stored.answered, stored.helpful, stored.not_helpful) == (3, 2, 1)
    assert stored.refused == {"IDENTIFIERS_IN_QUESTION": 1, "WEAK_EVIDENCE": 1}
    assert stored.scores == [2, 1, 0, 0, 0, 0, 0, 0, 0, 1]
    assert (stored.p50_ms, stored.p95_ms) == (300, 480)
    assert stored.helped == 2 / 3
    said = json.dumps(model_to_dict(stored), default=str)
    assert "dose" not in said
    assert "secret" not in said


def test_missed_days_are_filled_and_stored_ones_stay() -> None:
    assert (days_missing(), are_days_missing()) == ([], False)
    asked(TODAY - 3 * DAY)
    asked(TODAY)
    assert days_missing() == [TODAY - 3 * DAY, TODAY - 2 * DAY, YESTERDAY]
    assert are_days_missing()
    days_close(lambda alert: None)
    assert not are_days_missing()
    asked(TODAY - 3 * DAY)
    days_close(lambda alert: None)
    assert [figures.answered for figures in DayFigures.objects.all()] == [0, 0, 1]
    empty = DayFigures.objects.get(day=YESTERDAY)
    assert (empty.p50_ms, empty.helped, sum(empty.scores)) == (None, None, 0)
