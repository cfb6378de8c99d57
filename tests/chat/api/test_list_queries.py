"""Test lists of the API: everybody's turns for auditors, filters of the log, and their queries."""

import datetime
import json
import uuid
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from drf_spectacular.generators import SchemaGenerator

from chat.audit import log as audit
from chat.models import AuditEvent, Conversation, Scope
from corpus.models import Document
from evaluation.models import Question, QuestionResult, QuestionRun
from medrag_site.groups import AUDITORS, CLINICIANS, PUBLISHERS, STAFF
from tests.chat.api.api_calls import assert_problem, get, signed_in
from tests.chat.guidelines import DOSE, NEAR, QUESTION, ask, publish_guideline
from tests.corpora import publish, shelf
from tests.evaluation.question_runs.asking import ITEMS, run_of, stored_set
from tests.people import in_groups, narrow, person

pytestmark = pytest.mark.django_db

MOST = 20  # for any list; each must also keep its count with few rows
SHA256 = "a" * 64


def conversation(alice: User) -> Conversation:
    key = uuid.UUID(int=1)
    return Conversation.objects.get_or_create(id=key, user=alice, title="Ward 4")[0]


def more_conversations(alice: User) -> None:
    ask(alice)


def more_messages(alice: User) -> None:
    for question in (QUESTION, NEAR):
        ask(alice, question, conversation=conversation(alice))


def more_documents(alice: User) -> None:
    name = uuid.uuid4().hex
    publish(f"# {name}", title=name, collection=f"shelf-{name}", uploaded_by=alice)


def more_passages(alice: User) -> None:
    document = Document.objects.get(sha256=SHA256)
    chunk = document.chunks.order_by("-index")[0]
    chunk.pk, chunk.index, chunk.key = None, chunk.index + 1, uuid.uuid4().hex
    chunk.save(force_insert=True)


def more_collections(alice: User) -> None:
    narrow(shelf(uuid.uuid4().hex), "publishers", PUBLISHERS, STAFF)


def more_users(alice: User) -> None:
    person(uuid.uuid4().hex, CLINICIANS, STAFF)


def more_events(alice: User) -> None:
    audit.record("read", actor=alice, subject=f"user:{alice.pk}", payload={"operation": "me"})


def more_runs(alice: User) -> None:
    run_of(stored_set((replace(ITEMS[0], key=uuid.uuid4().hex),)))


def more_items(alice: User) -> None:
    run = QuestionRun.objects.get()
    place = run.results.count() + 1
    question = Question.objects.create(
        question_set=run.question_set, key=f"more-{place}", question="How much?"
    )
    QuestionResult.objects.create(run=run, question=question, place=place)


LISTS: dict[str, Callable[[User], None]] = {
    "/api/v1/conversations": more_conversations,
    "/api/v1/conversations/{id}/messages": more_messages,
    "/api/v1/turns": more_conversations,
    "/api/v1/documents": more_documents,
    "/api/v1/documents/{sha256}/passages": more_passages,
    "/api/v1/collections": more_collections,
    "/api/v1/users": more_users,
    "/api/v1/audit": more_events,
    "/api/v1/evaluations": more_runs,
    "/api/v1/evaluations/{id}/items": more_items,
    "/api/v1/question-sets": more_runs,
}


def test_no_list_is_left_out() -> None:
    made = SchemaGenerator().get_schema(request=None, public=True)  # type: ignore[no-untyped-call]
    lists = {path for path, operations in made["paths"].items() if _is_list(operations)}
    assert lists == set(LISTS)


def _is_list(operations: dict[str, Any]) -> bool:
    if "get" not in operations:
        return False
    content = operations["get"]["responses"]["200"]["content"]
    schema = content.get("application/json", {}).get("schema", {})
    return schema.get("type") == "array" or "/Paginated" in schema.get("$ref", "")


@pytest.mark.parametrize("path", LISTS)
def test_a_list_takes_as_many_queries_however_long_it_is(alice: User, path: str) -> None:
    User.objects.filter(pk=alice.pk).update(is_superuser=True)
    alice = in_groups(alice, CLINICIANS)
    publish_guideline(picture=False, sha256=SHA256)
    of = run_of().pk if more_items is LISTS[path] else conversation(alice).pk
    address = path.format(id=of, sha256=SHA256)
    client, more = signed_in(alice), LISTS[path]

    def taken() -> tuple[int, int]:
        with CaptureQueriesContext(connection) as queries:
            response: Any = get(client, address)
        assert response.status_code == 200, response.content
        told = response.json()
        return len(queries), len(told["results"] if isinstance(told, dict) else told)

    more(alice)
    taken()  # fills the caches of the process
    few, rows = taken()
    for _ in range(4):
        more(alice)
    many, more_rows = taken()
    assert more_rows >= rows + 4
    assert many <= few <= MOST


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
