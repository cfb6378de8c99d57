"""The worker: django-q2's cluster under our own watch.

The cluster does the work; this process mends what it loses (`corpus.indexing.jobs.sweep`), says
that it is well, and starts it again when it died or when work waits while nobody works.
"""

from __future__ import annotations

import logging
import os
import secrets
import signal
import socket
import sys
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta

from django.conf import settings
from django.db import Error
from django.db.models.functions import Now

from chat.audit.log import AGAIN, send_heads, sign_head_if_due
from core.database_availability import refresh_connection
from core.errors import MedragError
from corpus import files
from corpus.indexing import jobs, wakeups
from corpus.models import WorkerHeartbeat
from corpus.services.encoders import encoders_are_building
from evaluation.monitoring.selectors import are_days_missing
from evaluation.question_runs.selectors import are_runs_due
from evaluation.retractions.services import is_check_due
from medrag_site.processes.parent_death import die_with_parent
from medrag_site.processes.serve import watch_database
from medrag_site.processes.supervisor import Service, Supervisor
from medrag_site.sign_in.sessions import SessionStore
from webhooks.selectors import are_deliveries_due
from webhooks.services import deliveries_prune

logger = logging.getLogger(__name__)

TICK_S = 1.0
SIGN_EVERY_TICKS = 60
PRUNE_EVERY_TICKS = 3600
LOOK_EVERY_TICKS = 5  # what costs more with a long queue
GRACE_S = 3.0  # longer work is given back and goes on from its last step
FORGET_WORKERS_AFTER = timedelta(days=1)
# Kinds of `background`: what each does, whether it is due, and the seconds from when it ended well
# until it is begun again, though there may be more to do.
_BESIDE: dict[str, tuple[str, Callable[[], bool], float]] = {
    "reembedding": ("makes new vectors", encoders_are_building, 60.0),
    "evaluating": ("asks question sets", are_runs_due, 1.0),
    "announcing": ("sends webhooks", are_deliveries_due, 1.0),
    "monitoring": ("counts days", are_days_missing, 60.0),
    "retractions": ("looks for retractions", is_check_due, 60.0),
}


class Worker:
    """Runs until it is told to stop; then nothing of it is left, and no attempt is lost."""

    def __init__(self) -> None:
        self._name = f"{socket.gethostname()}:{os.getpid()}"
        self._cluster_id = ""
        self._ticks = 0
        self._queue = wakeups.Queue()
        self._cluster = Service(
            name="the queue's cluster",
            command=[sys.executable, "-m", "medrag_site.processes.cluster"],
            cwd=settings.BASE_DIR,
            environment=self._environment,
            grace_s=GRACE_S,
            is_due=lambda: self._database_answers,
            on_death=self._cluster_died,
        )
        self._database_answers = True
        self._faults: list[str] = []  # sentences for staff
        self._is_sent = False  # the last signed head; a worker before us may have failed to
        self._due: set[str] = set()  # kinds of work beside the queue
        self._beside = [self._background(kind, *told) for kind, told in _BESIDE.items()]
        self._watch = watch_database()

    def run(self) -> None:
        die_with_parent(signal.SIGTERM)
        files.clear_stale()
        wakeups.release_all()  # what a worker that was killed had fetched
        supervisor = Supervisor([self._cluster, *self._beside], tick=self._tick, tick_s=TICK_S)
        try:
            supervisor.run()
        finally:
            self._stopped()

    def _background(
        self, kind: str, what: str, is_due: Callable[[], bool], pause_s: float
    ) -> Service:
        return Service(
            name=f"the process that {what}",
            command=[sys.executable, "-m", "medrag_site.processes.background", kind],
            cwd=settings.BASE_DIR,
            grace_s=GRACE_S,
            is_due=lambda: self._database_answers and kind in self._due,
            pause_s=pause_s,
        )

    def _environment(self) -> dict[str, str]:
        """Return a new identity for each start: no lease of an earlier cluster is taken for
        ours.
        """
        self._cluster_id = secrets.token_hex(8)
        return {jobs.WORKER_VARIABLE: self._cluster_id}

    def _tick(self) -> None:
        """Mend, beat, and look whether work stands still. The database may be away for a while."""
        self._ticks += 1
        self._watch()
        try:
            refresh_connection()
            self._beat()
            if self._ticks % LOOK_EVERY_TICKS:
                jobs.end_expired(self._queue)
            else:
                jobs.sweep(self._queue)
                self._restart_if_stalled()
                self._due = {kind for kind, (_, is_due, _) in _BESIDE.items() if is_due()}
            if self._ticks % SIGN_EVERY_TICKS == 1:
                self._sign_head()
            if self._ticks % PRUNE_EVERY_TICKS == 1:
                deliveries_prune()
                SessionStore.clear_expired()
            self._database_answers = True
        except Error as error:
            if self._database_answers:
                _log_away(error)
            self._database_answers = False

    def _restart_if_stalled(self) -> None:
        stalled_s = min(jobs.stalled_for_s(), self._cluster.age_s)
        if stalled_s > settings.WORKER_STALL_S:
            self._cluster.restart(f"work has been waiting for {stalled_s:.0f} s")

    def _beat(self) -> None:
        detail = {
            "cluster": self._cluster.pid,
            "faults": self._faults,
            "restarts": self._cluster.restarts,
        }
        WorkerHeartbeat.objects.update_or_create(
            name=self._name, defaults={"seen_at": Now(), "detail": detail}
        )
        WorkerHeartbeat.objects.filter(seen_at__lt=Now() - FORGET_WORKERS_AFTER).delete()

    def _cluster_died(self) -> None:
        self._let_go(blameless=False)

    def _let_go(self, *, blameless: bool) -> None:
        """All its processes are gone: let its jobs and what it had fetched go on at once."""
        try:
            refresh_connection()
            jobs.give_back(self._cluster_id, self._queue, blameless=blameless)
            wakeups.release_all()
        except Error as error:  # the leases run out by themselves
            _log_away(error)

    def _sign_head(self) -> None:
        """Sign the log's head if it is due, and send it; what fails must not stop ingestion."""
        try:
            signed = sign_head_if_due()
        except MedragError as error:
            logger.error("The audit log's head is not signed. %s", error.sentence)
            self._faults = [f"The audit log's head is not signed. {error.sentence}"]
            return
        except OSError as error:
            logger.error("the audit log's head can't be signed (%s)", type(error).__name__)
            self._faults = [f"The audit log's head can't be signed: {error.strerror}. {AGAIN}"]
            return
        if signed or not self._is_sent:
            self._faults = send_heads()
            self._is_sent = not self._faults

    def _stopped(self) -> None:
        if self._cluster_id:
            self._let_go(blameless=True)
        with suppress(Error):
            WorkerHeartbeat.objects.filter(name=self._name).delete()


def _log_away(error: Error) -> None:
    logger.error("the database can't be reached (%s)", type(error).__name__)
