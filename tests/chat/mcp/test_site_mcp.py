"""Test the site's `/mcp`: who is let in, by which token, with which rights, and what is logged."""

import json
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from chat.api.requests import MAX_BODY_BYTES
from chat.models import AuditEvent, Scope, Turn
from corpus.models import Document
from tests.chat.api.api_calls import assert_problem, signed_in
from tests.chat.guidelines import QUESTION, publish_guideline
from tests.chat.mcp.messages import (
    METADATA,
    PATH,
    assert_error,
    bearer,
    send,
    send_raw,
    tool_called,
)

FOUND = {"query": "demonstracillin"}
MARKER = "Mrs Zephyrine Quillfeather"


@pytest.fixture
def guideline(db: None) -> Document:
    return publish_guideline()


def test_without_a_token_nothing_is_told(db: None) -> None:
    for client in (Client(), bearer("mrag_wrong"), bearer("a.b.c")):
        response = send(client, "tools/list")
        assert_problem(response, 401)
        assert response["WWW-Authenticate"] == "Bearer"
    for path in (METADATA, METADATA + PATH):  # no authorisation server is of any use
        assert Client().get(path).status_code == 404


def test_a_token_of_the_api_opens_the_tools_of_its_scopes(alice: User, guideline: Document) -> None:
    client = signed_in(alice, Scope.ASK)
    tools = send(client, "tools/list").json()["result"]["tools"]
    assert len(tools) == 3
    assert tool_called(client, "search_guidelines", FOUND)["structuredContent"]["results"]
    page = {"sha256": guideline.sha256, "number": 1}
    assert_error(tool_called(client, "open_source", page), 403)
    asked = tool_called(client, "ask_guidelines", {"question": QUESTION})
    assert Turn.objects.get(pk=asked["structuredContent"]["turn"]).user == alice
    assert AuditEvent.objects.filter(action="search", actor__endswith=":alice").count() == 1


def test_only_messages_are_taken(alice: User) -> None:
    client = signed_in(alice)
    assert_problem(client.get(PATH), 405)  # no stream that would hold a thread
    assert_problem(client.delete(PATH), 405)
    assert_problem(send_raw(client, '{"id": 1, "id": 2}'), 400)
    assert_problem(send_raw(client, json.dumps("x" * MAX_BODY_BYTES)), 413)
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    assert send_raw(client, message, origin="https://evil.example").status_code == 403
    assert send_raw(client, message, origin="null").status_code == 403
    assert send_raw(client, message).status_code == 200


def test_nothing_that_was_sent_is_logged(alice: User, caplog: pytest.LogCaptureFixture) -> None:
    client = signed_in(alice)
    sent: list[tuple[str, dict[str, Any]]] = [
        ("tools/call", {"name": "search_guidelines", "arguments": {"query": MARKER}}),
        ("tools/call", {"name": "search_guidelines", "arguments": MARKER}),
        ("tools/call", {"name": MARKER, "arguments": {}}),
        ("tools/call", {"name": "open_source", "arguments": {"sha256": MARKER, "number": MARKER}}),
        (MARKER, {"_meta": MARKER}),
    ]
    for method, params in sent:
        assert send(client, method, **params).status_code < 500
    send_raw(client, {"jsonrpc": MARKER}, origin="https://evil.example")
    send_raw(client, {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": MARKER})
    assert "evil.example" in caplog.text and "Zephyrine" not in caplog.text
