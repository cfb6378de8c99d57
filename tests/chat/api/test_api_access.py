"""Test every operation of the API with every role, on alice's things and on missing ones."""

import uuid
from typing import Any

import pytest
from django.conf import LazySettings
from django.contrib.auth.models import User
from django.test import Client
from django.urls import URLPattern, reverse

from chat.api.urls import urlpatterns
from chat.models import AuditEvent, Turn
from corpus.models import Document
from tests.chat.api.api_calls import assert_problem, post, signed_in
from tests.chat.api.documents.test_document_access import OPERATIONS as OF_DOCUMENTS
from tests.chat.api.documents.test_document_access import ROLES
from tests.chat.guidelines import QUESTION, ask
from tests.people import client_of, in_groups, person

QUERY = {"question": QUESTION}
# Operations without an object: body, status and logged action.
OF_ALL: dict[tuple[str, str], tuple[Any, int, str]] = {
    ("post", "query"): (QUERY, 200, "turn.answered"),
    ("post", "search"): ({"query": QUESTION}, 200, "search"),
    ("get", "me"): (None, 200, "read"),
    ("get", "conversations"): (None, 200, "read"),
    ("post", "conversations"): ({}, 201, "conversation.created"),
}
# Operations on an object that somebody owns.
OF_ONE: dict[tuple[str, str], tuple[Any, int, str]] = {
    ("get", "turn"): (None, 200, "read"),
    ("post", "feedback"): ({"helpful": True}, 200, "feedback"),
    ("get", "conversation"): (None, 200, "read"),
    ("get", "messages"): (None, 200, "read"),
    ("post", "conversation_query"): (QUERY, 200, "turn.answered"),
    ("delete", "conversation"): (None, 204, "conversation.deleted"),
}
# Tested with every role in their own files.
ELSEWHERE = {"collections", "users", "user", "audit", "audit_verify", "turns"}
OPEN = {"schema", "docs"}  # without data of the hospital


@pytest.fixture(autouse=True)
def people_may_delete(settings: LazySettings) -> None:
    settings.CONVERSATIONS_DELETABLE = True


@pytest.fixture
def turn(guideline: Document, alice: User) -> Turn:
    return ask(alice)


def call(client: Client, method: str, name: str, body: Any, *arguments: object) -> Any:
    address = reverse(f"api:{name}", args=arguments)
    return post(client, address, body) if method == "post" else getattr(client, method)(address)


def thing_of(name: str, turn: Turn) -> object:
    return turn.pk if name in ("turn", "feedback") else turn.conversation_id


def test_no_operation_is_left_out() -> None:
    named = {route.name for route in urlpatterns if isinstance(route, URLPattern) and route.name}
    assert named == {name for _, name in (*OF_ALL, *OF_ONE, *OF_DOCUMENTS)} | ELSEWHERE | OPEN


@pytest.mark.parametrize(("method", "name"), [*OF_ALL, *OF_ONE])
def test_nobody_gets_in_without_a_token(turn: Turn, method: str, name: str) -> None:
    body, _, _ = (OF_ALL | OF_ONE)[method, name]
    arguments = [thing_of(name, turn)] if (method, name) in OF_ONE else []
    browser = client_of(User.objects.get(username="alice"))
    for client in (Client(), browser):
        assert_problem(call(client, method, name, body, *arguments), 401)


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize(("method", "name"), OF_ALL)
def test_what_is_for_all_is_for_every_role(
    guideline: Document, method: str, name: str, role: str
) -> None:
    body, status, action = OF_ALL[method, name]
    response = call(signed_in(person("somebody", *ROLES[role])), method, name, body)
    assert response.status_code == status
    assert response["Cache-Control"] == "no-store"
    event = AuditEvent.objects.latest("seq")
    assert event.action == action
    assert event.actor.endswith(":somebody")


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize(("method", "name"), OF_ONE)
def test_ones_own_is_open_to_every_role(turn: Turn, method: str, name: str, role: str) -> None:
    body, status, action = OF_ONE[method, name]
    assert turn.user is not None
    client = signed_in(in_groups(turn.user, *ROLES[role]))
    response = call(client, method, name, body, thing_of(name, turn))
    assert response.status_code == status
    assert response["Cache-Control"] == "no-store"
    event = AuditEvent.objects.latest("seq")
    assert event.action == action
    assert event.actor.endswith(":alice")


@pytest.mark.parametrize("role", [*ROLES, "superuser"])
@pytest.mark.parametrize(("method", "name"), OF_ONE)
def test_another_s_is_as_what_is_missing(turn: Turn, method: str, name: str, role: str) -> None:
    """Except that a superuser, as an auditor, reads every turn."""
    body, _, _ = OF_ONE[method, name]
    is_superuser = role == "superuser"
    other = person("other", *ROLES.get(role, ()), is_superuser=is_superuser)
    client = signed_in(other)
    before = AuditEvent.objects.filter(action="read").count()
    hers, missing = (
        call(client, method, name, body, pk) for pk in (thing_of(name, turn), uuid.uuid4())
    )
    assert_problem(missing, 404)
    if name == "turn" and role in ("auditor", "superuser"):
        assert hers.json()["trace"]
        return
    assert_problem(hers, 404)
    assert hers.content == missing.content
    assert AuditEvent.objects.filter(action="read").count() == before
    assert Turn.objects.count() == 1


@pytest.mark.parametrize(("method", "name"), [*OF_ALL, *OF_ONE])
def test_another_method_or_form_is_a_problem(turn: Turn, method: str, name: str) -> None:
    assert turn.user is not None
    client = signed_in(turn.user)
    arguments = [thing_of(name, turn)] if (method, name) in OF_ONE else []
    address = reverse(f"api:{name}", args=arguments)
    response = client.put(address)
    assert_problem(response, 405)
    assert method.upper() in response["Allow"]
    wrong = {"accept": "text/html"}
    response = (
        post(client, address, {}, **wrong)
        if method == "post"
        else getattr(client, method)(address, headers=wrong)
    )
    assert_problem(response, 406)
