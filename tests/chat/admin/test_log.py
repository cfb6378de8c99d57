"""Test the audit log in the administration: search, verification, signing, replay and export."""

import json
import logging
from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.db import connections
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries, Settings

from chat.audit.chain import ChainRow, row_hash
from chat.audit.heads import read_heads
from chat.audit.verify import BreakKind
from chat.models import AuditEvent, Turn
from corpus.models import Document
from medrag_site.groups import AUDITORS, CLINICIANS, EVALUATORS, REVIEWERS, STAFF
from tests.chat.audit.audit_tools import record_events, store_turn
from tests.chat.guidelines import QUESTION
from tests.corpus.admin.test_admin import member
from tests.people import person

LIST = reverse("admin:chat_auditevent_changelist")
VERIFY, SIGN, EXPORT = (
    reverse(f"admin:chat_auditevent_{name}") for name in ("verify", "sign", "export")
)
MOST_QUERIES = 8


def listed(client: Client, **asked: str) -> list[int]:
    response = client.get(LIST, asked)
    assert response.status_code == 200
    return [event.seq for event in response.context["cl"].result_list]


def exported(client: Client, query: str = "", **asked: str) -> list[dict[str, Any]]:
    response = client.post(f"{EXPORT}{query}", {"format": "jsonl", **asked})
    assert response.status_code == 200
    return [json.loads(line) for line in b"".join(response).decode().splitlines()]


def test_events_are_found(auditor: Client, alice: User, answered: Turn) -> None:
    record_events(3)
    seq = AuditEvent.objects.get(subject=f"turn:{answered.pk}").seq
    for term in (str(answered.pk), f"turn:{answered.pk}", str(seq), f"#{seq}", "answered"):
        assert listed(auditor, q=term) == [seq], term
    assert listed(auditor, q=f"user:{alice.pk}") == [seq]
    assert listed(auditor, q="thing:1") == [seq + 2]
    assert listed(auditor, action="TEST", actor="system") == [seq + 3, seq + 2, seq + 1]
    assert listed(auditor, actor="alice") == [seq]
    assert listed(auditor, to="2020-01-01") == []
    for term in ("9" * 40, "²", "thing:"):
        assert listed(auditor, q=term) in ([], [seq + 3, seq + 2, seq + 1])


