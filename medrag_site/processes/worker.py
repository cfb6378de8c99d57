"""Run the worker: django-q2's cluster, watched by this process.

This process ends abandoned attempts (`corpus.indexing.jobs.sweep`), stores its heartbeat, and
restarts the cluster, with all its processes, when it died, or when work waits and nothing moves: a
cluster whose idle worker was killed looks alive and takes no task.
"""

from __future__ import annotations

import logging
import os
import secrets
import signal
import socket
import sys
import time
from contextlib import suppress
from datetime import timedelta

from django.conf import settings
from django.db import Error
from django.db.models.functions import Now
from django_q.scheduler import scheduler

from core.database_availability import refresh_connection
from core.wake_ups import waiting_for_s
from corpus import files
from corpus.indexing import jobs
from corpus.models import WorkerHeartbeat
from medrag_site.database.embedded import Watch
from medrag_site.processes.parent_death import die_with_parent
from medrag_site.processes.schedules import faults, schedules_sync
from medrag_site.processes.settings_digests import settings_digests
from medrag_site.processes.supervisor import Service, Supervisor

logger = logging.getLogger(__name__)

TICK_S = 1.0
LATE_S = 10.0  # of a tick: then this process was paused, and perhaps all others
LOOK_EVERY_TICKS = 5  # for checks that cost more with a long queue
GRACE_S = 3.0  # a job that takes longer is given back and goes on from its last step
FORGET_WORKERS_AFTER = timedelta(days=1)


class Worker:
    """Runs until a signal; then ends all its processes and gives their jobs back, uncounted."""

    def __init__(self) -> None:
        self._name = f"{socket.gethostname()}:{os.getpid()}"
        self._ticks = 0
        self._last_tick = self._undisturbed_since = time.monotonic()
        self._identity = ""  # new for each start, so that no earlier lease is taken for its own
        self._cluster = Service(
            name="the cluster that does the work",
            command=[sys.executable, "-m", "medrag_site.processes.cluster"],
            cwd=settings.BASE_DIR,
            environment=self._identified,
            grace_s=GRACE_S,
            on_death=lambda: self._release(count_attempt=True),
        )
        self._database_answers = True
        self._is_scheduled = False
        self._faults: list[str] = []  # sentences for staff
        self._settings = settings_digests()
        self._watch = Watch(settings.DATA_DIR) if settings.DATABASE_IS_EMBEDDED else None

    def run(self) -> None:
        die_with_parent(signal.SIGTERM)
        files.clear_stale()
        supervisor = Supervisor([self._cluster], tick=self._tick, tick_s=TICK_S)
        try:
            supervisor.run()
        finally:
            self._stopped()

    def _identified(self) -> dict[str, str]:
        self._identity = secrets.token_hex(4)
        return {jobs.WORKER_VARIABLE: self._identity}

    def _tick(self) -> None:
        """Repair, store the heartbeat and check for stalled work; the database may be away."""
        self._ticks += 1
        now = time.monotonic()
        if now - self._last_tick > LATE_S or not self._database_answers:
            self._undisturbed_since = now
        self._last_tick = now
        if self._watch:
            self._watch()
        try:
            refresh_connection()
            if not self._is_scheduled:
                schedules_sync()
                scheduler()  # the cluster's own first look is half a minute later
                self._is_scheduled = True
            self._beat()
            jobs.sweep()
            if self._ticks % LOOK_EVERY_TICKS == 0:
                self._faults = faults()
                self._restart_if_stalled()
            self._database_answers = True
        except Error as error:
            if self._database_answers:
                _log_away(error)
            self._database_answers = False

    def _restart_if_stalled(self) -> None:
        """Restart a cluster that takes no job, or nothing else beyond the time-out of a task."""
        waiting_s = max(jobs.stalled_for_s(), waiting_for_s() - settings.Q_CLUSTER["timeout"])
        undisturbed_s = time.monotonic() - self._undisturbed_since
        stalled_s = min(waiting_s, undisturbed_s, self._cluster.age_s)
        if self._cluster.pid is not None and stalled_s > settings.WORKER_STALL_S:
            self._cluster.restart(f"work has been waiting for {stalled_s:.0f} s")

    def _beat(self) -> None:
        detail = {
            "faults": self._faults,
            "restarts": self._cluster.restarts,
            "settings": self._settings,
        }
        WorkerHeartbeat.objects.update_or_create(
            name=self._name, defaults={"seen_at": Now(), "detail": detail}
        )
        WorkerHeartbeat.objects.filter(seen_at__lt=Now() - FORGET_WORKERS_AFTER).delete()

    def _release(self, *, count_attempt: bool) -> None:
        """Give back the jobs of processes that are gone, so that they can go on at once."""
        if not self._identity:
            return
        try:
            refresh_connection()
            jobs.give_back(self._identity, count_attempt=count_attempt)
        except Error as error:  # the leases run out by themselves
            _log_away(error)

    def _stopped(self) -> None:
        self._release(count_attempt=False)
        with suppress(Error):
            WorkerHeartbeat.objects.filter(name=self._name).delete()


def _log_away(error: Error) -> None:
    logger.error("the database can't be reached (%s)", type(error).__name__)
