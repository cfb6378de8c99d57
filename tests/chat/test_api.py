"""The API through the HTTP client: answers, refusals, limits and problems."""

import datetime
import json
import logging
from typing import Any

import pytest
from django.conf import LazySettings
from django.contrib.auth.models import User
from django.core.cache import cache
from django.db import OperationalError
from django.test import Client
from django.utils import timezone
from knox.models import AuthToken
from rest_framework.throttling import ScopedRateThrottle

from chat import audit
from chat.management.commands.api_token import token_create
from chat.models import AuditEvent, Channel, Turn
from chat.serializers import turn_payload
from corpus import search_vectors, statistics
from corpus.encoders.registry import get_embedder
from corpus.models import Chunk, Collection, Document, Lifecycle
from tests.chat.audit_tools import store_turn
from tests.corpora import embed, publish

TEXT = "Give demonstracillin 500 mg by mouth every 8 hours to adults with pneumonia."
QUESTION = "What is the dose of demonstracillin for adults with pneumonia?"
QUERY, SEARCH = "/api/v1/query", "/api/v1/search"
PROBLEM = "application/problem+json"


@pytest.fixture(autouse=True)
def fresh_rates() -> None:
    cache.clear()


@pytest.fixture
def client(alice: User) -> Client:
    """Signed in by a token, and showing errors as a server would."""
    token = token_create(alice)
    return Client(headers={"authorization": f"Token {token}"}, raise_request_exception=False)


@pytest.fixture
def guideline(db: None) -> Document:
    shelf = Collection.objects.create(slug="chest", name="Chest", owner_name="Dr Owner")
    document = Document.objects.create(
        sha256="c" * 64,
        filename="pneumonia.md",
        media_type="text/markdown",
        size_bytes=len(TEXT),
        collection=shelf,
        title="Pneumonia in adults",
        lifecycle=Lifecycle.PUBLISHED,
        indexed_at=timezone.now(),
    )
    document.pages.create(number=1, text=TEXT, blocks=[], width=595, height=842)
    chunk = Chunk.objects.create(
        key=f"{document.sha256}_p1_c0",
        document=document,
        index=0,
        page=1,
        section_path=["Treatment"],
        text=TEXT,
        spans=[[1, 0, len(TEXT)]],
        tokens=20,
        length=len(TEXT.split()),
    )
    embed([chunk], get_embedder().encode([TEXT]))
    search_vectors.write([chunk])
    statistics.add(document.pk)
    return document


def post(client: Client, path: str, body: Any, **headers: Any) -> Any:
    content = body if isinstance(body, str | bytes) else json.dumps(body)
    return client.post(path, content, content_type="application/json", headers=headers or None)


def assert_problem(response: Any, status: int, words: str = "") -> dict[str, Any]:
    assert response.status_code == status, response.content
    assert response["Content-Type"] == PROBLEM
    problem: dict[str, Any] = json.loads(response.content)
    assert problem["status"] == status
    assert problem["type"] == "about:blank"
    assert problem["title"]
    assert words in problem["detail"]
    return problem


def test_a_query_is_stored_audited_and_given_back(client: Client, guideline: Document) -> None:
    response = post(client, QUERY, {"question": QUESTION})
    assert response.status_code == 200, response.content
    assert response["Cache-Control"] == "no-store"
    turn = Turn.objects.get()
    assert response.json() == turn_payload(turn)
    assert turn.channel == Channel.API
    assert turn.user is not None
    assert turn.user.username == "alice"
    event = AuditEvent.objects.get(subject=f"turn:{turn.pk}")
    assert json.loads(event.payload)["digest"] == audit.turn_digest(Turn.objects.get())


def test_an_unknown_thing_is_refused_with_status_200(client: Client, guideline: Document) -> None:
    answer = post(client, QUERY, {"question": "What is the boiling point of tungsten?"}).json()
    assert answer["status"] == "abstained"
    assert answer["claims"] == []
    assert answer["reason"]
    assert answer["message"]


