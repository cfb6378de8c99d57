"""Publish figures for Prometheus at `/metrics`, counted from the database, so all processes agree.

They contain no text, name or address. Off unless MEDRAG_METRICS switches them on.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator
from http import HTTPStatus

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.crypto import constant_time_compare
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    Metric,
)
from prometheus_client.registry import Collector

from chat.audit.forwarding import backlog
from chat.selectors import LATENCY_BOUNDS_MS, TurnCount, turns_counted
from corpus.models import JobState
from corpus.selectors import jobs_counted, jobs_failed_counted, jobs_waiting_s, worker_age_s
from corpus.stops import stops_held
from medrag_site.release import release

_FORWARDED = ("HTTP_FORWARDED", "HTTP_X_FORWARDED_FOR", "HTTP_X_FORWARDED_PROTO")


@require_safe
@never_cache
def metrics(request: HttpRequest) -> HttpResponse:
    """Return the metrics, for the token of MEDRAG_METRICS or, if it has none, to this machine."""
    if not settings.METRICS:
        raise Http404
    if not _may_read(request):
        response = HttpResponse(
            "The metrics are open to a token (Authorization: Bearer ...) or, where "
            "MEDRAG_METRICS has none, to this machine without a proxy between.\n",
            status=HTTPStatus.UNAUTHORIZED,
            content_type="text/plain",
        )
        response["WWW-Authenticate"] = "Bearer"
        return response
    registry = CollectorRegistry()
    registry.register(SiteCollector())
    return HttpResponse(generate_latest(registry), content_type=CONTENT_TYPE_LATEST)


def _may_read(request: HttpRequest) -> bool:
    if settings.METRICS_TOKEN:
        sent = request.headers.get("Authorization", "")
        return constant_time_compare(sent, f"Bearer {settings.METRICS_TOKEN}")
    if any(name in request.META for name in _FORWARDED):
        return False  # a proxy on this machine forwarded it, from anywhere
    try:
        return ipaddress.ip_address(request.META.get("REMOTE_ADDR", "")).is_loopback
    except ValueError:  # a Unix socket has no address
        return False


class SiteCollector(Collector):
    """Counts turns, jobs and stops. Six queries a scrape; the one for turns reads an index only."""

    def collect(self) -> Iterator[Metric]:
        info = GaugeMetricFamily("medrag_release", "The release that runs.", labels=["release"])
        info.add_metric([release()], 1)
        yield info
        yield from _of_questions(turns_counted())
        yield from _of_jobs()
        if lack := backlog():
            yield GaugeMetricFamily(
                "medrag_audit_events_unsent", "Events that the collector lacks.", lack.events
            )
        doors = GaugeMetricFamily(
            "medrag_record_doors", "1: open to the patient's record.", labels=["door"]
        )
        for door in ("infobutton", "hooks", "launch"):
            doors.add_metric([door], bool(getattr(settings.RECORD, door)))
        yield doors
        held = len(stops_held().held)
        yield GaugeMetricFamily("medrag_answering_stops", "Stops of answering that hold.", held)


def _of_questions(counts: list[TurnCount]) -> Iterator[Metric]:
    questions = CounterMetricFamily(
        "medrag_questions", "Questions stored, evaluations' too.", labels=["channel", "outcome"]
    )
    refused = CounterMetricFamily(
        "medrag_refusals", "Questions refused.", labels=["channel", "reason"]
    )
    took = HistogramMetricFamily(
        "medrag_answer_seconds",
        "From question to stored outcome.",
        labels=["channel", "outcome"],
    )
    totals: dict[tuple[str, str], list[TurnCount]] = {}
    for count in counts:
        totals.setdefault((count.channel, count.status), []).append(count)
        if count.reason:
            refused.add_metric([count.channel, count.reason], count.turns)
    for labels, those in totals.items():
        turns = sum(count.turns for count in those)
        questions.add_metric(labels, turns)
        below = [sum(column) for column in zip(*(count.within for count in those), strict=True)]
        bounds = [str(bound / 1000) for bound in LATENCY_BOUNDS_MS]
        buckets = [*zip(bounds, below, strict=True), ("+Inf", turns)]
        took.add_metric(labels, buckets, sum(count.duration_ms for count in those) / 1000)
    yield from (questions, refused, took)


def _of_jobs() -> Iterator[Metric]:
    jobs = GaugeMetricFamily("medrag_jobs", "Documents by state of their job.", labels=["state"])
    counts = jobs_counted()
    for state in JobState.values:
        jobs.add_metric([state.lower()], counts.get(state, 0))
    failed = GaugeMetricFamily(
        "medrag_jobs_failed", "Documents that failed, by kind of error.", labels=["code"]
    )
    for code, count in jobs_failed_counted().items():
        failed.add_metric([code], count)
    waiting = GaugeMetricFamily(
        "medrag_jobs_oldest_waiting_seconds", "How long the oldest waits.", jobs_waiting_s()
    )
    yield from (jobs, failed, waiting)
    if (age_s := worker_age_s()) is not None:
        yield GaugeMetricFamily("medrag_worker_seen_seconds", "Since a worker was well.", age_s)
