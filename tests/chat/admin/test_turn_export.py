"""Test the export of answers: its filters, its texts, its rights and its event."""

import csv
import io
import json
from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from chat.audit import turn_rows
from chat.models import AuditEvent, Turn
from corpus.models import Document
from medrag_site.groups import REVIEWERS
from tests.chat.guidelines import DOSE, NEAR, QUESTION, ask
from tests.corpus.admin.test_admin import member
from tests.people import narrow

EXPORT = reverse("admin:chat_turn_export")
pytestmark = pytest.mark.django_db


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
