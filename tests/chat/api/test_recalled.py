"""Test that who asked over the API learns that a cited guideline has ended."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from corpus.models import Document, Lifecycle
from corpus.services.lifecycle import document_reinstate, document_withdraw
from tests.chat.api.api_calls import get, post, signed_in
from tests.chat.guidelines import NEAR, QUESTION, ask
from tests.people import narrow

CONVERSATIONS = "/api/v1/conversations"


@pytest.fixture
def caller(alice: User) -> Client:
    return signed_in(alice)


def recalled(client: Client, *turns: str) -> list[Any]:
    """Return what the turns, the list of conversations and each conversation say."""
    threads = get(client, CONVERSATIONS).json()["results"]
    said = [get(client, f"/api/v1/turns/{turn}").json() for turn in turns]
    said += threads
    said += [get(client, f"{CONVERSATIONS}/{thread['id']}").json() for thread in threads]
    return [one["recalled"] for one in said]


def test_a_withdrawal_and_its_end(caller: Client, alice: User, guideline: Document) -> None:
    made = post(caller, CONVERSATIONS, {"title": "Ward 4"}).json()
    assert made["recalled"] is None
    address = f"{CONVERSATIONS}/{made['id']}"
    answer = post(caller, f"{address}/query", {"question": QUESTION}).json()
    assert answer["recalled"] is None
    document_withdraw(guideline, by=None, reason="Harm was reported.")
    assert recalled(caller, answer["turn"]) == ["withdrawn"] * 3
    assert get(caller, f"{address}/messages").json()["results"][0]["recalled"] == "withdrawn"
    document_reinstate(guideline, by=None, reason="Checked.")
    assert recalled(caller, answer["turn"]) == [None] * 3


def test_superseded_is_told_and_a_refusal_is_not_recalled(
    caller: Client, alice: User, guideline: Document
) -> None:
    turn, refused = ask(alice), post(caller, "/api/v1/query", {"question": NEAR}).json()
    Document.objects.filter(pk=guideline.pk).update(lifecycle=Lifecycle.SUPERSEDED)
    said = recalled(caller, str(turn.pk), refused["turn"])
    assert said == ["superseded", None, "superseded", "superseded"]


def test_it_is_told_where_the_guideline_is_closed_now(
    caller: Client, alice: User, guideline: Document
) -> None:
    turn = ask(alice)
    narrow(guideline.collection, "searchers", "Ward")
    document_withdraw(guideline, by=None, reason="Harm was reported.")
    response = get(caller, f"/api/v1/turns/{turn.pk}")
    assert response.json()["recalled"] == "withdrawn"
    assert guideline.title not in response.content.decode()
