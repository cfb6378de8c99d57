"""Test `/metrics`: who may read it, and that it counts what is stored."""

import datetime
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from prometheus_client.parser import text_string_to_metric_families
from pytest_django import DjangoAssertNumQueries, Settings

from chat.models import Channel, Reason, TurnStatus
from corpus.models import Collection, Document, Job, JobState
from tests.chat.audit.audit_tools import store_turn

pytestmark = pytest.mark.django_db


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


@pytest.mark.parametrize(
    ("token", "sent", "status"),
    [
        ("", {}, 200),
        ("", {"REMOTE_ADDR": "10.0.0.7"}, 401),
        ("", {"HTTP_X_FORWARDED_FOR": "127.0.0.1"}, 401),
        ("", {"REMOTE_ADDR": ""}, 401),
        ("long and random", {}, 401),
        ("long and random", {"HTTP_AUTHORIZATION": "Bearer long"}, 401),
        ("long and random", {"HTTP_AUTHORIZATION": "Bearer long and random"}, 200),
    ],
)
def test_who_reads_them(
    token: str, sent: dict[str, Any], status: int, client: Client, settings: Settings
) -> None:
    settings.METRICS, settings.METRICS_TOKEN = True, token
    settings.SECURE_SSL_REDIRECT = True  # monitoring asks by HTTP, behind the proxy
    assert client.get("/metrics", **sent).status_code == status


def test_they_are_off_by_default(client: Client) -> None:
    assert client.get("/metrics").status_code == 404
