"""The job queue: claims, leases, and the sweep that recovers lost jobs.

Every change of a job is one UPDATE that names the expected state (compare-and-set), by the
database's clock.

The table of jobs is the truth: a process that reads takes the job that is due first. A task of the
queue only wakes one (`core.wake_ups`), and is enqueued with each change that makes a job wait. The
sweep enqueues what was lost.

A job is due at the time it was queued plus the expected duration for a file of its size. So small
files go first among those that came together, and a job is only overtaken by shorter ones that
arrive within its own expected duration. If durations are as expected, no job takes more than twice
the longer of its times under first-come-first-served and under equal sharing. A running job yields
by the same rule, between its steps and after each batch of vectors, so that a short job waits for a
step of a long one rather than all of it. Parsing and cutting a file are not interrupted: they have
limits of their own.
"""

from __future__ import annotations

import os
import secrets
import uuid
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import connection, transaction
from django.db.models import (
    Case,
    DateTimeField,
    DurationField,
    Exists,
    ExpressionWrapper,
    F,
    Func,
    Q,
    QuerySet,
    Subquery,
    Value,
    When,
)
from django.db.models.functions import Now

from core.leases import FREE, UNCOUNTED, ends_in
from core.wake_ups import READING, tasks_waiting, wake
from corpus.indexing.leases import Lease, Preempted
from corpus.models import Document, Job, JobState, Stage, WorkerHeartbeat
from corpus.signals import document_failed

# 16 hex digits, the first half of a process's tokens; the first 8 are those of its worker
WORKER_VARIABLE = "MEDRAG_WORKER_ID"
SWEEP_LIMIT = 500
WORKER_LIVES_S = 10  # after its last heartbeat

STEP_NAMES = {
    Stage.STORED: "parsed",
    Stage.PARSED: "cut into passages",
    Stage.CHUNKED: "embedded",
    Stage.EMBEDDED: "indexed",
    Stage.INDEXED: "finished",
}


# What `Job.timings` counts, in order: starting the parser's process, its work, loading the encoder,
# cutting, encoding, the transactions that keep what was made, and the last one.
TIMED = ("start", "parse", "load", "chunk", "embed", "write", "finish")


# When a job is due: the sooner, the shorter its file. It is a time, so that waiting is ageing.
# For each byte about what it takes on one core: pages, or text that is nothing but text.
PACE, PACE_OF_TEXT = timedelta(minutes=1) / 2**20, timedelta(minutes=4) / 2**20
_PACE = Case(
    When(document__media_type__startswith="text/", then=Value(PACE_OF_TEXT)), default=Value(PACE)
)
DUE = ExpressionWrapper(
    F("enqueued_at")
    + ExpressionWrapper(F("document__size_bytes") * _PACE, output_field=DurationField()),
    output_field=DateTimeField(),
)


def _waiting() -> QuerySet[Job]:
    return Job.objects.filter(state=JobState.PENDING, attempts__lt=settings.JOB_MAX_ATTEMPTS)


def _ready() -> QuerySet[Job]:
    """Return waiting jobs that are not postponed; postponed ones are queued for a future time."""
    return _waiting().filter(enqueued_at__lte=Now())


def are_due() -> bool:
    """Tell whether a job may be begun now. Runs one query."""
    return _ready().exists()


@transaction.atomic(durable=True)
def claim(document_id: int | None = None) -> Lease | None:
    """Count an attempt and take a job's lease, committed; None if there is none.

    Without an id it takes the first due job that is not postponed or just being claimed.
    """
    is_any = document_id is None
    due = _ready().order_by(DUE, "pk") if is_any else _waiting().filter(document=document_id)
    begun = {"state": JobState.RUNNING, "lease_until": ends_in(settings.JOB_LEASE_S)}
    begun |= {"heartbeat_at": Now(), "started_at": Now(), "finished_at": None}
    begun |= {"done": 0, "total": 0}
    lease = Lease.claim(due, lambda _: begun, _new_token())
    if lease:
        lease.gives_way = is_any
    return lease


def yield_to_due(lease: Lease) -> None:
    """Requeue the job and raise Preempted if another job is due before it.

    Called where no work is lost: results are kept, the attempt doesn't count, and the due time
    stays. A job that somebody holds locked could not be claimed either and doesn't count. Raises
    LeaseLost. Runs one query if no other job is due.
    """
    if not lease.gives_way:
        return
    own = Job.objects.filter(pk=lease.job_id).values(due=DUE)
    earlier = _ready().alias(due=DUE).filter(due__lt=Subquery(own)).order_by()
    with transaction.atomic():
        free = earlier.select_for_update(skip_locked=True, of=("self",))
        if not free.values_list("pk", flat=True)[:1]:
            return
        lease.hold(state=JobState.PENDING, timings=lease.timings, **UNCOUNTED)
        wake(READING, lease.document_id)
    raise Preempted(f"Document {lease.document_id} waits for shorter work.")


@transaction.atomic
def attempt_failed(lease: Lease, *, code: str, reason: str, retryable: bool) -> None:
    """Record a failed attempt: queue the next one, or fail the job. Raises LeaseLost."""
    if retryable and lease.attempt < settings.JOB_MAX_ATTEMPTS:
        lease.hold(
            state=JobState.PENDING, error_code=code, last_error=reason, enqueued_at=Now(), **FREE
        )
        wake(READING, lease.document_id)
        return
    if lease.attempt > 1:
        reason = f"{reason} It was tried {lease.attempt} times."
    lease.hold(state=JobState.FAILED, error_code=code, last_error=reason, finished_at=Now(), **FREE)
    _announce_failure(lease.document_id, code)


