"""Leases of jobs: how they are kept during long work, and how a loss of one is noticed.

A worker that lost its lease notices within seconds, and its child process is killed.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, wait
from dataclasses import dataclass, field
from typing import Any, TypeVar

from django.conf import settings
from django.db import Error, connection
from django.db.models import QuerySet
from django.db.models.functions import Greatest, Now

from core import leases
from core.database_availability import is_away
from core.errors import MedragError
from core.leases import ends_in
from corpus.models import Job, Stage, share_finished

T = TypeVar("T")

BEAT_S = 2.0  # between two signs of life, each of which finds out whether the lease was lost


class Preempted(MedragError):
    """Shorter work is due first: the job waits again, with all results kept."""

    retryable = True


class LeaseLost(MedragError):
    """Another attempt may be running: stop, and write nothing."""

    retryable = True


@dataclass
class Lease(leases.Lease[Job]):
    """The lease of a job, extended by each write and by heartbeats."""

    gives_way: bool = False  # to what is due before it: not where somebody asked for this one
    _beaten: float = field(default_factory=time.monotonic)
    _lapped: float = field(default_factory=time.monotonic)
    _shown: tuple[int, int] = (0, 0)

    def __post_init__(self) -> None:
        self.job_id, self.document_id = self.row.pk, self.row.document_id
        self.attempt, self.stage = self.row.attempts, Stage(self.row.stage)
        self.timings = dict(self.row.timings)  # seconds by step, as in TIMED

    def hold(self, for_s: float = 0.0, /, **changes: Any) -> None:
        """Check and extend the lease while changing the job's row. Raises LeaseLost.

        Call it first in each transaction that writes: the row stays locked until the commit.
        `for_s` is how long the transaction may take, if longer than a lease. The progress never
        goes back.
        """
        until = ends_in(max(for_s, settings.JOB_LEASE_S))
        if "stage" in changes:
            changes["progress"] = Greatest("progress", share_finished(changes["stage"]))
        elif "done" in changes:
            part = share_finished(self.stage, changes["done"], changes["total"])
            changes["progress"] = Greatest("progress", part)
        changes = {"lease_until": until, "heartbeat_at": Now(), **changes}
        if self._running().update(**changes) != 1:
            raise self.lost()
        self._beaten = time.monotonic()

    def _running(self) -> QuerySet[Job]:
        return self.held().filter(lease_until__gt=Now())

    def lost(self) -> LeaseLost:
        """Return the error of a lease that was lost."""
        return LeaseLost(f"The lease on document {self.document_id} was lost.")

    def lap(self, step: str) -> None:
        """Add the time since the last lap to `step`."""
        now = time.monotonic()
        self.timings[step] = round(self.timings.get(step, 0.0) + now - self._lapped, 4)
        self._lapped = now

    def progress(self, done: int, total: int) -> None:
        """Show the progress of the running step, a few times a second at most. Raises LeaseLost.

        Called at least once a second, it notices a lost lease within BEAT_S plus a second.
        """
        quiet_s = time.monotonic() - self._beaten
        if quiet_s >= _beat_s() or (self._shown != (done, total) and quiet_s >= 0.3):
            self.hold(done=done, total=total)
            self._shown = (done, total)

    def run(self, work: Callable[[], T], *, limit_s: float, head_start_s: float = 0.0) -> T:
        """Run `work` in a thread while extending the lease; return its result or raise its error.

        For long calls without database access. Raises LeaseLost as soon as the lease is lost,
        without waiting for `work`. After `limit_s` the lease is no longer extended, so a hanging
        call loses it. `head_start_s` extends it at once, for a call that may block this thread.
        """
        if head_start_s:
            self._hold_on(head_start_s)
        future: Future[T] = Future()
        threading.Thread(target=_fulfil, args=(future, work), daemon=True).start()
        return self.result_of(future, limit_s=limit_s)

    def result_of(self, future: Future[T], *, limit_s: float) -> T:
        """Wait for running work as `run` does; keeps waiting while the database is away."""
        deadline = time.monotonic() + limit_s
        while not wait([future], timeout=_beat_s()).done:
            try:
                if time.monotonic() < deadline:
                    self._hold_on(settings.JOB_LEASE_S)
                elif not self._running().exists():
                    raise self.lost()
            except Error as error:
                if not is_away(error):
                    raise
                connection.close()  # the next write says so, where it is away still
        return future.result()

    def _hold_on(self, for_s: float) -> None:
        self.hold(lease_until=Greatest("lease_until", ends_in(for_s)))


def _fulfil(future: Future[T], work: Callable[[], T]) -> None:
    try:
        future.set_result(work())
    except BaseException as error:  # noqa: BLE001  raised again where it is waited for
        future.set_exception(error)


def _beat_s() -> float:
    return min(BEAT_S, settings.JOB_LEASE_S / 4)
