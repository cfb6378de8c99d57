"""Test the page's question as a stream, whose last event is the whole response."""

from typing import Any

import pytest
from django.conf import LazySettings
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from chat.models import Channel, Conversation, Turn
from tests.chat.api.streamed import events_of
from tests.chat.guidelines import DOSE, QUESTION, publish_guideline
from tests.people import client_of

HTMX = {"HX-Request": "true", "Accept": "text/event-stream"}


@pytest.fixture
def reader(own_database: str) -> User:
    publish_guideline()
    return User.objects.create_user("alice")


@pytest.fixture
def client(reader: User) -> Client:
    return client_of(reader)


def test_a_first_question_leads_to_its_conversation(client: Client) -> None:
    response = client.post(reverse("chat:ask"), {"question": QUESTION}, headers=HTMX)
    assert response["Content-Type"] == "text/event-stream"
    events = events_of(b"".join(response.streaming_content).decode())  # type: ignore[attr-defined]
    assert [name for name, _ in events] == ["retrieval", "gate", "verdict", "verdict", "page"]
    turn = Turn.objects.get()
    assert turn.channel == Channel.PAGE
    address = reverse("chat:conversation", args=[turn.conversation_id])
    assert events[-1][1]["location"] == f"{address}#turn-{turn.pk}"


def asked(client: Client, reader: User, question: str, **headers: str) -> Any:
    """Ask in a conversation, and return what the last event of the stream holds."""
    address = reverse("chat:ask_in", args=[Conversation.objects.create(user=reader).pk])
    response: Any = client.post(address, {"question": question}, headers=HTMX | headers)
    (*_, (name, page)) = events_of(b"".join(response.streaming_content).decode())
    assert name == "page"
    return page


def test_the_next_comes_as_a_fragment_or_says_what_is_wrong(client: Client, reader: User) -> None:
    page = asked(client, reader, QUESTION)
    assert DOSE in page["html"] and "<html" not in page["html"]
    page = asked(client, reader, "?")
    assert (page["retarget"], page["reswap"]) == ("#ask", "outerHTML")
    assert "question-error" in page["html"]


def test_a_stream_is_in_the_language_of_the_browser(
    client: Client, reader: User, settings: LazySettings
) -> None:
    settings.ANSWER_LANGUAGES = ("en", "de")
    page = asked(client, reader, QUESTION, **{"Accept-Language": "de"})
    assert "Wörtlich aus" in page["html"]


def test_where_no_stream_is_left_it_is_answered_plainly(
    client: Client, reader: User, settings: LazySettings
) -> None:
    settings.WEB_THREADS = 1
    address = reverse("chat:ask_in", args=[Conversation.objects.create(user=reader).pk])
    open_ = client.post(address, {"question": QUESTION}, headers=HTMX)
    plain = client.post(address, {"question": QUESTION}, headers=HTMX)
    open_.close()
    assert plain["Content-Type"].startswith("text/html")
    assert DOSE in plain.content.decode()
