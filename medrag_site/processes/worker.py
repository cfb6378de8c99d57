"""Run the worker: processes that read documents and do other work, watched by this one.

This process ends abandoned attempts (`corpus.indexing.jobs.sweep`), stores its heartbeat, restarts
processes that died, and restarts the reading processes when work waits and none makes progress.
"""

from __future__ import annotations

import logging
import os
import secrets
import signal
import socket
import sys
from contextlib import suppress
from datetime import timedelta

from django.conf import settings
from django.db import Error
from django.db.models.functions import Now

from chat.audit.heads import sign_head_if_due
from chat.audit.heads_copy import AGAIN, send_heads
from core.database_availability import refresh_connection
from core.errors import MedragError
from corpus import files
from corpus.indexing import jobs
from corpus.models import WorkerHeartbeat
from medrag_site.database.embedded import Watch
from medrag_site.processes.background import KINDS, Kind
from medrag_site.processes.parent_death import die_with_parent
from medrag_site.processes.supervisor import Service, Supervisor
from medrag_site.sign_in.sessions import SessionStore
from webhooks.services import deliveries_prune

logger = logging.getLogger(__name__)

TICK_S = 1.0
SIGN_EVERY_TICKS = 60
PRUNE_EVERY_TICKS = 3600
LOOK_EVERY_TICKS = 5  # for checks that cost more with a long queue
GRACE_S = 3.0  # a job that takes longer is given back and goes on from its last step
FORGET_WORKERS_AFTER = timedelta(days=1)


class Worker:
    """Runs until a signal; then ends all its processes and gives their jobs back, uncounted."""

    def __init__(self) -> None:
        self._name = f"{socket.gethostname()}:{os.getpid()}"
        self._ticks = 0
        self._identities: dict[int, str] = {}  # of the reading processes, by number
        self._reading = [self._reader(number) for number in range(settings.WORKERS)]
        self._database_answers = True
        self._faults: list[str] = []  # sentences for staff
        self._is_sent = False  # the last signed head; an earlier worker may have failed to send it
        self._due: set[str] = set()  # kinds of background work
        self._beside = [self._background(*named) for named in KINDS.items()]
        self._watch = Watch(settings.DATA_DIR) if settings.DATABASE_IS_EMBEDDED else None

    def run(self) -> None:
        die_with_parent(signal.SIGTERM)
        files.clear_stale()
        supervisor = Supervisor([*self._reading, *self._beside], tick=self._tick, tick_s=TICK_S)
        try:
            supervisor.run()
        finally:
            self._stopped()

    def _background(self, name: str, kind: Kind) -> Service:
        return Service(
            name=f"the process that {kind.what}",
            command=[sys.executable, "-m", "medrag_site.processes.child", name],
            cwd=settings.BASE_DIR,
            grace_s=GRACE_S,
            is_due=lambda: self._database_answers and name in self._due,
            pause_s=kind.pause_s,
        )

    def _reader(self, number: int) -> Service:
        # Each start gets a new identity, so that no earlier lease is taken for its own.
        def identified() -> dict[str, str]:
            self._identities[number] = secrets.token_hex(8)
            return {jobs.WORKER_VARIABLE: self._identities[number]}

        return Service(
            name=f"process {number + 1} that reads documents",
            command=[sys.executable, "-m", "medrag_site.processes.child", "reading"],
            cwd=settings.BASE_DIR,
            environment=identified,
            grace_s=GRACE_S,
            is_due=lambda: self._database_answers,
            pause_s=0.0,
            on_death=lambda: self._release(self._identities[number], count_attempt=True),
        )

    def _tick(self) -> None:
        """Repair, store the heartbeat and check for stalled work; the database may be away."""
        self._ticks += 1
        if self._watch:
            self._watch()
        try:
            refresh_connection()
            self._beat()
            jobs.sweep()
            if self._ticks % LOOK_EVERY_TICKS == 0:
                self._restart_if_stalled()
                self._due = {name for name, kind in KINDS.items() if kind.is_due()}
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
        waiting_s = jobs.stalled_for_s()
        for reader in self._reading:
            stalled_s = min(waiting_s, reader.age_s)
            if reader.pid is not None and stalled_s > settings.WORKER_STALL_S:
                reader.restart(f"work has been waiting for {stalled_s:.0f} s")

    def _beat(self) -> None:
        detail = {
            "faults": self._faults,
            "restarts": sum(reader.restarts for reader in self._reading),
        }
        WorkerHeartbeat.objects.update_or_create(
            name=self._name, defaults={"seen_at": Now(), "detail": detail}
        )
        WorkerHeartbeat.objects.filter(seen_at__lt=Now() - FORGET_WORKERS_AFTER).delete()

    def _release(self, identity: str, *, count_attempt: bool) -> None:
        """Give back the job of a process that is gone, so that it can go on at once."""
        try:
            refresh_connection()
            jobs.give_back(identity, count_attempt=count_attempt)
        except Error as error:  # the lease runs out by itself
            _log_away(error)

    def _sign_head(self) -> None:
        """Sign the audit log's head if due, and send it; a failure must not stop ingestion."""
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
        for identity in self._identities.values():
            self._release(identity, count_attempt=False)
        with suppress(Error):
            WorkerHeartbeat.objects.filter(name=self._name).delete()


def _log_away(error: Error) -> None:
    logger.error("the database can't be reached (%s)", type(error).__name__)
