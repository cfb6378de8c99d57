"""Define the kinds of background work.

Each is done in a child process (`child`), which a task of the queue starts and waits for (`tasks`):
a child can be ended in native code too, gives its memory back, and takes no worker of the queue
with it when it dies. There is a worker for every child that may run at once, so that no work waits
for another kind, however long that takes; slices that enqueue themselves again would load the
models each time. What is due is read from the database. A child that is ended loses at most one
vector batch, question or message, which is done again.
"""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from django.conf import settings
from django.core.management import call_command

from core.database_availability import refresh_connection
from core.wake_ups import ANNOUNCING, EVALUATING, READING, WATCHING
from corpus.indexing import jobs
from corpus.sandbox.fork_servers import start_early
from corpus.services.encoders import encoders_are_building
from corpus.services.indexing import document_index
from corpus.sources.looking import is_look_due, sources_look
from evaluation.models import DriftAlert, RetractionAlert
from evaluation.monitoring.selectors import are_days_missing
from evaluation.monitoring.services import days_close
from evaluation.question_runs.selectors import are_runs_due
from evaluation.question_runs.services import question_runs_execute_due
from evaluation.retractions.services import is_check_due, retractions_check
from webhooks.models import Event
from webhooks.receivers import guideline_payload
from webhooks.sending import are_deliveries_due, deliveries_send_due
from webhooks.services import event_announce

NICE = 10  # clinicians' questions come first, and files
STOPPED = 128 + signal.SIGTERM  # the status of a child that stopped because it was asked to
RECYCLE_AFTER = 500  # documents; then a new process is started, which frees what native code leaked
REEMBEDDING, MONITORING, RETRACTIONS = "reembedding", "monitoring", "retractions"


@dataclass(frozen=True)
class WorkKind:
    """A kind of background work.

    `is_due` tells whether there is work, by one query. `limit_s` ends a child that takes longer;
    None where the work may take days and its rows are leased. `at_once` children may run.
    """

    what: str
    is_due: Callable[[], bool]
    work: Callable[[], object]
    limit_s: float | None = None
    at_once: int = 1
    nice: int = NICE


def announce(alert: DriftAlert) -> None:
    """Announce to other systems that a measure drifts, without its figures."""
    payload = {"id": alert.pk, "measure": alert.measure, "began_on": alert.began_on.isoformat()}
    event_announce(Event.DRIFTED, lambda: payload)


def announce_retraction(alert: RetractionAlert) -> None:
    """Announce to other systems that a list of retractions names a document."""
    event_announce(
        Event.RETRACTED, lambda: guideline_payload(alert.document) | {"number": alert.number}
    )


def documents_read() -> None:
    """Read documents, the one due first before the others, until none is due.

    After SIGTERM the current one may finish, within the worker's grace period.
    """
    stopping = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stopping.set())
    start_early()  # the template process that each document's child is forked from
    for _ in range(RECYCLE_AFTER):
        refresh_connection()
        # The signal's default action ends the process, even in native code that never returns.
        signal.alarm(settings.JOB_TIMEOUT_S)
        was_one_due = document_index()
        signal.alarm(0)
        if stopping.is_set():
            sys.exit(STOPPED)
        if not was_one_due:
            return


def _ask_question_sets() -> None:
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(STOPPED))  # the item is given back
    question_runs_execute_due()


KINDS = {
    READING: WorkKind(
        "reads documents", jobs.are_due, documents_read, at_once=settings.WORKERS, nice=0
    ),
    REEMBEDDING: WorkKind(
        "makes new vectors",
        encoders_are_building,
        partial(call_command, "reembed", background=True),
    ),
    EVALUATING: WorkKind("asks question sets", are_runs_due, _ask_question_sets),
    ANNOUNCING: WorkKind("sends webhooks", are_deliveries_due, deliveries_send_due, nice=0),
    MONITORING: WorkKind(
        "counts days", are_days_missing, partial(days_close, announce), limit_s=3600.0
    ),
    RETRACTIONS: WorkKind(
        "looks for retractions",
        is_check_due,
        partial(retractions_check, announce_retraction),
        limit_s=3600.0,
    ),
    WATCHING: WorkKind("looks at sources", is_look_due, sources_look, limit_s=6 * 3600.0),
}
