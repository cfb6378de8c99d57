"""Test that no list of the API runs more queries when it is longer."""

import uuid
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext
from drf_spectacular.generators import SchemaGenerator

from chat.audit import log as audit
from chat.models import Conversation
from corpus.models import Document
from evaluation.models import Question, QuestionResult, QuestionRun
from medrag_site.groups import CLINICIANS, PUBLISHERS, STAFF
from tests.chat.api.api_calls import get, signed_in
from tests.chat.guidelines import NEAR, QUESTION, ask, publish_guideline
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
