"""Test the API's errors: of a token, a request, a rate, and the site itself."""

import datetime
import logging
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import OperationalError
from django.test import Client
from django.utils import timezone
from knox.models import AuthToken
from psycopg.errors import DiskFull
from rest_framework.throttling import ScopedRateThrottle

from chat.models import Turn
from chat.sign_in.tokens import token_create
from tests.chat.api.api_calls import QUERY, SEARCH, assert_problem, post, signed_in


@pytest.fixture
def client(alice: User) -> Client:
    return signed_in(alice)


@pytest.mark.parametrize(
    "header",
    [
        "Token", "Token a b", "Token " + "0" * 64, "Token \xff\xfe", "Token " + "a" * 10_000,
        "Bearer", "Bearer abc", "Bearer a b", "Basic YWxpY2U6YWxpY2Utc2VjcmV0",
    ],
)  # fmt: skip
def test_a_wrong_token_is_401(client: Client, header: str) -> None:
    response = post(Client(), QUERY, {"question": "Why?"}, authorization=header)
    assert_problem(response, 401)
    assert response["WWW-Authenticate"] == "Bearer, Token"


def test_an_expired_token_is_401(client: Client) -> None:
    AuthToken.objects.update(expiry=timezone.now() - datetime.timedelta(seconds=1))
    assert_problem(post(client, QUERY, {"question": "Why?"}), 401)


def test_an_inactive_account_is_401(client: Client, alice: User) -> None:
    User.objects.filter(pk=alice.pk).update(is_active=False)
    assert_problem(post(client, QUERY, {"question": "Why?"}), 401)


@pytest.mark.parametrize(
    ("body", "pointer", "words"),
    [
        ({}, "#/question", "required"),
        ({"question": ""}, "#/question", "blank"),
        ({"question": " \x00\u200b "}, "#/question", "empty"),
        ({"question": "?!"}, "#/question", "empty"),
        ({"question": None}, "#/question", "null"),
        ({"question": ["a"]}, "#/question", "valid string"),
        ({"question": "a" * 100_000}, "#/question", "at most 2,000"),
        ({"question": "Why?", "colections": []}, "#/colections", "not known"),
        ({"question": "Why?", "~/\ud800": 1}, "#/~0~1\ufffd", "not known"),
        ({"question": "Why?", "collections": "chest"}, "#/collections", "list"),
        ({"question": "Why?", "collections": ["none"]}, "#/collections/0", "no such collection"),
        ({"question": "Why?", "collections": ["a b"]}, "#/collections/0", "slug"),
        ({"question": "Why?", "collections": [["a"]]}, "#/collections/0", "slug"),
        ({"question": "Why?", "collections": ["a"] * 51}, "#/collections", "50"),
        ({"question": "Why?", "filters": []}, "#/filters", "dictionary"),
        ({"question": "Why?", "filters": {"yaer": 1}}, "#/filters/yaer", "not known"),
        ({"question": "Why?", "filters": {"year_to": "x"}}, "#/filters/year_to", "integer"),
        ({"question": "Why?", "filters": {"issuers": "x"}}, "#/filters/issuers", "list"),
        ({"question": "Why?", "filters": {"source_types": ["song"]}}, "#/filters/source_types/0",
         "choice"),
        ([], "#", "dictionary"),
        ("null", "#", ""),
        ("5", "#", "dictionary"),
    ],
)  # fmt: skip
def test_a_wrong_question_is_400(client: Client, body: Any, pointer: str, words: str) -> None:
    problem = assert_problem(post(client, QUERY, body), 400)
    assert pointer in [error["pointer"] for error in problem["errors"]]
    assert words in problem["detail"]
    assert not Turn.objects.exists()


@pytest.mark.parametrize("k", [0, 51, -1, "a", 1.5, True, None, 10**400])
def test_a_wrong_k_is_400(client: Client, k: Any) -> None:
    problem = assert_problem(post(client, SEARCH, {"query": "Why?", "k": k}), 400)
    assert problem["errors"][0]["pointer"] == "#/k"


@pytest.mark.parametrize(
    "body",
    [
        b"", b"{", b"\xff\xfe", b'{"question": NaN}', b'{"question": "a", "question": "b"}',
        b"[" * 100_000, b'{"a":' * 50_000, b"1" * 5000, b'{"question": "a"} trailing',
    ],
)  # fmt: skip
def test_what_is_not_json_is_400(client: Client, body: bytes) -> None:
    assert_problem(post(client, QUERY, body), 400)


def test_a_body_that_is_too_large_is_413(client: Client) -> None:
    body = b'{"question": "' + b"a" * 1024**2 + b'"}'
    assert_problem(post(client, QUERY, body), 413)


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "image/png"])
def test_another_media_type_is_415(client: Client, kind: str) -> None:
    assert_problem(client.post(QUERY, "question=Why", content_type=kind), 415)


@pytest.mark.parametrize(
    "path", ["/api/v1/nothing", "/api/v1/users/%0A1", "/api/v1/query/", "/api/", "/api/v2/query"]
)
@pytest.mark.parametrize("method", ["get", "post", "delete"])
def test_an_unknown_path_is_a_404_in_the_same_form(db: None, path: str, method: str) -> None:
    assert_problem(getattr(Client(), method)(path), 404)


def test_too_many_requests_are_429_per_person(
    client: Client, bob: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ScopedRateThrottle, "THROTTLE_RATES", {"query": "3/min"})
    other = Client(headers={"authorization": f"Token {token_create(bob)}"})
    forged = [{"x-forwarded-for": f"10.0.0.{n}"} for n in range(4)]
    codes = [post(client, QUERY, {}, **header).status_code for header in forged]
    assert codes == [400, 400, 400, 429]
    response = post(client, SEARCH, {})
    assert_problem(response, 429)
    assert int(response["Retry-After"]) > 0
    assert post(other, QUERY, {}).status_code == 400


def test_an_unexpected_error_is_a_bare_500_and_no_question_in_the_log(
    client: Client, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(question: str, **_: Any) -> None:
        raise ZeroDivisionError(question)

    monkeypatch.setattr("chat.api.queries.turn_ask", fail)
    with caplog.at_level(logging.DEBUG):
        response = post(client, QUERY, {"question": "canary-7f3a?"})
    problem = assert_problem(response, 500)
    number = problem["instance"].removeprefix("urn:uuid:")
    assert any(number in record.getMessage() for record in caplog.records)
    assert any("ZeroDivisionError" in record.getMessage() for record in caplog.records)
    logged = " ".join(f"{record.getMessage()} {record.exc_text}" for record in caplog.records)
    assert "canary-7f3a" not in logged + response.content.decode()
    assert "Traceback" not in logged + response.content.decode()


@pytest.mark.parametrize(
    ("cause", "told"), [(None, "the database is away"), (DiskFull(), "the database's disk is full")]
)
def test_a_lost_database_is_503(
    cause: DiskFull | None,
    told: str,
    client: Client,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    def fail(question: str, **_: Any) -> None:
        raise OperationalError(question) from cause

    monkeypatch.setattr("chat.api.queries.turn_ask", fail)
    response = post(client, QUERY, {"question": "canary-7f3a?"})
    assert_problem(response, 503)
    assert response["Retry-After"] == "5"
    assert b"canary" not in response.content
    assert f"Nothing was answered: {told} (OperationalError)" in caplog.text
