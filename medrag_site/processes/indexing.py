"""Read documents: take the job that is due first, again and again.

The table of jobs is the whole queue, so no job is lost with a process.
"""

from __future__ import annotations

import signal
import threading

from django.conf import settings

from core.database_availability import refresh_connection
from corpus.sandbox.fork_servers import start_early
from corpus.services.indexing import document_index

LOOK_EVERY_S = 0.5
RECYCLE_AFTER = 500  # jobs; then a new process is started, which frees what native code leaked


def documents_read() -> None:
    """Index documents until SIGTERM or `RECYCLE_AFTER` jobs.

    After SIGTERM the current job may finish, within the worker's grace period.
    """
    stopping = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stopping.set())
    start_early()  # the template process that each document's child is forked from
    done = 0
    while done < RECYCLE_AFTER and not stopping.is_set():
        refresh_connection()
        # The signal's default action ends the process, even in native code that never returns.
        signal.alarm(settings.JOB_TIMEOUT_S)
        was_one_due = document_index()
        signal.alarm(0)
        done += was_one_due
        if not was_one_due:
            stopping.wait(LOOK_EVERY_S)
