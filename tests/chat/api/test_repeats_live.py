"""Test that a question whose client was cut off is found again by its `Idempotency-Key`."""

import json
import socket
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.contrib.auth.models import User

from chat.models import AuditEvent, Turn
from chat.sign_in.tokens import token_create
from tests.chat.api.api_calls import QUERY
from tests.chat.guidelines import DOSE, QUESTION, publish_guideline
from tests.processes import wait_until
from tests.site.browsing.browser import served

pytestmark = pytest.mark.slow

COMPLETIONS = "/v1/chat/completions"
BODY = {"question": QUESTION}
CHAT = {"model": "medrag", "messages": [{"role": "user", "content": QUESTION}]}
STREAMED = {"stream": True}


class Site:
    """A web process, and a client that repeats each question with a key of its own."""

    def __init__(self, address: str, token: str) -> None:
        self._address = address
        self._headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}

    def cut_off(self, path: str, body: Any, *, once_stored: bool) -> None:
        """Send a question, read nothing of the response, and drop the connection."""
        sent, place = json.dumps(body).encode(), urlsplit(self._address)
        headers = self._headers | {
            "Host": place.netloc,
            "Content-Length": str(len(sent)),
            "Idempotency-Key": path,
        }
        lines = [f"POST {path} HTTP/1.1", *(f"{name}: {said}" for name, said in headers.items())]
        with socket.create_connection((place.hostname or "", place.port or 0)) as connection:
            connection.sendall("\r\n".join([*lines, "", ""]).encode() + sent)
            if once_stored:
                wait_until(Turn.objects.exists, "the turn is stored")
        wait_until(Turn.objects.exists, "the turn is stored")

    def repeated(self, path: str, body: Any) -> str:
        headers = self._headers | {"Idempotency-Key": path}
        request = urllib.request.Request(
            f"{self._address}{path}", json.dumps(body).encode(), headers
        )
        with urllib.request.urlopen(request, timeout=60) as response:
            return str(response.read().decode())


@pytest.fixture
def site(own_database: str, tmp_path: Path) -> Iterator[Site]:
    publish_guideline(picture=False)
    token = token_create(User.objects.create_user("alice"))
    with served(tmp_path / "web.log") as address:
        yield Site(address, token)


@pytest.mark.parametrize(
    ("path", "body"),
    [
        (QUERY, BODY),
        pytest.param(QUERY, BODY | STREAMED, marks=pytest.mark.exhaustive),
        pytest.param(COMPLETIONS, CHAT, marks=pytest.mark.exhaustive),
        (COMPLETIONS, CHAT | STREAMED),
    ],
)
def test_the_stored_turn_comes_back_and_nothing_is_answered_twice(
    site: Site, path: str, body: Any
) -> None:
    """A stream ends its question when the client leaves; stored, it stays."""
    site.cut_off(path, body, once_stored="stream" in body)
    turn = Turn.objects.get()
    for _ in range(2):
        answer = site.repeated(path, body)
        assert str(turn.pk) in answer
        assert DOSE in answer
    assert Turn.objects.get().created_at == turn.created_at
    assert AuditEvent.objects.filter(action__startswith="turn.").count() == 1
