"""Daily figures and the page *Quality*: what they count, and who may see them."""

import json
from collections.abc import Sequence

import numpy as np
import pytest
from django.contrib.auth.models import Group
from django.forms.models import model_to_dict
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from chat.models import Channel, Feedback, Flag, Reason, Review, ReviewState, Verdict
from corpus.encoders.registry import get_embedder
from corpus.encoders.types import Vectors
from evaluation.models import DayFigures, DriftAlert, QuestionRun, QuestionSet, RunState
from evaluation.monitoring.quality import quality_shown, topics_of
from evaluation.monitoring.selectors import DAY, are_days_missing, days_missing
from evaluation.monitoring.services import days_close
from medrag_site.groups import AUDITORS, EVALUATORS, REVIEWERS, STAFF
from tests.evaluation.monitoring.days import TODAY, YESTERDAY, asked, refused
from tests.people import person

pytestmark = pytest.mark.django_db

URL = reverse("admin:evaluation_quality")
ASKED = ("Adder bite antivenom?", "Antivenom for an adder bite", "Where do staff park?")


def angles(texts: Sequence[str]) -> Vectors:
    """Return unit vectors at the angle in degrees that ends each text."""
    turned = np.radians([float(text.rpartition(" ")[2]) for text in texts])
    return np.stack([np.cos(turned), np.sin(turned)], axis=1).astype(np.float32)


def test_topics_are_the_same_in_any_order() -> None:
    questions = ["c 180", "a 0", "b 10", "a  20", "c 180", "z 90"]
    found = topics_of(questions, angles)
    assert [(topic.name, topic.asked, topic.others) for topic in found] == [
        ("b 10", 3, ("a 0", "a 20")),  # the middle one names them
        ("c 180", 2, ()),
        ("z 90", 1, ()),
    ]
    assert topics_of(questions[::-1], angles) == found
    assert topics_of([], angles) == []
    assert topics_of(["a 0", "a 0"], angles)[0].asked == 2


def test_the_bundled_encoder_puts_wordings_together() -> None:
    found = topics_of(ASKED, get_embedder().encode_queries)
    assert [topic.asked for topic in found] == [2, 1]


def day(before: int, *, answered: int, weak: int, helpful: int, not_helpful: int) -> None:
    DayFigures.objects.create(
        day=YESTERDAY - before * DAY,
        answered=answered,
        refused={Reason.WEAK_EVIDENCE: weak},
        scores=[0] * 10,
        helpful=helpful,
        not_helpful=not_helpful,
    )


def reviewed(verdict: Verdict, flag: Flag) -> None:
    Review.objects.create(
        turn=asked(YESTERDAY),
        verdict=verdict,
        flags=[flag],
        state=ReviewState.DONE,
        done_at=timezone.now(),
    )


@pytest.mark.django_db
def test_each_figure_says_of_what() -> None:
    day(0, answered=6, weak=2, helpful=3, not_helpful=1)
    day(29, answered=2, weak=0, helpful=0, not_helpful=1)
    day(30, answered=1, weak=1, helpful=1, not_helpful=0)
    day(60, answered=50, weak=50, helpful=50, not_helpful=50)  # older than both
    for verdict in (Verdict.CORRECT, Verdict.CORRECT, Verdict.DANGEROUS, Verdict.WRONGLY_REFUSED):
        reviewed(verdict, Flag.SAMPLE)
    reviewed(Verdict.WRONG, Flag.FEEDBACK)
    QuestionRun.objects.create(
        question_set=QuestionSet.objects.create(name="Ward", form="plain", digest="d" * 64),
        name="autumn",
        state=RunState.DONE,
        finished_at=timezone.now(),
        metrics={"outcomes": {"wrong": 1, "dangerous": 1, "right": 6, "uncompared": 9}},
    )
    found = quality_shown()
    assert [(one.now.hits, one.now.n, one.before.hits, one.before.n) for one in found.shares] == [
        (8, 10, 1, 2),
        (3, 5, 1, 1),
    ]
    (weak,) = found.refused
    assert (weak.name, weak.now.share, weak.before.share) == (
        str(Reason.WEAK_EVIDENCE.label),
        0.2,
        0.5,
    )
    assert [(one.hits, one.n) for _, one in found.wrong] == [(1, 3), (1, 1), (2, 8)]
    assert "autumn" in found.wrong[2][0]


@pytest.mark.django_db
def test_who_sees_what(
    client: Client, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    for second, question in enumerate((*ASKED, ASKED[0])):
        refused(YESTERDAY, question, second=second)
    refused(YESTERDAY, "Antivenom? NHS number 943 476 5919", second=9)
    alert = {"measure": "latency", "began_on": YESTERDAY, "statistic": 0.3, "p": 0.01}
    DriftAlert.objects.create(**alert, n_before=60, n=60)
    client.force_login(person("staff", EVALUATORS, STAFF))
    assert client.get(URL).status_code == 403
    assert URL not in client.get(reverse("admin:index")).content.decode()

    client.force_login(person("auditor", AUDITORS))
    with django_assert_max_num_queries(25):
        page = client.get(URL).content.decode()
    assert "5 questions refused for lack of evidence" in page
    assert "Adder bite antivenom?" in page
    assert "943 476 5919" not in page
    assert "drifts since" in page
    assert URL in client.get(reverse("admin:index")).content.decode()

    director = person("director", EVALUATORS, REVIEWERS)
    reviewers = Group.objects.get(name=REVIEWERS)
    reviewers.permissions.remove(*reviewers.permissions.filter(codename="view_turn"))
    client.force_login(director)
    page = client.get(URL).content.decode()
    assert "5 questions refused for lack of evidence" in page
    assert "Adder" not in page


@pytest.mark.django_db
def test_an_empty_site_has_a_page(client: Client) -> None:
    client.force_login(person("auditor", AUDITORS))
    page = client.get(URL).content.decode()
    assert "Nothing was refused." in page
    assert "0 questions refused" in page
    assert "too few questions" in page.lower()


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