def test_the_list_costs_the_same_whatever_it_holds(
    auditor: Client, answered: Turn, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    record_events(40)
    for asked in ({}, {"q": "thing"}, {"actor": "system", "from": "2020-01-01"}):
        with django_assert_max_num_queries(MOST_QUERIES):
            assert auditor.get(LIST, asked).status_code == 200


def test_a_sound_log_is_verified_and_that_is_logged(own_database: str) -> None:
    auditor = member(person("bob"), AUDITORS)
    store_turn()
    page = auditor.post(VERIFY).content.decode()
    assert "log is sound" in page
    assert "OK " in page
    assert "1 answers unchanged" in page
    event = AuditEvent.objects.latest("seq")
    assert (event.action, event.actor.split(":")[2]) == ("audit.verified", "bob")
    assert json.loads(event.payload)["ok"] is True


def test_a_broken_log_is_named(own_database: str) -> None:
    auditor = member(person("bob"), AUDITORS)
    store_turn()
    with connections["owner"].cursor() as cursor:
        cursor.execute("UPDATE chat_claim SET text = 'Give 9 mg' WHERE index = 1")
    page = auditor.post(VERIFY).content.decode()
    assert "log is broken" in page
    assert BreakKind.ANSWER_CHANGED in page
    assert json.loads(AuditEvent.objects.latest("seq").payload)["ok"] is False


def test_the_head_is_signed_with_who_asked_for_it(own_database: str) -> None:
    auditor = member(person("bob"), AUDITORS)
    page = auditor.post(SIGN, follow=True).content.decode()
    heads, unreadable = read_heads()
    assert unreadable == 0
    assert f"Signed row {heads[-1].seq}." in page
    asked = AuditEvent.objects.get(action="audit.sign")
    assert asked.actor.endswith(":bob")
    assert asked.seq <= heads[-1].seq
    again = auditor.post(SIGN, follow=True).content.decode()
    assert f"Signed row {AuditEvent.objects.latest('seq').seq}." in again


def test_where_signed_heads_are_gone_nothing_is_signed(
    own_database: str, settings: Settings
) -> None:
    auditor = member(person("bob"), AUDITORS)
    auditor.post(SIGN)
    settings.AUDIT_HEADS_FILE.unlink()
    page = auditor.post(SIGN, follow=True).content.decode()
    assert "Nothing was signed." in page
    settings.AUDIT_HEADS_FILE.unlink()
    settings.AUDIT_HEADS_FILE.mkdir()
    assert "Nothing was signed." in auditor.post(SIGN, follow=True).content.decode()


def test_a_whole_export_can_be_verified_elsewhere(auditor: Client, answered: Turn) -> None:
    record_events(2)
    rows = exported(auditor, texts="yes")
    assert [row["seq"] for row in rows] == list(range(1, len(rows) + 1))
    for row in rows:
        fields = {name: row[name] for name in ("seq", "at", "actor", "action", "subject")}
        chain = ChainRow(
            prev_hash=bytes.fromhex(row["prev_hash"]), payload=row["payload"], **fields
        )
        assert row_hash(chain).hex() == row["hash"]
    event = AuditEvent.objects.latest("seq")
    assert event.action == "audit.exported"
    assert json.loads(event.payload) == {"format": "jsonl", "rows": len(rows), "texts": True}


def test_a_bare_export_names_nobody(auditor: Client, alice: User, answered: Turn) -> None:
    (row,) = exported(auditor, "?action=turn.answered")
    assert row["actor"] == f"user:{alice.pk}"
    assert "payload" not in row
    assert "alice" not in json.dumps(row)
    table = b"".join(auditor.post(EXPORT, {"format": "csv"})).decode()
    assert table.startswith("seq,prev_hash,at,actor,action,subject,hash\r\n")
    assert auditor.post(f"{EXPORT}?from=yesterday").status_code == 400


def test_a_turn_is_replayed_and_who_had_it_done_is_logged(
    auditor: Client, answered: Turn, guideline: Document, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    address = reverse("admin:chat_turn_replay", args=[answered.pk])
    turn_page = reverse("admin:chat_turn_change", args=[answered.pk])
    assert address in auditor.get(turn_page).content.decode()
    assert "Nothing differs in" in auditor.post(address).content.decode()
    event = AuditEvent.objects.filter(action="replay").latest("seq")
    assert (event.subject, event.actor.split(":")[2]) == (f"turn:{answered.pk}", "bob")
    guideline.pages.update(text="<b>Other words</b>")
    guideline.chunks.update(text="<b>Other words</b>")
    page = auditor.post(address).content.decode()
    assert "the same statements" not in page
    assert 'id="replay-texts"' in page
    assert "<b>Other words" not in page
    assert QUESTION not in caplog.text


def test_what_can_not_be_replayed_says_so(auditor: Client, own_turn: Turn) -> None:
    address = reverse("admin:chat_turn_replay", args=[own_turn.pk])
    assert "an older release" in auditor.post(address, follow=True).content.decode()


@pytest.fixture
def own_turn(db: None, alice: User) -> Turn:
    return store_turn(alice)


@pytest.mark.parametrize("group", [CLINICIANS, STAFF, EVALUATORS, REVIEWERS])
def test_others_do_nothing_to_the_log(group: str, mallory: User, own_turn: Turn) -> None:
    client = member(mallory, group)
    before = AuditEvent.objects.count()
    replay = reverse("admin:chat_turn_replay", args=[own_turn.pk])
    for address in (VERIFY, SIGN, EXPORT, replay):
        assert client.post(address).status_code == 403, address
    assert AuditEvent.objects.count() == before


def test_whoever_may_only_read_it_sees_no_buttons(mallory: User, own_turn: Turn) -> None:
    client = member(mallory)
    mallory.user_permissions.add(permission("view_auditevent"), permission("view_turn"))
    page = client.get(LIST).content.decode()
    assert "log-tools" in page
    assert VERIFY not in page
    assert "export-form" not in page
    assert client.post(VERIFY).status_code == 403


def test_an_administrator_may_by_post_alone(admin_client: Client, own_turn: Turn) -> None:
    replay = reverse("admin:chat_turn_replay", args=[own_turn.pk])
    for address in (VERIFY, SIGN, EXPORT, replay):
        assert admin_client.get(address).status_code == 405, address
    assert VERIFY in admin_client.get(LIST).content.decode()


def permission(codename: str) -> Permission:
    return Permission.objects.get(codename=codename)
