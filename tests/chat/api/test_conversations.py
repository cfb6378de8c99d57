"""Test conversations over the API: created, asked in, listed and read by their owner alone."""

import json
import uuid
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.conf import LazySettings
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from chat.api.pages import InOrder, LatestFirst
from chat.models import AuditEvent, Channel, Conversation, Turn
from corpus.models import Document
from tests.chat.api.api_calls import QUERY, assert_problem, get, post, signed_in
from tests.chat.audit.audit_tools import store_turn
from tests.chat.guidelines import DOSE, NEAR, QUESTION, ask
from tests.corpora import publish
from tests.tables import rows

THREADS = "/api/v1/conversations"


def path_of(pk: object, what: str = "") -> str:
    return f"{THREADS}/{pk}{what}"


def begun(user: User, title: str = "") -> Conversation:
    return Conversation.objects.create(user=user, title=title)


@pytest.mark.parametrize(("body", "title"), [({}, ""), ({"title": " Ward  4 "}, "Ward 4")])
def test_a_conversation_is_begun_and_logged(alice: User, body: dict[str, str], title: str) -> None:
    response = post(signed_in(alice), THREADS, body)
    assert response.status_code == 201
    assert response["Cache-Control"] == "no-store"
    made = Conversation.objects.get()
    assert (made.user, made.title) == (alice, title)
    assert response.json()["id"] == str(made.pk)
    assert get(signed_in(alice), path_of(made.pk)).json() == response.json()
    event = AuditEvent.objects.get(action="conversation.created")
    assert (event.subject, event.payload) == (f"conversation:{made.pk}", "{}")


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({"title": 5}, "#/title"),
        ({"title": "x" * 201}, "#/title"),
        ({"title": None}, "#/title"),
        ({"name": "x"}, "#/name"),
    ],
)
def test_a_wrong_title_is_400(alice: User, body: dict[str, Any], pointer: str) -> None:
    problem = assert_problem(post(signed_in(alice), THREADS, body), 400)
    assert [error["pointer"] for error in problem["errors"]] == [pointer]
    assert not Conversation.objects.exists()


@pytest.mark.parametrize("policy", ["warn", "redact", "block"])
def test_a_title_names_no_patient(alice: User, settings: LazySettings, policy: str) -> None:
    settings.IDENTIFIERS = policy
    response = post(signed_in(alice), THREADS, {"title": "NHS number 943 476 5919"})
    if policy == "block":
        assert_problem(response, 400, "identify a patient")
    kept = list(Conversation.objects.values_list("title", flat=True))
    assert ("943" in str(kept)) == (policy == "warn")
    assert len(kept) == (policy != "block")


def test_the_first_question_becomes_the_title(
    guideline: Document, alice: User, client: Client
) -> None:
    thread, named = begun(alice), begun(alice, "Ward 4")
    client.force_login(alice)
    page = reverse("chat:conversation", args=[thread.pk])
    assert "New conversation" in client.get(page).content.decode()
    for each in (thread, named):
        assert post(signed_in(alice), path_of(each.pk, "/query"), {"question": QUESTION}).json()
    titles = Conversation.objects.in_bulk()
    assert [titles[each.pk].title for each in (thread, named)] == [QUESTION, "Ward 4"]
    assert DOSE in client.get(page).content.decode()


def test_a_follow_up_is_understood_by_either_address(alice: User) -> None:
    publish(
        "# Pneumonia\n## Dose for adults\nGive demonstracillin 500 mg by mouth every 8 hours to "
        "adults with pneumonia.\n## Dose for children\nGive demonstracillin 250 mg by mouth every "
        "8 hours to children with pneumonia."
    )
    thread, client = begun(alice), signed_in(alice)
    follow_up = {"question": "And in children?"}
    inside = path_of(thread.pk, "/query")
    assert post(client, inside, {"question": QUESTION}).json()["standalone"] is None
    understood = [
        post(client, inside, follow_up).json(),
        post(client, QUERY, follow_up | {"conversation": str(thread.pk)}).json(),
        post(client, inside, follow_up | {"conversation": str(thread.pk)}).json(),
    ]
    for answer in understood:
        assert "demonstracillin" in answer["standalone"] and "children" in answer["standalone"]
        assert "250 mg" in answer["claims"][0]["text"]
    assert post(client, QUERY, follow_up).json()["standalone"] is None
    assert set(thread.turns.values_list("channel", flat=True)) == {Channel.API}
    assert thread.turns.count() == 4


