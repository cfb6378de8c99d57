"""The state of each document's ingestion, and of the workers."""

from __future__ import annotations

from typing import Any

from django.db import models
from django.db.models.functions import Now

from core.leases import Leased
from corpus.models.documents import Document

PDF_LOCKED = "pdf_encrypted"  # the code of the error


class JobState(models.TextChoices):
    PENDING = "PENDING", "Waiting"
    RUNNING = "RUNNING", "Running"
    DONE = "DONE", "Done"
    FAILED = "FAILED", "Failed"


class Stage(models.TextChoices):
    """The last completed step, from which the next attempt continues."""

    STORED = "STORED", "Stored"
    PARSED = "PARSED", "Parsed"
    CHUNKED = "CHUNKED", "Chunked"
    EMBEDDED = "EMBEDDED", "Embedded"
    INDEXED = "INDEXED", "Indexed"


def share_finished(stage: Stage, done: int = 0, total: int = 0) -> float:
    """Return the share of an ingestion that is finished, in [0, 1]; all steps count the same.

    `done` of `total` units belong to the step after `stage`.
    """
    stages = list(Stage)
    part = min(done / total, 1.0) if total else 0.0
    return (stages.index(stage) + part) / (len(stages) - 1)


class Job(Leased):
    """A document's ingestion, and an entry of the queue that workers take from.

    It is leased while RUNNING. `timings` holds the seconds of each step in
    `corpus.indexing.jobs.TIMED`, for the attempts that finished it.
    """

    document = models.OneToOneField(Document, on_delete=models.CASCADE, related_name="job")
    state = models.CharField(max_length=10, choices=JobState, default=JobState.PENDING)
    stage = models.CharField(max_length=10, choices=Stage, default=Stage.STORED)
    heartbeat_at = models.DateTimeField(null=True)
    done = models.PositiveIntegerField(default=0)  # units of the running step: pages, chunks
    total = models.PositiveIntegerField(default=0)
    # The largest share of this ingestion that was ever finished: steps may have to be repeated.
    progress = models.FloatField(default=0.0)
    error_code = models.CharField(max_length=50, blank=True)
    last_error = models.TextField(blank=True)
    enqueued_at = models.DateTimeField(db_default=Now())
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)
    timings: models.JSONField[dict[str, float], dict[str, float]] = models.JSONField(default=dict)

    class Meta:
        ordering = ["pk"]
        indexes = [models.Index(fields=["state", "lease_until"])]

    def __str__(self) -> str:
        return f"{self.state} after {self.stage}"

    @property
    def may_be_repeated(self) -> bool:
        """Whether it has ended, and not for what no repetition can change: a password."""
        is_locked = self.error_code == PDF_LOCKED
        return self.state == JobState.DONE or (self.state == JobState.FAILED and not is_locked)


class WorkerHeartbeat(models.Model):
    """When each worker supervisor last reported being well; read by `doctor`."""

    name = models.CharField(max_length=200, primary_key=True)  # host and process id
    seen_at = models.DateTimeField()
    detail: models.JSONField[dict[str, Any], dict[str, Any]] = models.JSONField(default=dict)

    def __str__(self) -> str:
        return self.name
