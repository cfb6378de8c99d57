"""Wake the worker: enqueue a task of django-q2 for a row that waits.

A task is only a wake-up. It names a kind of work and the row that asked for it; what is to be done,
who does it and how often it was tried is in the rows. The queue is a table of the same database, so
a task is kept or lost with the transaction that makes its row wait. Nothing is lost with the queue:
the sweep and the schedules wake the worker again.
"""

from __future__ import annotations

import datetime
from typing import Any

from django.db.models import Min
from django.utils import timezone
from django_q.models import OrmQ, Schedule
from django_q.tasks import async_task

WORK = "medrag_site.processes.tasks.work"
READING, EVALUATING, ANNOUNCING = "reading", "evaluating", "announcing"
WATCHING = "watching"
UNLIMITED = -1  # for the queue, whose time-out does not reach native code


def wake(kind: str, row: int | None = None) -> None:
    """Enqueue a wake-up in the caller's transaction. Runs one query."""
    name = kind if row is None else f"{kind} {row}"
    options = {"group": kind, "task_name": name, "timeout": UNLIMITED}
    async_task(WORK, kind, *(() if row is None else (row,)), q_options=options)


def tasks_waiting() -> Any:
    """Return the rows of tasks that no worker has taken."""
    return OrmQ.objects.filter(lock__lte=timezone.now())


def waiting_for_s() -> float:
    """Return for how many seconds a task or a schedule has been overdue; else 0. Two queries."""
    now = timezone.now()
    tasks = tasks_waiting().aggregate(since=Min("lock"))["since"]
    schedules = Schedule.objects.exclude(repeats=0).aggregate(since=Min("next_run"))["since"]
    since: datetime.datetime = min(filter(None, (now, tasks, schedules)))
    return (now - since).total_seconds()
