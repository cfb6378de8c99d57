"""Test the list of turns in the administration, its export, and what staff know of a refusal."""

import csv
import datetime
import html
import io
import json
import uuid
from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from chat.audit import turn_rows
from chat.models import AuditEvent, Channel, Reason, Turn
from chat.reviews.feedback import feedback_save
from corpus.models import Document
from medrag_site.groups import CLINICIANS, EVALUATORS, PUBLISHERS, REVIEWERS, STAFF
from tests.chat.guidelines import DOSE, NEAR, QUESTION, UNANSWERABLE, ask, publish_guideline
from tests.corpora import publish
from tests.corpus.admin.test_admin import member
from tests.people import client_of, narrow

pytestmark = pytest.mark.django_db

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


EXPORT = reverse("admin:chat_turn_export")


def exported(client: Client, query: str = "", **asked: str) -> list[dict[str, Any]]:
    response = client.post(f"{EXPORT}{query}", {"format": "jsonl", **asked})
    assert response.status_code == 200
    return [json.loads(line) for line in b"".join(response).decode().splitlines()]


def test_what_is_filtered_is_exported_with_texts_and_logged(
    auditor: Client, alice: User, mallory: User, guideline: Document
) -> None:
    answered, refused = ask(alice), ask(mallory, NEAR)
    row, other = reversed(exported(auditor, texts="yes"))
    assert (row["turn"], other["turn"]) == (str(answered.pk), str(refused.pk))
    assert (row["username"], row["question"], row["statements"]) == ("alice", QUESTION, [DOSE])
    assert row["citations"] == ["Pneumonia in adults, version 2.1, page 1, Treatment"]
    assert (other["status"], other["reason"]) == ("abstained", "WEAK_EVIDENCE")
    (only,) = exported(auditor, "?person=mallory")
    assert only["turn"] == str(refused.pk)
    assert QUESTION not in json.dumps(exported(auditor))
    event = AuditEvent.objects.filter(action="turn.exported").earliest("seq")
    assert json.loads(event.payload) == {"format": "jsonl", "rows": 2, "texts": True, "filters": []}
    event = AuditEvent.objects.filter(action="turn.exported", payload__contains="person").get()
    assert json.loads(event.payload)["filters"] == ["person"]
    assert "mallory" not in event.payload


def test_a_filter_that_is_none_exports_nothing(auditor: Client) -> None:
    """Ignored, it would export every answer."""
    assert auditor.post(f"{EXPORT}?outcome=refused", {"format": "csv"}).status_code == 400
    listed = auditor.get(f"{reverse('admin:chat_turn_changelist')}?outcome=refused")
    assert listed.status_code == 302
    assert not AuditEvent.objects.filter(action="turn.exported").exists()


def test_no_cell_is_a_formula(auditor: Client, alice: User, guideline: Document) -> None:
    ask(alice, "=HYPERLINK(1) dose of demonstracillin?")
    table = b"".join(auditor.post(EXPORT, {"format": "csv", "texts": "yes"})).decode()
    (row,) = csv.DictReader(io.StringIO(table))
    assert row["question"].startswith("'=HYPERLINK")


def test_batches_take_the_same_queries_and_leave_none_out(
    auditor: Client, alice: User, guideline: Document, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(turn_rows, "_BATCH", 2)
    counts = {}
    for most in (2, 4):
        while Turn.objects.count() < most:
            ask(alice)
        with CaptureQueriesContext(connection) as queries:
            rows = exported(auditor, texts="yes")
        counts[most] = len(queries)
        newest = Turn.objects.order_by("-created_at", "-pk").values_list("pk", flat=True)
        assert [row["turn"] for row in rows] == [str(pk) for pk in newest]
    assert counts[4] - counts[2] <= 4  # those of one batch more


def test_what_is_closed_to_the_reader_stays_closed(
    bob: User, alice: User, guideline: Document
) -> None:
    ask(alice)
    narrow(guideline.collection, "searchers", "Ward")
    (row,) = turn_rows.turn_rows(Turn.objects.all(), texts=True, by=bob)
    assert (row["statements"], row["citations"], row["hidden"]) == ([], [], 1)
    assert DOSE not in json.dumps(row)


def test_it_takes_the_right_and_a_post(mallory: User, alice: User, guideline: Document) -> None:
    client = member(mallory, REVIEWERS)
    assert client.post(EXPORT).status_code == 403
    assert "export-form" not in client.get(reverse("admin:chat_turn_changelist")).content.decode()
    mallory.user_permissions.add(Permission.objects.get(codename="export_turn"))
    assert client.get(EXPORT).status_code == 405
    assert "export-form" in client.get(reverse("admin:chat_turn_changelist")).content.decode()
    assert not AuditEvent.objects.filter(action="turn.exported").exists()


GAPS = reverse("admin:chat_feedback_gaps")


@pytest.fixture
def staff(bob: User) -> Client:
    return member(bob, STAFF)


def gap(alice: User, document: Document) -> Turn:
    """Store a refusal whose reason rests on a document."""
    turn = ask(alice, NEAR)
    turn.trace["documents"] = [{"sha256": document.sha256}]
    turn.pk, turn.reason = None, Reason.ONLY_OUT_OF_DATE
    turn._state.adding = True
    turn.pk = Turn._meta.pk.get_default()
    turn.save(force_insert=True)
    return turn


def told(client: Client) -> str:
    return html.unescape(client.get(GAPS).content.decode())


def test_a_reason_that_rests_on_a_closed_guideline_is_told_as_the_neutral_one(
    staff: Client, alice: User, guideline: Document
) -> None:
    secret = publish("# Secret\nGive nothing.", collection="closed")
    gap(alice, secret)
    assert str(Reason.ONLY_OUT_OF_DATE.label) in told(staff)
    narrow(secret.collection, "searchers", "Ward")
    page = told(staff)
    assert str(Reason.ONLY_OUT_OF_DATE.label) not in page
    assert page.count(str(Reason.WEAK_EVIDENCE.label)) == 2


def test_many_take_no_more_queries(staff: Client, alice: User, guideline: Document) -> None:
    counts = []
    for _ in range(2):
        gap(alice, guideline)
        told(staff)
        with CaptureQueriesContext(connection) as queries:
            told(staff)
        counts.append(len(queries))
    assert counts[0] == counts[1]
