"""Test the list of turns in the administration: its search, filters, order and queries."""

import datetime
import uuid

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from chat.models import AuditEvent, Channel, Turn
from chat.reviews.feedback import feedback_save
from medrag_site.groups import CLINICIANS, EVALUATORS, PUBLISHERS, STAFF
from tests.chat.guidelines import QUESTION, UNANSWERABLE, ask, publish_guideline
from tests.corpus.admin.test_admin import member
from tests.people import client_of

LIST = reverse("admin:chat_turn_changelist")
MOST_QUERIES = 8  # session, user and rights, count and rows, whatever the length


@pytest.fixture
def refused(mallory: User, answered: Turn) -> Turn:
    return ask(mallory, UNANSWERABLE, channel=Channel.API)


def listed(client: Client, **asked: object) -> list[str]:
    """Return the ids of the turns that the list shows, in its order."""
    response = client.get(LIST, {name: str(value) for name, value in asked.items()})
    assert response.status_code == 200
    return [str(turn.pk) for turn in response.context["cl"].result_list]


def test_the_newest_stands_first(auditor: Client, answered: Turn, refused: Turn) -> None:
    assert listed(auditor) == [str(refused.pk), str(answered.pk)]


def test_it_is_narrowed_by_each_filter(auditor: Client, answered: Turn, refused: Turn) -> None:
    feedback_save(refused, helpful=False)
    document = answered.claims.get(index=1).citations.all()[0].document
    for asked in (
        {"person": "ALICE"},
        {"channel__exact": "page"},
        {"document": "pneumonia"},
        {"document": document.sha256},
        {"document": document.pk},
        {"outcome": "answered"},
        {"feedback": "none"},
    ):
        assert listed(auditor, **asked) == [str(answered.pk)], asked
    for asked in (
        {"person": "mallory"},
        {"outcome": "abstained"},
        {"outcome": refused.reason},
        {"feedback": "bad"},
        {"person": "mallory", "outcome": refused.reason, "channel__exact": "api"},
    ):
        assert listed(auditor, **asked) == [str(refused.pk)], asked
    for asked in ({"feedback": "good"}, {"document": "no such"}, {"outcome": "CONFLICT"}):
        assert listed(auditor, **asked) == []


def test_days_are_the_sites_and_both_count(auditor: Client, answered: Turn, refused: Turn) -> None:
    yesterday = timezone.localdate() - datetime.timedelta(days=1)
    older = copy_at(answered, yesterday)
    page = auditor.get(f"{LIST}?from={yesterday}&to={yesterday}").content.decode()
    assert '<li class="selected"><a href="?from=' in page
    assert listed(auditor, **{"from": yesterday, "to": yesterday}) == [str(older.pk)]
    assert len(listed(auditor, **{"from": yesterday})) == 3
    assert len(listed(auditor, to=yesterday)) == 1
    assert len(listed(auditor, **{"from": timezone.localdate()})) == 2


@pytest.mark.parametrize("day", ["yesterday", "2026-13-01", "0001-01-01", "9999-12-31"])
def test_a_day_that_is_none_shows_the_whole_list(auditor: Client, answered: Turn, day: str) -> None:
    response = auditor.get(LIST, {"from": day})
    assert response.status_code == 302
    assert response["Location"].endswith("?e=1")


def test_words_and_ids_are_found(auditor: Client, answered: Turn, refused: Turn) -> None:
    event = AuditEvent.objects.get(subject=f"turn:{answered.pk}")
    for term in (
        "demonstracillin pneumonia",
        "alice",
        answered.pk,
        answered.conversation_id,
        event.seq,
        f"#{event.seq}",
    ):
        assert listed(auditor, q=term) == [str(answered.pk)], term
    for term in (uuid.uuid4(), 10**17, "9" * 30, "²", "#"):
        assert listed(auditor, q=term) == [], term


def test_turn_conversation_and_event_lead_to_each_other(auditor: Client, answered: Turn) -> None:
    event = AuditEvent.objects.get(subject=f"turn:{answered.pk}")
    turn_page = reverse("admin:chat_turn_change", args=[answered.pk])
    events = f"{reverse('admin:chat_auditevent_changelist')}?q={answered.pk}"
    shown = auditor.get(turn_page).content.decode()
    assert events in shown
    assert f"{LIST}?q={answered.conversation_id}" in shown
    assert turn_page in auditor.get(events).content.decode()
    event_page = reverse("admin:chat_auditevent_change", args=[event.seq])
    assert turn_page in auditor.get(event_page).content.decode()


def test_a_list_costs_the_same_whatever_it_holds(
    auditor: Client,
    alice: User,
    refused: Turn,
    django_assert_max_num_queries: DjangoAssertNumQueries,
) -> None:
    for number in range(9):
        publish_guideline(title=f"Pneumonia {number}")
        feedback_save(ask(alice), helpful=False)
    narrowed = {"person": "a", "document": "pneumonia", "feedback": "bad", "q": QUESTION}
    for asked in ({}, narrowed, {"q": "1"}, {"from": "2020-01-01", "outcome": "answered"}):
        with django_assert_max_num_queries(MOST_QUERIES):
            assert auditor.get(LIST, asked).status_code == 200


@pytest.mark.parametrize("group", [CLINICIANS, STAFF, PUBLISHERS, EVALUATORS])
def test_nobody_else_reads_what_others_asked(group: str, bob: User, answered: Turn) -> None:
    client = member(bob, group)
    page = reverse("admin:chat_turn_change", args=[answered.pk])
    for address in (LIST, page, reverse("admin:chat_auditevent_changelist")):
        assert client.get(address).status_code == 403


def test_whoever_asked_does_not_read_the_administration(alice: User, answered: Turn) -> None:
    client = client_of(alice)
    assert client.get(LIST).status_code == 302


def copy_at(turn: Turn, day: datetime.date) -> Turn:
    """Store a copy of the turn, without its claims, under another day."""
    stored = Turn.objects.get(pk=turn.pk)
    stored.pk = uuid.uuid4()
    stored.created_at = turn.created_at.replace(year=day.year, month=day.month, day=day.day)
    stored.save(force_insert=True)
    return stored
