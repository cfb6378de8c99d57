"""Test that a search over the API neither searches, sends nor logs identifiers of a patient."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from django.conf import LazySettings
from django.contrib.auth.models import User
from django.test import Client

from chat.models import AuditEvent, Turn
from chat.sign_in.tokens import token_create
from tests.corpora import publish
from tests.llm.server import Endpoint, endpoint, says
from tests.models import set_model

SEARCH = "/api/v1/search"
WORDS = "demonstracillin dose for Mrs Featherstone, DOB 12/03/1956?"
HIDDEN = "demonstracillin dose for [name], DOB [date of birth]?"
SEEN = "name, date of birth"


@pytest.fixture
def client(alice: User) -> Client:
    publish("# Demonstracillin\nGive demonstracillin 500 mg every 8 hours.")
    token = token_create(alice)
    return Client(headers={"authorization": f"Token {token}"}, raise_request_exception=False)


@pytest.fixture
def model(settings: LazySettings) -> Iterator[Endpoint]:
    """Serve a model that words questions, to which each search would send its text."""
    with endpoint(says('{"queries": ["dose of demonstracillin"]}')) as state:
        settings.RETRIEVAL = "multi_query=2"
        set_model(settings, "rewrite", state.url, model="small", key="key-canary")
        yield state


def search(client: Client, words: str) -> Any:
    return client.post(SEARCH, json.dumps({"query": words}), content_type="application/json")


def test_block_is_a_problem_that_names_the_kinds_and_keeps_nothing(
    client: Client, settings: LazySettings, model: Endpoint
) -> None:
    settings.IDENTIFIERS = "block"
    response = search(client, WORDS)
    problem = json.loads(response.content)
    assert (response.status_code, response["Content-Type"]) == (400, "application/problem+json")
    assert problem["detail"].startswith(f"Some words seem to identify a patient ({SEEN}).")
    assert "Nothing was stored, searched or sent." in problem["detail"]
    assert b"Featherstone" not in response.content
    assert b"/1956" not in response.content
    assert model.asked == []
    assert not AuditEvent.objects.exclude(action__startswith="token.").exists()
    assert not Turn.objects.exists()


def test_redact_searches_and_sends_only_placeholders(
    client: Client, settings: LazySettings, model: Endpoint
) -> None:
    settings.IDENTIFIERS = "redact"
    response = search(client, WORDS)
    assert response.status_code == 200, response.content
    assert response["Identifiers-Seen"] == SEEN
    assert len(response.json()) == 1
    assert any(HIDDEN in prompt for prompt in model.prompts)
    assert not any("Featherstone" in prompt or "/1956" in prompt for prompt in model.prompts)


def test_redact_logs_the_kinds_and_the_words_that_were_searched(
    client: Client, settings: LazySettings
) -> None:
    settings.IDENTIFIERS = "redact"
    search(client, WORDS)
    search(client, HIDDEN)
    first, second = map(
        json.loads, AuditEvent.objects.filter(action="search").values_list("payload", flat=True)
    )
    assert first["identifiers"] == ["name", "date of birth"]
    assert "identifiers" not in second
    assert first["query_hmac"] == second["query_hmac"]


def test_warn_searches_the_words_and_says_what_was_seen(
    client: Client, settings: LazySettings, model: Endpoint
) -> None:
    settings.IDENTIFIERS = "warn"
    response = search(client, WORDS)
    assert response["Identifiers-Seen"] == SEEN
    assert any(WORDS in prompt for prompt in model.prompts)


@pytest.mark.parametrize("policy", ["warn", "redact", "block"])
def test_without_an_identifier_nothing_is_said(
    client: Client, settings: LazySettings, policy: str
) -> None:
    settings.IDENTIFIERS = policy
    response = search(client, "demonstracillin dose for an adult of 70 kg?")
    assert response.status_code == 200
    assert "Identifiers-Seen" not in response