def test_filters_narrow_questions_and_searches(client: Client, guideline: Document) -> None:
    Document.objects.filter(pk=guideline.pk).update(specialty="Chest", year=2024)
    for filters, is_found in [
        ({"specialties": ["chest"], "year_from": 2024}, True),
        ({"specialties": ["heart"]}, False),
        ({"year_to": 2023}, False),
    ]:
        found = post(client, SEARCH, {"query": QUESTION, "filters": filters}).json()
        assert bool(found) == is_found
        answer = post(client, QUERY, {"question": QUESTION, "filters": filters}).json()
        assert (answer["reason"] != "NO_EVIDENCE") == is_found
        logged = json.loads(AuditEvent.objects.filter(action="search").latest("seq").payload)
        assert logged["filters"] == filters


def test_a_refusal_says_what_alone_was_searched(client: Client, guideline: Document) -> None:
    filters = {"populations": ["child"], "specialties": ["Heart"], "year_from": 2020}
    asked = {"question": QUESTION, "filters": filters}
    narrowed, plain = (
        post(client, QUERY, content).json()["message"]
        for content in (asked, {"question": "What is the boiling point of tungsten?"})
    )
    assert narrowed.endswith(". Searched only: child, Heart, from 2020.")
    assert "only" not in plain


def test_a_search_gives_as_many_as_it_is_asked_for(client: Client, settings: LazySettings) -> None:
    settings.RETRIEVAL = "adaptive_k=yes"
    for number in range(5):
        publish(f"# Demonstracillin {number}\nGive demonstracillin {number + 1} mg.")
    found = post(client, SEARCH, {"query": "demonstracillin?", "k": 5}).json()
    assert len(found) == 5


def test_what_went_wrong_in_a_search_is_in_the_log(
    client: Client, guideline: Document, settings: LazySettings
) -> None:
    post(client, SEARCH, {"query": QUESTION})
    assert "notes" not in json.loads(AuditEvent.objects.get(action="search").payload)
    settings.RETRIEVAL, settings.REWRITE_LLM_URL = "multi_query=2", ""
    post(client, SEARCH, {"query": QUESTION})
    (note,) = json.loads(AuditEvent.objects.filter(action="search").latest("seq").payload)["notes"]
    assert "MEDRAG_REWRITE_LLM_URL" in note


def test_a_search_is_a_list_and_audited_without_its_words(
    client: Client, guideline: Document
) -> None:
    response = post(client, SEARCH, {"query": QUESTION, "collections": ["chest"]})
    (hit,) = response.json()
    assert hit["score"] > 0
    del hit["score"]
    assert hit == {
        "rank": 1,
        "chunk": f"{guideline.sha256}_p1_c0",
        "document": "Pneumonia in adults",
        "page": 1,
        "section": "Treatment",
        "text": TEXT,
        "ocr_confidence": None,
        "also_in": [],
    }
    event = AuditEvent.objects.get(action="search")
    assert event.actor.endswith(":alice")
    assert "demonstracillin" not in event.payload
    assert json.loads(event.payload)["chunks"] == [hit["chunk"]]


def test_a_search_shows_what_stands_around_a_passage_where_asked(client: Client) -> None:
    lines = "\n".join(f"Step {n} of demonstracillin is said in a line." for n in range(200))
    publish(f"# Steps\n## Treatment\n{lines}")
    body = {"query": "step 90 of demonstracillin", "k": 2, "surroundings": True}
    hits = post(client, SEARCH, body).json()
    assert len(hits) == 2
    for hit in hits:
        around = hit["surroundings"]
        assert hit["text"] in around["text"]
        assert len(hit["text"]) < len(around["text"]) <= 2000
        assert around["pages"] == [1]
    plain = post(client, SEARCH, {**body, "surroundings": False}).json()
    assert all("surroundings" not in hit for hit in plain)
    assert_problem(post(client, SEARCH, {**body, "surroundings": "perhaps"}), 400)


@pytest.mark.parametrize("path", [QUERY, SEARCH])
def test_nobody_gets_in_without_a_token(client: Client, path: str) -> None:
    response = post(Client(), path, {"question": "Why?", "query": "Why?"})
    assert_problem(response, 401)
    assert response["WWW-Authenticate"] == "Token"
    assert not Turn.objects.exists()


