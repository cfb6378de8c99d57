"""Clinicians' questions collected as a question set."""

import datetime
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from chat.models import Channel, Turn
from chat.reviews.feedback import feedback_save
from evaluation.collecting import Collected, NothingToCollect, Which, question_set_collect
from evaluation.models import QuestionSet
from medrag_site.groups import AUDITORS, EVALUATORS
from tests.chat.guidelines import QUESTION, UNANSWERABLE, ask, publish_guideline
from tests.corpus.admin.test_admin import member

COLLECT = "admin:evaluation_questionset_collect"


@pytest.fixture
def asked(alice: User) -> list[Turn]:
    """Store a turn rated helpful, a refused one, and one of an evaluation."""
    publish_guideline(picture=False)
    answered = ask(alice)
    feedback_save(answered, helpful=True)
    refused = ask(alice, UNANSWERABLE)
    feedback_save(refused, helpful=False)
    return [answered, refused, ask(channel=Channel.EVALUATION)]


def collected(which: Which, **days: Any) -> QuestionSet:
    today = timezone.localdate()
    wanted = Collected("ward", which, **({"first": today, "last": today} | days))
    return question_set_collect(wanted, by=None)


def test_what_was_helpful_brings_its_answer(asked: list[Turn]) -> None:
    (item,) = collected(Which.HELPFUL).questions.all()
    assert (item.key, item.question, item.kind) == (str(asked[0].pk), QUESTION, "answerable")
    assert "500 mg" in item.gold_answer
    assert item.relevant == [asked[0].claims.get(index=1).citations.get().sha256]


def test_what_was_not_is_a_question_to_look_at(asked: list[Turn]) -> None:
    (item,) = collected(Which.NOT_HELPFUL).questions.all()
    assert (item.question, item.kind, item.category) == (UNANSWERABLE, "unlabelled", "not helpful")
    assert (item.gold_answer, item.relevant) == ("", [])


def test_evaluations_and_other_days_are_left_out(asked: list[Turn]) -> None:
    assert collected(Which.ALL).questions.count() == 2
    yesterday = timezone.localdate() - datetime.timedelta(days=1)
    with pytest.raises(NothingToCollect):
        collected(Which.ALL, first=yesterday, last=yesterday)


def test_in_the_administration(asked: list[Turn], bob: User) -> None:
    client = member(bob, EVALUATORS)
    assert client.get(reverse(COLLECT)).status_code == 403  # may not read others' questions
    client = member(bob, EVALUATORS, AUDITORS)
    assert reverse(COLLECT) in listed(client)
    today = timezone.localdate().isoformat()
    given = {"name": "ward", "which": "refused", "first": today, "last": today, "limit": 10}
    page = client.post(reverse(COLLECT), given, follow=True)
    assert "ward is stored. Questions: 1." in page.content.decode().replace("Ward", "ward")
    again = client.post(reverse(COLLECT), given).content.decode()
    assert "has the same questions" in again
    wrong = client.post(reverse(COLLECT), given | {"first": "2999-01-01"}).content.decode()
    assert "The last day is before the first day." in wrong


def listed(client: Client) -> str:
    return client.get(reverse("admin:evaluation_questionset_changelist")).content.decode()
