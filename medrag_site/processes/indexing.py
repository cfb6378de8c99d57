"""Read documents: the job that is due first, again and again.

The table of jobs is all there is of a queue, so nothing that is to be done can be lost with a
process.
"""

from __future__ import annotations

import signal
import threading

from django.conf import settings

from core.database_availability import refresh_connection
from corpus.sandbox.fork_servers import start_early
from corpus.services.indexing import document_index

LOOK_EVERY_S = 0.5
RECYCLE_AFTER = 500  # jobs: then the worker starts another, and what native code lost is free


def documents_read() -> None:
    """Work until SIGTERM, which lets a job end that ends within the worker's grace."""
    stopping = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stopping.set())
    start_early()  # the first document's child is forked from it
    done = 0
    while done < RECYCLE_AFTER and not stopping.is_set():
        refresh_connection()
        # The signal's own action ends the process, also where native code computes for ever.
        signal.alarm(settings.JOB_TIMEOUT_S)
        was_one_due = document_index()
        signal.alarm(0)
        done += was_one_due
        if not was_one_due:
            stopping.wait(LOOK_EVERY_S)