def requeue_uncounted(lease: Lease, *, code: str, reason: str, after_s: float = 0.0) -> bool:
    """Queue the job again in `after_s` seconds without counting the attempt.

    For failures that are not the document's fault. The sweep wakes the worker then. Returns whether
    the reason is new. Raises LeaseLost.
    """
    is_told = lease.held().filter(error_code=code).exists()
    waiting = {"state": JobState.PENDING, "enqueued_at": ends_in(after_s), **UNCOUNTED}
    if not lease.end(error_code=code, last_error=reason, **waiting):
        raise lease.lost()
    return not is_told


def database_restarted(lease: Lease) -> bool:
    """Tell whether the database restarted during the attempt, which explains its failure.

    A server that ends all connections after a crash of one of its processes doesn't restart: this
    document may have caused the crash.
    """
    return Job.objects.filter(pk=lease.job_id, started_at__lt=_DatabaseStart()).exists()


@dataclass(frozen=True)
class Swept:
    """The number of expired attempts, by what became of their jobs."""

    requeued: int = 0
    failed: int = 0


@transaction.atomic
def sweep() -> Swept:
    """End attempts whose lease expired, and wake the worker for jobs whose task was lost.

    Idempotent; several sweeps may run at once.

    After a restart of the database expired leases get their full time again, since nobody could
    extend them while it was away.
    """
    answers_since = _DatabaseStart() + timedelta(seconds=settings.JOB_LEASE_S)
    expired = Job.objects.alias(answers_since=answers_since).filter(
        Q(answers_since__lte=Now()) | Q(started_at__gt=_DatabaseStart()),
        state=JobState.RUNNING,
        lease_until__lte=Now(),
    )
    requeued = failed = 0
    for job in expired.select_for_update(skip_locked=True).order_by("pk")[:SWEEP_LIMIT]:
        if job.attempts < settings.JOB_MAX_ATTEMPTS:
            _update(job, state=JobState.PENDING, enqueued_at=Now(), **FREE)
            wake(READING, job.document_id)
            requeued += 1
            continue
        why = {"error_code": "worker_stopped", "last_error": _stopped_reason(job)}
        _update(job, state=JobState.FAILED, finished_at=Now(), **why, **FREE)
        _announce_failure(job.document_id, "worker_stopped")
        failed += 1
    _wake_lost()
    return Swept(requeued, failed)


def _wake_lost() -> None:
    """Enqueue a wake-up for each due job that a worker could begin, if no task waits for one.

    A process that reads goes on until no job is due, so jobs that wait for a place need no task.
    Runs one query if no job is due.
    """
    lost = _ready().exclude(Exists(tasks_waiting())).order_by(DUE, "pk")
    documents = list(lost.values_list("document_id", flat=True)[: settings.WORKERS])
    if not documents:
        return
    living = Now() - timedelta(seconds=WORKER_LIVES_S)
    workers = WorkerHeartbeat.objects.filter(seen_at__gt=living).count()
    at_work = Job.objects.filter(state=JobState.RUNNING, lease_until__gt=Now()).count()
    for document_id in documents[: max(workers, 1) * settings.WORKERS - at_work]:
        wake(READING, document_id)


@transaction.atomic
def give_back(identity: str, *, count_attempt: bool) -> int:
    """End the leases of a dead process, or a dead worker's, by its first 16 or 8 digits.

    Returns how many. Without `count_attempt` the process was stopped on purpose, and its jobs
    continue at once.
    """
    low, high = (uuid.UUID(identity.ljust(32, digit)) for digit in "0f")
    held = Job.objects.filter(
        state=JobState.RUNNING, lease_token__gte=low, lease_token__lte=high
    ).select_for_update()
    jobs = list(held.order_by("pk"))
    for job in jobs:
        if count_attempt:
            _update(job, lease_until=Now())
        else:
            _update(job, state=JobState.PENDING, enqueued_at=Now(), **UNCOUNTED)
            wake(READING, job.document_id)
    return len(jobs)


_STALLED_SQL = """
SELECT extract(epoch FROM statement_timestamp() - greatest(
    min(enqueued_at) FILTER (WHERE state = 'PENDING'), max(heartbeat_at), max(finished_at)))
FROM corpus_job
HAVING count(*) FILTER (WHERE state = 'PENDING') > 0
   AND count(*) FILTER (WHERE state = 'RUNNING' AND lease_until > statement_timestamp()) = 0
"""


def stalled_for_s() -> float:
    """Return how many seconds jobs have waited with no worker active; else 0. Runs one query."""
    with connection.cursor() as cursor:
        cursor.execute(_STALLED_SQL)
        row = cursor.fetchone()
    return max(float(row[0]), 0.0) if row else 0.0


class _DatabaseStart(Func):
    function = "pg_postmaster_start_time"
    output_field = DateTimeField()


def _update(job: Job, **changes: Any) -> None:
    Job.objects.filter(pk=job.pk).update(**changes)


def _announce_failure(document_id: int, code: str) -> None:
    document = Document.objects.get(pk=document_id)
    document_failed.send(Document, document=document, actor=None, code=code)


def _stopped_reason(job: Job) -> str:
    return (
        f"The worker stopped {job.attempts} times while this document was being "
        f"{STEP_NAMES[Stage(job.stage)]}. The file may need more memory or time than there is: "
        f"split it or save it again, then press Read again."
    )


def _new_token() -> uuid.UUID:
    return uuid.UUID(os.environ.get(WORKER_VARIABLE, "0" * 16) + secrets.token_hex(8))
