"""Define the tasks of the queue: a wake-up for each kind of work, and what takes a moment."""

from __future__ import annotations

import os
import secrets
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

from axes.models import AccessAttempt
from django.conf import settings
from django.db import connections
from django.db.models.functions import Now
from django.dispatch import receiver
from django_q.models import Failure
from django_q.signals import post_execute_in_worker

from chat.audit import forwarding
from chat.audit.heads import sign_head_if_due
from chat.audit.heads_copy import AGAIN, send_heads
from chat.models import SpentToken
from chat.sign_in.sessions import SessionStore
from core.errors import MedragError
from corpus.indexing import jobs
from corpus.indexing.failures import describe
from corpus.services.lifecycle import successions_make_due
from medrag_site.processes.background import KINDS, STOPPED, WorkKind
from medrag_site.processes.parent_death import PARENT_VARIABLE
from medrag_site.processes.schedules import SIGNING, went_well
from webhooks.services import deliveries_prune

KEEP_FAILURES = timedelta(days=30)


class TaskFailed(MedragError):
    """What happened, as the administration shows it."""


@contextmanager
def _told_plainly() -> Iterator[None]:
    """Fail with a sentence: the text of an unexpected error may quote a question."""
    try:
        yield
    except MedragError as error:
        raise TaskFailed(error.sentence) from None
    except Exception as error:  # noqa: BLE001
        raise TaskFailed(f"It failed ({describe(error)}). {AGAIN}") from None


@receiver(post_execute_in_worker)
def without_traceback(sender: object, *, task: dict[str, Any], **more: Any) -> None:
    """Keep the traceback of a failure out of the log and the administration."""
    if not task["success"]:
        task["result"] = task["result"].partition(" : Traceback")[0]


@_told_plainly()
def work(name: str, row: int | None = None) -> None:
    """Do what is due of a kind, in a child process; return at once if enough of them are at it.

    `row` is who asked for it. What is due first is done first, whoever asked: the queue keeps no
    order, the rows do. Once a child has ended it looks again, since the wake-up of what came in
    that moment found no free place.
    """
    kind = KINDS[name]
    while kind.is_due():
        with _place(name, kind.at_once) as is_free:
            if not is_free or _child_ended(name, kind) == STOPPED:
                return


@contextmanager
def _place(name: str, count: int) -> Iterator[bool]:
    """Hold one of `count` places of this worker within the block; False if all are taken.

    A place is the name of an abstract socket (Linux), which the kernel frees with its process.
    """
    of = os.environ.get(jobs.WORKER_VARIABLE, "")
    with socket.socket(socket.AF_UNIX) as held:
        for number in range(count):
            try:
                held.bind(f"\0medrag {of} {name} {number}")
            except OSError:
                continue
            yield True
            return
        yield False


def _child_ended(name: str, kind: WorkKind) -> int:
    """Run a child to its end and return its status, 0 or STOPPED. Raises TaskFailed."""
    # Each start gets a new identity, so that no earlier lease is taken for its own.
    identity = (os.environ.get(jobs.WORKER_VARIABLE, "") + secrets.token_hex(8))[:16]
    named = {jobs.WORKER_VARIABLE: identity, PARENT_VARIABLE: str(os.getpid())}
    connections.close_all()  # it may take hours
    try:
        status = subprocess.run(
            [sys.executable, "-m", "medrag_site.processes.child", name],
            cwd=settings.BASE_DIR,
            env={**os.environ, **named},
            stdin=subprocess.DEVNULL,
            timeout=kind.limit_s,
        ).returncode
    except subprocess.TimeoutExpired:
        raise TaskFailed(
            f"The process that {kind.what} took more than {kind.limit_s:.0f} s and was ended.",
            hint=AGAIN,
        ) from None
    if status in (STOPPED, -signal.SIGTERM):
        return STOPPED
    if status:
        jobs.give_back(identity, count_attempt=True)
        why = "The worker's log says why."
        raise TaskFailed(f"The process that {kind.what} ended with status {status}.", hint=why)
    return 0


@_told_plainly()
def sweep() -> None:
    """End abandoned attempts, wake the worker for lost tasks, and supersede what is due today."""
    jobs.sweep()
    successions_make_due()


@_told_plainly()
def sign_head() -> None:
    """Sign the audit log's head if due, and send it if it is new or was not sent before."""
    try:
        signed = sign_head_if_due()
    except MedragError as error:
        raise TaskFailed(f"The audit log's head is not signed. {error.sentence}") from None
    except OSError as error:
        sentence = f"The audit log's head can't be signed: {error.strerror}."
        raise TaskFailed(sentence, hint=AGAIN) from None
    if (signed or not went_well(SIGNING)) and (faults := send_heads()):
        raise TaskFailed(" ".join(faults))


@_told_plainly()
def forward_log() -> None:
    """Send the audit log's new events to the collector, if there is one."""
    if fault := forwarding.forward_log():
        raise TaskFailed(f"The audit log could not be sent: {fault}", hint=forwarding.AGAIN)


@_told_plainly()
def prune() -> None:
    """Delete old deliveries and failures, of tasks and sign-ins, ended sessions, spent tokens."""
    deliveries_prune()
    AccessAttempt.objects.filter(attempt_time__lt=Now() - KEEP_FAILURES).delete()
    SessionStore.clear_expired()
    SpentToken.objects.filter(ends__lt=Now()).delete()
    Failure.objects.filter(stopped__lt=Now() - KEEP_FAILURES).delete()
