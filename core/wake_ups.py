"""Wake the worker: enqueue a task of django-q2 for a row that waits.

A task is only a wake-up. It names a kind of work and the row that asked for it; what is to be done,
who does it and how often it was tried is in the rows. The queue is a table of the same database, so
a task is kept or lost with the transaction that makes its row wait. Nothing is lost with the queue:
the sweep and the schedules wake the worker again.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.db.models import DurationField, ExpressionWrapper, Min
from django.db.models.functions import Now
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
    return OrmQ.objects.filter(lock__lte=Now())


def waiting_for_s() -> float:
    """Return for how many seconds a task or a schedule has been overdue; else 0. Two queries."""
    tasks = tasks_waiting().aggregate(age=_age("lock"))["age"]
    schedules = Schedule.objects.exclude(repeats=0).aggregate(age=_age("next_run"))["age"]
    oldest: timedelta = max(filter(None, (tasks, schedules)), default=timedelta())
    return max(0.0, oldest.total_seconds())


def _age(field: str) -> Any:
    """Return the time since the earliest of a column, by the database's clock."""
    return ExpressionWrapper(Now() - Min(field), DurationField())
