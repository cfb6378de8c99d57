"""Send messages of MCP to the site's `/mcp`, in the transaction of the test."""

import json
from typing import Any
from unittest.mock import patch

from django.db.backends.base.base import BaseDatabaseWrapper
from django.test import Client

PATH, METADATA = "/mcp", "/.well-known/oauth-protected-resource"
ACCEPT = "application/json, text/event-stream"


def send(client: Client, method: str, **params: Any) -> Any:
    """Send a message; its result is in the body of a response with status 200."""
    return send_raw(client, {"jsonrpc": "2.0", "id": 1, "method": method, "params": params})


def send_raw(client: Client, body: Any, **headers: str) -> Any:
    # A request within a request would close a connection whose transaction is open; Django's client
    # prevents that for the outer one alone.
    with patch.object(BaseDatabaseWrapper, "close_if_unusable_or_obsolete"):
        return client.post(
            PATH, body, content_type="application/json", headers={"accept": ACCEPT} | headers
        )


def tool_called(client: Client, name: str, arguments: dict[str, Any]) -> Any:
    """Return the result of a tool."""
    response = send(client, "tools/call", name=name, arguments=arguments)
    assert response.status_code == 200, response.content
    return response.json()["result"]


def bearer(token: str) -> Client:
    headers = {"authorization": f"Bearer {token}"}
    return Client(headers=headers, raise_request_exception=False)


def assert_error(result: Any, status: int) -> None:
    assert result["isError"] and "structuredContent" not in result
    assert [json.loads(part["text"])["status"] for part in result["content"]] == [status]
