"""Test `/metrics`, and lines of the log: JSON if configured, with the request's id."""

import datetime
import json
import logging
from collections.abc import Iterator
from io import StringIO
from typing import Any

import pytest
from django.conf import settings as site
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone
from django.utils.module_loading import import_string
from prometheus_client.parser import text_string_to_metric_families
from pytest_django import DjangoAssertNumQueries, Settings

from chat.models import Channel, Reason, TurnStatus
from corpus.models import Collection, Document, Job, JobState
from medrag_site.request_log import HEADER, JsonLines
from tests.chat.audit.audit_tools import store_turn
from tests.tables import rows

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


def numbers(client: Client) -> dict[tuple[str, str], float]:
    """Return the values of samples by name and labels."""
    text = client.get("/metrics").content.decode()
    return {
        (sample.name, " ".join(value for _, value in sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def test_questions_and_jobs_are_counted(
    client: Client, settings: Settings, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    settings.METRICS = True
    for duration_ms in (400, 600):
        store_turn(channel=Channel.PAGE, duration_ms=duration_ms)
    store_turn(
        channel=Channel.PAGE,
        duration_ms=90_000,
        status=TurnStatus.ABSTAINED,
        reason=Reason.WEAK_EVIDENCE,
    )
    document = Document.objects.create(
        sha256="e" * 64, collection=Collection.objects.get(), title="Secret", size_bytes=1
    )
    Job.objects.create(document=document, state=JobState.FAILED, error_code="unreadable")
    with django_assert_num_queries(6):
        found = numbers(client)
    assert found["medrag_questions_total", "page answered"] == 2
    assert found["medrag_refusals_total", "page WEAK_EVIDENCE"] == 1
    assert found["medrag_answer_seconds_bucket", "page 0.5 answered"] == 1
    assert found["medrag_answer_seconds_bucket", "page 60.0 abstained"] == 0
    assert found["medrag_answer_seconds_bucket", "page +Inf abstained"] == 1
    assert found["medrag_answer_seconds_sum", "page answered"] == 1.0
    assert found["medrag_jobs", "failed"] == 1
    assert found["medrag_jobs", "pending"] == 0
    assert found["medrag_jobs_failed", "unreadable"] == 1
    assert b"Secret" not in client.get("/metrics").content


def test_the_oldest_job_that_waits_is_told(client: Client, settings: Settings) -> None:
    settings.METRICS = True
    shelf = Collection.objects.create(slug="a", name="A")
    document = Document.objects.create(sha256="e" * 64, collection=shelf, size_bytes=1)
    an_hour_ago = timezone.now() - datetime.timedelta(hours=1)
    Job.objects.create(document=document, enqueued_at=an_hour_ago)
    waits_s = numbers(client)["medrag_jobs_oldest_waiting_seconds", ""]
    assert 3600 <= waits_s < 3700


@pytest.mark.parametrize(("token", "sent", "status"), rows(__file__, "readers_of_metrics.jsonl"))
def test_who_reads_them(
    token: str, sent: dict[str, Any], status: int, client: Client, settings: Settings
) -> None:
    settings.METRICS, settings.METRICS_TOKEN = True, token
    settings.SECURE_SSL_REDIRECT = True  # monitoring asks by HTTP, behind the proxy
    assert client.get("/metrics", **sent).status_code == status


def test_they_are_off_by_default(client: Client) -> None:
    assert client.get("/metrics").status_code == 404
