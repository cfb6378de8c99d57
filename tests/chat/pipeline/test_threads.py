"""Test that a whole question is read about what its thread is about, or by itself, and told."""

import pytest
from django.contrib.auth.models import User
from django.db import DatabaseError
from django.test import Client
from django.urls import reverse

from chat.ask import turn_ask
from chat.models import Channel, Conversation, Reason, Turn, TurnStatus
from chat.pipeline.search import find
from chat.replays.replay import turn_replay
from chat.types import AskedQuestion
from retrieval.types import Query
from tests.corpora import publish

HIGH = """# Demonstraemia in adults
## Treatment of demonstraemia
Give examplol 10 mL over 5 minutes to adults with demonstraemia.
## Monitoring of demonstraemia
Recheck the blood count of adults with demonstraemia 2 hours after examplol.
"""
LOW = """# Placebosis in adults
## Monitoring of placebosis
Recheck the blood count of adults with placebosis every 4 weeks while they take samplin.
## Dose of samplin
The dose of samplin for adults with placebosis is 40 mg once daily.
## Potassium in placebosis
Recheck the potassium of adults with placebosis every 3 days.
"""
FIRST = "How much examplol do I give to adults with demonstraemia?"

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def guidelines(db: None) -> None:
    publish(HIGH, collection="blood")
    publish(LOW, collection="blood")


def ask(question: str, user: User, conversation: Conversation | None = None) -> Turn:
    made = turn_ask(
        AskedQuestion(question, user=user, channel=Channel.PAGE, conversation=conversation)
    )
    return Turn.objects.get(pk=made.pk)


def texts(turn: Turn) -> str:
    return " ".join(turn.claims.values_list("text", flat=True))


def page_of(turn: Turn, client: Client, user: User) -> str:
    client.force_login(user)
    address = reverse("chat:conversation", args=[turn.conversation_id])
    return client.get(address).content.decode()


def test_a_question_without_a_topic_is_about_the_threads(alice: User, client: Client) -> None:
    first = ask(FIRST, alice)
    turn = ask("When do I recheck the blood count?", alice, first.conversation)
    assert turn.status == TurnStatus.ANSWERED
    assert "2 hours" in texts(turn)
    assert "4 weeks" not in texts(turn)
    assert turn.standalone == "When do I recheck the blood count, adults?"
    assert f"Read as: {turn.standalone}" in page_of(turn, client, alice)
    assert not turn_replay(turn).changed


def test_a_whole_question_is_looked_for_in_the_documents_of_its_thread(
    alice: User, client: Client
) -> None:
    first = ask("How much examplol do I give for demonstraemia?", alice)
    turn = ask("When do I recheck the blood count?", alice, first.conversation)
    assert "2 hours" in texts(turn)
    assert not turn.standalone
    quoted = first.claims.get(index=1).citations.get().sha256
    assert turn.trace["asked"]["documents"] == [quoted]
    page = page_of(turn, client, alice)
    assert "Read in the guidelines of this conversation." in page
    assert "Ask it by itself" in page
    assert not turn_replay(turn).changed


def test_the_same_question_alone_is_read_by_itself(alice: User, client: Client) -> None:
    turn = ask("When do I recheck the blood count with samplin?", alice)
    assert "4 weeks" in texts(turn)
    assert not turn.standalone
    assert "Read by itself" not in page_of(turn, client, alice)


def test_a_change_of_topic_is_read_by_itself_and_told(alice: User, client: Client) -> None:
    first = ask(FIRST, alice)
    turn = ask("What is the dose of samplin for adults with placebosis?", alice, first.conversation)
    assert "40 mg" in texts(turn)
    assert not turn.standalone
    assert "Read by itself, without the questions before it." in page_of(turn, client, alice)
    assert not turn_replay(turn).changed


def test_two_readings_that_differ_are_the_askers_choice(alice: User, client: Client) -> None:
    """What names the thread's topic isn't answered from elsewhere as if nobody had named it."""
    first = ask("How much examplol for demonstraemia with a potassium of 6.8?", alice)
    assert "10 mL" in texts(first)
    turn = ask("How often do I recheck the potassium of adults?", alice, first.conversation)
    assert turn.reason == Reason.UNCLEAR_QUESTION
    assert turn.trace["follow_up"]["either"] is True
    page = page_of(turn, client, alice)
    assert "By itself it is answered from another guideline." in page
    assert "Ask it by itself" in page
    assert not turn_replay(turn).changed
    client.post(
        reverse("chat:ask_in", args=[turn.conversation_id]),
        {"question": turn.question, "whole": "on"},
    )
    again = Turn.objects.latest("created_at")
    assert again.status == TurnStatus.ANSWERED
    assert "every 3 days" in texts(again)


def test_a_search_of_the_thread_that_fails_is_no_answer_from_elsewhere(
    alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = ask("How much examplol do I give for demonstraemia?", alice)

    def failing(query: Query, *given: object, **named: object) -> object:
        if query.documents:
            raise DatabaseError("no such thing")
        return find(query, *given, **named)  # type: ignore[arg-type]

    monkeypatch.setattr("chat.ask.find", failing)
    turn = ask("What is the dose of samplin for placebosis?", alice, first.conversation)
    assert (turn.status, turn.reason) == (TurnStatus.ABSTAINED, Reason.SEARCH_UNAVAILABLE)
