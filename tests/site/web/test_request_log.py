"""Test lines of the log: JSON if configured, with the request's id, no traceback of a refusal."""

import json
import logging
from collections.abc import Iterator
from io import StringIO
from typing import Any

import pytest
from django.conf import settings as site
from django.contrib.auth.models import User
from django.test import Client
from django.utils.module_loading import import_string
from pytest_django import Settings

from medrag_site.request_log import HEADER, JsonLines

pytestmark = pytest.mark.django_db

QUESTION = "How much codeine for Mrs Fell?"


@pytest.fixture
def written() -> Iterator[StringIO]:
    """Return the stream of a handler that writes JSON with the site's filters."""
    stream = StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonLines())
    filters: dict[str, dict[str, str]] = dict(site.LOGGING["filters"])  # type: ignore[call-overload]
    for one in filters.values():
        handler.addFilter(import_string(one["()"])())
    logging.getLogger().addHandler(handler)
    yield stream
    logging.getLogger().removeHandler(handler)


@pytest.fixture
def in_json(settings: Settings) -> None:
    settings.LOG_FORMAT = "json"


def lines_of(written: StringIO) -> list[dict[str, Any]]:
    return [json.loads(line) for line in written.getvalue().splitlines()]


@pytest.mark.usefixtures("in_json")
@pytest.mark.parametrize(
    ("path", "status", "route"),
    [
        ("/healthz?name=Fell", 200, "healthz"),
        ("/?q=Fell", 302, "chat:home"),
        ("/nowhere/Fell", 404, ""),
        ("/admin/chat/turn/", 302, "admin:chat_turn_changelist"),
        ("/api/v1/me", 401, "api:me"),
        ("/static/Fell.css", 404, ""),
    ],
)
def test_in_json_each_request_is_one_line_without_its_words(
    path: str, status: int, route: str, client: Client, written: StringIO
) -> None:
    response = client.get(path)
    (line,) = lines_of(written)
    assert response.status_code == line["status"] == status
    assert (line["message"], line["method"], line["route"]) == ("request", "GET", route)
    assert line["ms"] >= 0
    assert line["request_id"] == response[HEADER]
    assert "Fell" not in written.getvalue()


@pytest.mark.usefixtures("in_json")
def test_a_wrong_password_is_the_line_of_its_request_alone(
    client: Client, written: StringIO
) -> None:
    client.post("/sign-in/", {"username": "nobody", "password": "wrong"})
    (line,) = lines_of(written)
    assert (line["method"], line["route"]) == ("POST", "login")


def fault(*_: object, **__: object) -> None:
    raise RuntimeError(QUESTION)


@pytest.mark.parametrize(("path", "status"), [("/nowhere/", 404), ("/admin/chat/turn/", 403)])
def test_a_refusal_is_a_line_with_the_id_that_the_page_shows(
    path: str, status: int, client: Client, written: StringIO
) -> None:
    client.force_login(User.objects.create_user("staff", is_staff=True))
    response = client.get(path)
    assert response.status_code == status
    (line,) = (json.loads(line) for line in written.getvalue().splitlines())
    assert (line["status"], line["request_id"]) == (status, response[HEADER])
    assert "error" not in line
    assert response[HEADER] in response.content.decode()


def test_a_fault_tells_its_places_and_not_its_message(
    client: Client, written: StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("medrag_site.web.health.is_unfinished", fault)
    client.raise_request_exception = False
    response = client.get("/readyz")
    line = json.loads(written.getvalue().splitlines()[-1])
    assert response.status_code == line["status"] == 500
    assert line["error"] == "RuntimeError"
    assert any("health.py" in place for place in line["places"])
    assert QUESTION not in written.getvalue()
    assert line["request_id"] == response[HEADER]
    assert response[HEADER] in response.content.decode()


def test_each_request_has_an_id_of_its_own(client: Client) -> None:
    sent = {"HTTP_X_REQUEST_ID": "mine"}
    ids = {client.get("/healthz", **sent)[HEADER] for _ in range(2)}  # type: ignore[arg-type]
    assert len(ids) == 2
    assert "mine" not in ids
