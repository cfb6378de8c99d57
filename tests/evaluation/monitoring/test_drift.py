"""PSI by hand, and alerts that begin, are announced once, and end."""

import datetime
import json
from math import log

import numpy as np
import pytest
from pytest import approx

from chat.models import Reason
from evaluation.metrics.statistics import holm
from evaluation.models import DayFigures, DriftAlert, DriftMeasure
from evaluation.monitoring.drift import LEAST, drift_until
from evaluation.monitoring.selectors import DAY
from evaluation.monitoring.services import days_close, drift_check
from evaluation.monitoring.stability import kolmogorov_smirnov, population_stability
from medrag_site.processes.background import announce
from tests.evaluation.monitoring.days import YESTERDAY, asked
from tests.webhooks.receiver import Receiver
from webhooks.models import Delivery, Event


@pytest.mark.parametrize(
    ("before", "now", "index"),
    [
        ((10, 20, 30), (10, 20, 30), 0),
        ((9, 9), (14, 4), (14.5 - 9.5) / 19 * log(14.5 / 9.5) + (4.5 - 9.5) / 19 * log(4.5 / 9.5)),
        ((19, 0, 0), (9, 10, 0), -10 / 20 * log(9.5 / 19.5) + 10 / 20 * log(10.5 / 0.5)),
        ((7, 0), (5, 0), 0),
    ],
    ids=["equal", "shifted", "an empty bin", "one bin"],
)
def test_the_index_by_hand(before: tuple[int, ...], now: tuple[int, ...], index: float) -> None:
    found, p = population_stability(before, now)
    assert found == approx(index)
    assert (p == 1) == (index == 0)


def test_chance_alone_is_as_rare_as_its_p_says() -> None:
    random = np.random.default_rng(1)
    shares = np.full(10, 0.1)
    found = [
        population_stability(*(random.multinomial(n, shares).tolist() for n in (400, 100)))
        for _ in range(1000)
    ]
    assert 0.02 < np.mean([p < 0.05 for _, p in found]) < 0.07
    assert np.mean([index >= 0.1 for index, _ in found]) > 0.3  # the index by itself would alert


def test_the_distance_of_two_distributions() -> None:
    assert kolmogorov_smirnov([1, 2, 3, 4], [3, 4, 5, 6])[0] == 0.5
    assert kolmogorov_smirnov(range(100), range(100)) == (0, 1)


def figures(day: datetime.date, scores: list[int]) -> None:
    DayFigures.objects.create(
        day=day, answered=sum(scores), refused={}, scores=scores, helpful=0, not_helpful=0
    )


@pytest.mark.django_db
def test_windows_touch_and_do_not_overlap() -> None:
    low, high = [100] + [0] * 9, [0] * 9 + [100]
    figures(YESTERDAY - 35 * DAY, high)  # outside both windows
    figures(YESTERDAY - 34 * DAY, low)
    figures(YESTERDAY - 7 * DAY, low)
    figures(YESTERDAY - 6 * DAY, high)
    scores, outcomes, latency = drift_until(YESTERDAY)
    assert (scores.n_before, scores.n, scores.reading) == (200, 100, "large change")
    assert (outcomes.reading, outcomes.statistic) == ("as before", 0)
    assert (latency.reading, latency.statistic) == ("too few questions", None)


@pytest.mark.django_db
def test_an_alert_begins_once_is_told_without_words_and_ends() -> None:
    Receiver(url="https://nowhere.example/").endpoint()
    for n in range(LEAST):
        asked(YESTERDAY - 10 * DAY, second=n, duration_ms=100 + n)
        asked(YESTERDAY, second=n, duration_ms=102 + n, score=0.2, reason=Reason.WEAK_EVIDENCE)
    days_close(announce)
    days_close(announce)
    alerts = list(DriftAlert.objects.order_by("pk"))
    assert [alert.measure for alert in alerts] == [DriftMeasure.SCORES, DriftMeasure.OUTCOMES]
    assert [alert.began_on for alert in alerts] == [YESTERDAY, YESTERDAY]
    told = [json.loads(row.body) for row in Delivery.objects.order_by("created_at")]
    assert {message["type"] for message in told} == {str(Event.DRIFTED)}
    assert told[0]["data"] == {
        "id": alerts[0].pk,
        "measure": "scores",
        "began_on": YESTERDAY.isoformat(),
    }
    raw = [
        population_stability([0, LEAST], [LEAST, 0])[1],
        population_stability([0, LEAST], [LEAST, 0])[1],
        kolmogorov_smirnov(range(LEAST), range(2, LEAST + 2))[1],
    ]
    assert [each.p for each in drift_until(YESTERDAY)] == approx(holm(raw))

    assert drift_check(YESTERDAY + DAY) == []  # the alert continues
    assert DriftAlert.objects.filter(ended_on=None).count() == 2
    assert drift_check(YESTERDAY + 20 * DAY) == []  # too few turns to tell
    assert DriftAlert.objects.filter(ended_on=None).count() == 2
    end = YESTERDAY + 3 * DAY
    figures(end, [0] * 7 + [500] + [0] * 2)
    assert drift_check(end) == []
    assert [alert.ended_on for alert in DriftAlert.objects.order_by("pk")] == [end, end]
