"""Reads of the corpus that others use."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import Count, QuerySet
from django.db.models.functions import Now
from django.utils import timezone

from corpus.models import Document, Job, JobState, WorkerHeartbeat

WORKER_FRESH_S = 20.0


def documents_for_list() -> QuerySet[Document]:
    """Documents with what a list shows of them, newest first. One query."""
    return Document.objects.select_related("collection", "job", "uploaded_by")


@dataclass(frozen=True)
class Progress:
    """How many jobs are in each state."""

    pending: int = 0
    running: int = 0
    done: int = 0
    failed: int = 0

    @property
    def ended(self) -> int:
        return self.done + self.failed

    @property
    def total(self) -> int:
        return self.pending + self.running + self.ended


def jobs_progress(document_ids: Iterable[int] | None = None) -> Progress:
    """Jobs by state, of these documents or of all. One query."""
    jobs = Job.objects.order_by()
    if document_ids is not None:
        jobs = jobs.filter(document_id__in=list(document_ids))
    counts = dict(jobs.values_list("state").annotate(Count("pk")))
    return Progress(
        pending=counts.get(JobState.PENDING, 0),
        running=counts.get(JobState.RUNNING, 0),
        done=counts.get(JobState.DONE, 0),
        failed=counts.get(JobState.FAILED, 0),
    )


def jobs_running(document_ids: Iterable[int]) -> QuerySet[Job]:
    """Jobs of these documents that a worker holds, oldest first, with their documents."""
    running = Job.objects.filter(state=JobState.RUNNING, document_id__in=list(document_ids))
    return running.select_related("document").order_by("started_at")


def worker_age_s() -> float | None:
    """Seconds since a worker last said that it is well; None where none is known. One query."""
    latest = WorkerHeartbeat.objects.order_by("-seen_at").annotate(now=Now()).first()
    if latest is None:
        return None
    now = getattr(latest, "now", timezone.now())
    return float(max((now - latest.seen_at).total_seconds(), 0.0))


def worker_is_alive() -> bool:
    age_s = worker_age_s()
    return age_s is not None and age_s <= WORKER_FRESH_S