def test_what_is_sent_in_a_conversation_is_judged_as_in_query(alice: User) -> None:
    client, thread, other = signed_in(alice), begun(alice), begun(alice)
    inside = path_of(thread.pk, "/query")
    for body, pointer in [
        ({}, "#/question"),
        ({"question": "Why?", "colections": []}, "#/colections"),
        ({"question": "Why?", "conversation": str(other.pk)}, "#/conversation"),
        ({"question": "Why?", "conversation": 5}, "#/conversation"),
    ]:
        problem = assert_problem(post(client, inside, body), 400)
        assert [error["pointer"] for error in problem["errors"]] == [pointer]
    assert not Turn.objects.exists()


def test_messages_are_the_answers_in_order(guideline: Document, alice: User) -> None:
    thread, client = begun(alice), signed_in(alice)
    asked = [QUESTION, NEAR]
    answers = [
        post(client, path_of(thread.pk, "/query"), {"question": question}).json()
        for question in asked
    ]
    response = get(client, path_of(thread.pk, "/messages"))
    assert response["Cache-Control"] == "no-store"
    messages = response.json()["results"]
    turns = Turn.objects.order_by("created_at")
    assert messages == [
        answer
        | {
            "question": turn.question,
            "asked_at": turn.created_at.isoformat(),
            "text_removed_at": None,
            "duration_ms": turn.duration_ms,
            "conversation": str(thread.pk),
            "feedback": None,
        }
        for answer, turn in zip(answers, turns, strict=True)
    ]
    event = AuditEvent.objects.get(action="read")
    assert event.subject == f"conversation:{thread.pk}"
    assert json.loads(event.payload) == {"operation": "messages"}


def pages(client: Client, address: str, **query: str) -> list[list[dict[str, Any]]]:
    """Return all pages of a list, following the address of the next."""
    found, told = [], get(client, address, **query).json()
    while True:
        found.append(told["results"])
        if not told["next"]:
            return found
        split = urlsplit(told["next"])
        assert split.netloc == "testserver"
        told = client.get(f"{split.path}?{split.query}").json()


def test_messages_go_over_pages(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(InOrder, "page_size", 2)
    thread = begun(alice)
    stored = [str(store_turn(alice, conversation=thread).pk) for _ in range(5)]
    read = pages(signed_in(alice), path_of(thread.pk, "/messages"))
    assert [len(page) for page in read] == [2, 2, 1]
    assert sorted(message["turn"] for page in read for message in page) == sorted(stored)


def test_the_list_is_ones_own_latest_first_and_searched(
    guideline: Document, alice: User, mallory: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(LatestFirst, "page_size", 2)
    mine = [begun(alice, f"Ward {number}") for number in range(4)]
    ask(alice, conversation=mine[0])  # makes it the latest
    begun(mallory, "Ward 9")
    read = pages(signed_in(alice), THREADS)
    titles = [thread["title"] for page in read for thread in page]
    assert titles == ["Ward 0", "Ward 3", "Ward 2", "Ward 1"]
    client = signed_in(alice)
    for words, found in [("ward", 4), ("demonstracillin", 1), ("9", 0), ("", 4)]:
        assert sum(map(len, pages(client, THREADS, words=words))) == found
    logged = AuditEvent.objects.filter(action="read")
    assert {event.subject for event in logged} == {f"user:{alice.pk}"}
    assert not [event for event in logged if "demonstracillin" in event.payload]
    assert "query_hmac" in logged.filter(payload__contains="hmac")[0].payload


@pytest.mark.parametrize(("query", "status"), rows(__file__, "wrong_lists.jsonl"))
def test_a_wrong_list_is_a_problem(alice: User, query: dict[str, str], status: int) -> None:
    assert_problem(get(signed_in(alice), THREADS, **query), status)


def test_one_s_own_is_deleted_where_the_site_lets_people(
    guideline: Document, alice: User, settings: LazySettings
) -> None:
    turn, client = ask(alice), signed_in(alice)
    address = path_of(turn.conversation_id)
    assert_problem(client.delete(address), 403, "Nothing was deleted.")
    assert get(client, address).status_code == 200
    settings.CONVERSATIONS_DELETABLE = True
    response = client.delete(address)
    assert (response.status_code, response.content) == (204, b"")
    for again in (client.delete(address), get(client, address), get(client, f"{address}/messages")):
        assert_problem(again, 404)
    assert get(client, THREADS).json()["results"] == []
    assert get(client, f"/api/v1/turns/{turn.pk}").status_code == 200
    assert AuditEvent.objects.filter(action="conversation.deleted").count() == 1


def test_nobody_asks_in_another_s_conversation(alice: User, mallory: User) -> None:
    thread, client = begun(alice, "Secret title"), signed_in(mallory)
    hers, missing = (
        post(client, QUERY, {"question": QUESTION, "conversation": str(pk)})
        for pk in (thread.pk, uuid.uuid4())
    )
    assert_problem(hers, 400)
    assert hers.content == missing.content
    assert get(client, THREADS).json()["results"] == []
    assert not Turn.objects.exists()
