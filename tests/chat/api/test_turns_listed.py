"""Test the list of everybody's turns, and the filters of the log, for auditors."""

import datetime
import json
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from chat.models import AuditEvent, Scope
from corpus.models import Document
from medrag_site.groups import AUDITORS
from tests.chat.api.api_calls import assert_problem, get, signed_in
from tests.chat.guidelines import DOSE, NEAR, QUESTION, ask
from tests.people import person

TURNS = "/api/v1/turns"


@pytest.fixture
def auditor(db: None) -> Client:
    return signed_in(person("auditor", AUDITORS))


def listed(client: Client, **asked: Any) -> list[str]:
    response = get(client, TURNS, **asked)
    assert response.status_code == 200, response.content
    return [row["turn"] for row in response.json()["results"]]


def test_each_filter_narrows(
    auditor: Client, guideline: Document, alice: User, mallory: User
) -> None:
    answered, refused = (str(turn.pk) for turn in (ask(alice), ask(mallory, NEAR)))
    today = timezone.localdate()
    assert listed(auditor) == [refused, answered]
    assert listed(auditor, person="alice", since=today, until=today) == [answered]
    assert listed(auditor, status="abstained") == [refused]
    assert listed(auditor, reason="WEAK_EVIDENCE") == [refused]
    assert listed(auditor, collection=guideline.collection.slug) == [answered]
    assert listed(auditor, collection="none-such") == []
    assert listed(auditor, until=today - datetime.timedelta(days=1)) == []
    event = AuditEvent.objects.filter(action="read").order_by("seq")[1]
    assert json.loads(event.payload) == {
        "operation": "turns",
        "rows": 1,
        "since": today.isoformat(),
        "until": today.isoformat(),
        "person": "alice",
    }
    for wrong in ({"since": "yesterday"}, {"status": "x"}, {"asker": "alice"}):
        assert_problem(get(auditor, TURNS, **wrong), 400)


def test_a_row_says_what_was_asked_and_answered(
    auditor: Client, guideline: Document, alice: User
) -> None:
    ask(alice)
    (row,) = get(auditor, TURNS).json()["results"]
    assert (row["username"], row["question"], row["statements"]) == ("alice", QUESTION, [DOSE])
    assert row["citations"] == ["Pneumonia in adults, version 2.1, page 1, Treatment"]


def test_pages_follow_each_other(
    auditor: Client, guideline: Document, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("chat.api.pages.LatestAsked.page_size", 1)
    turns = [str(ask(alice).pk) for _ in range(2)]
    first = get(auditor, TURNS).json()
    second = get(auditor, first["next"]).json()
    assert [first["results"][0]["turn"], second["results"][0]["turn"]] == turns[::-1]
    assert second["next"] is None


def test_only_auditors_with_the_scope(alice: User) -> None:
    assert_problem(get(signed_in(alice), TURNS), 403)
    reader = signed_in(person("auditor", AUDITORS), Scope.READ)
    assert_problem(get(reader, TURNS), 403)


def test_the_log_is_filtered_by_person_and_day(
    auditor: Client, guideline: Document, alice: User
) -> None:
    turn, today = ask(alice), timezone.localdate()

    def subjects(**asked: Any) -> list[str]:
        found = get(auditor, "/api/v1/audit", **asked).json()["results"]
        return [row["subject"] for row in found]

    assert subjects(actor="alice", since=today, until=today) == [f"turn:{turn.pk}"]
    assert subjects(actor="lice") == []
    assert subjects(actor="alice", since=today + datetime.timedelta(days=1)) == []
