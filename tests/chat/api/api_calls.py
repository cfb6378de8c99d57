"""Call the API as a client program does, and check the form of its errors."""

import json
from typing import Any

from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from chat.models import Scope, TokenGrant
from chat.sign_in.tokens import token_create

QUERY, SEARCH = "/api/v1/query", "/api/v1/search"
PROBLEM = "application/problem+json"


def signed_in(user: User, *scopes: str) -> Client:
    """Return a client with a token of these scopes, or of all; a server error is a response."""
    token = token_create(user, scopes=scopes or Scope.values)
    # The first use of a day would add an event: see test_rights_recorded.py.
    TokenGrant.objects.filter(user=user).update(used_on=timezone.localdate())
    return Client(headers={"authorization": f"Bearer {token}"}, raise_request_exception=False)


def post(client: Client, path: str, body: Any, **headers: Any) -> Any:
    content = body if isinstance(body, str | bytes) else json.dumps(body)
    return client.post(path, content, content_type="application/json", headers=headers or None)


def get(client: Client, path: str, **query: str) -> Any:
    return client.get(path, query)


def assert_problem(response: Any, status: int, words: str = "") -> dict[str, Any]:
    assert response.status_code == status, response.content
    assert response["Content-Type"] == PROBLEM
    problem: dict[str, Any] = json.loads(response.content)
    assert problem["status"] == status
    assert problem["type"] == "about:blank"
    assert problem["title"]
    assert words in problem["detail"]
    return problem