@pytest.mark.parametrize(
    "header",
    [
        "Token",
        "Token a b",
        "Token " + "0" * 64,
        "Token \xff\xfe",
        "Token \x00",
        "Token " + "a" * 10_000,
        "Bearer abc",
        "Basic YWxpY2U6YWxpY2Utc2VjcmV0",
    ],
)
def test_a_wrong_token_is_401(client: Client, header: str) -> None:
    response = post(Client(), QUERY, {"question": "Why?"}, authorization=header)
    assert_problem(response, 401)
    assert response["WWW-Authenticate"] == "Token"


def test_a_session_is_no_token(client: Client, alice: User) -> None:
    browser = Client()
    browser.force_login(alice)
    assert_problem(post(browser, QUERY, {"question": "Why?"}), 401)


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
        (
            {"question": "Why?", "filters": {"source_types": ["song"]}},
            "#/filters/source_types/0",
            "choice",
        ),
        ([], "#", "dictionary"),
        ("null", "#", ""),
        ("5", "#", "dictionary"),
    ],
)
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
        b"",
        b"{",
        b"\xff\xfe",
        b'{"question": NaN}',
        b'{"question": "a", "question": "b"}',
        b"[" * 100_000,
        b'{"a":' * 50_000,
        b"1" * 5000,
        b'{"question": "a"} trailing',
    ],
)
def test_what_is_not_json_is_400(client: Client, body: bytes) -> None:
    assert_problem(post(client, QUERY, body), 400)


def test_a_body_that_is_too_large_is_413(client: Client) -> None:
    body = b'{"question": "' + b"a" * 1024**2 + b'"}'
    assert_problem(post(client, QUERY, body), 413)


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "image/png"])
def test_another_media_type_is_415(client: Client, kind: str) -> None:
    assert_problem(client.post(QUERY, "question=Why", content_type=kind), 415)


@pytest.mark.parametrize("method", ["get", "put", "patch", "delete"])
def test_another_method_is_405(client: Client, method: str) -> None:
    response = getattr(client, method)(QUERY)
    assert_problem(response, 405)
    assert "POST" in response["Allow"]


@pytest.mark.parametrize("path", ["/api/v1/nothing", "/api/v1/query/", "/api/", "/api/v2/query"])
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

    monkeypatch.setattr("chat.api.turn_ask", fail)
    with caplog.at_level(logging.DEBUG):
        response = post(client, QUERY, {"question": "canary-7f3a?"})
    problem = assert_problem(response, 500)
    number = problem["instance"].removeprefix("urn:uuid:")
    assert any(number in record.getMessage() for record in caplog.records)
    assert any("ZeroDivisionError" in record.getMessage() for record in caplog.records)
    logged = " ".join(f"{record.getMessage()} {record.exc_text}" for record in caplog.records)
    assert "canary-7f3a" not in logged + response.content.decode()
    assert "Traceback" not in logged + response.content.decode()


def test_a_lost_database_is_503(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(question: str, **_: Any) -> None:
        raise OperationalError(question)

    monkeypatch.setattr("chat.api.turn_ask", fail)
    response = post(client, QUERY, {"question": "canary-7f3a?"})
    assert_problem(response, 503)
    assert response["Retry-After"] == "5"
    assert b"canary" not in response.content


def test_the_payload_of_a_stored_answer(db: None, django_assert_num_queries: Any) -> None:
    turn = store_turn()
    with django_assert_num_queries(2):
        payload = turn_payload(turn)
    assert json.loads(json.dumps(payload)) == payload
    assert list(payload) == [
        "status",
        "reason",
        "message",
        "mode",
        "standalone",
        "option",
        "warnings",
        "withheld",
        "owner",
        "claims",
        "nearest",
        "confidence",
        "turn",
    ]
    assert (payload["reason"], payload["message"], payload["owner"]) == (None, None, None)
    assert payload["claims"][1] == {
        "text": "Give 2 mg µ≥½ 💊.",
        "kind": "answer",
        "citations": [
            {
                "document": "Guide",
                "sha256": "d" * 64,
                "page": 3,
                "section": "Dosing › Adults",
                "quote": "Give",
                "ocr_confidence": None,
            }
        ],
    }
