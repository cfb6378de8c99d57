"""Keep django-q2's schedules as this release defines them, and tell how their last runs went."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django_q.models import Schedule, Task

from core.wake_ups import ANNOUNCING, EVALUATING, UNLIMITED, WATCHING, WORK
from medrag_site.processes.background import MONITORING, REEMBEDDING, RETRACTIONS

_TASKS = "medrag_site.processes.tasks."
SWEEPING, SIGNING, PRUNING, FORWARDING = "sweeping", "signing", "pruning", "forwarding"


def _kind(name: str, minutes: int) -> dict[str, Any]:
    options = f"q_options={{'timeout': {UNLIMITED}}}"
    return {"func": WORK, "args": repr(name), "kwargs": options, "minutes": minutes}


def _moment(func: str, minutes: int) -> dict[str, Any]:
    return {"func": f"{_TASKS}{func}", "args": None, "kwargs": None, "minutes": minutes}


# By name, which is the group of its tasks. Where rows wake the worker, this is the repair.
SCHEDULES = {
    EVALUATING: _kind(EVALUATING, 1),
    ANNOUNCING: _kind(ANNOUNCING, 1),
    REEMBEDDING: _kind(REEMBEDDING, 1),
    MONITORING: _kind(MONITORING, 10),
    RETRACTIONS: _kind(RETRACTIONS, 10),
    WATCHING: _kind(WATCHING, 10),
    SWEEPING: _moment("sweep", 1),
    SIGNING: _moment("sign_head", 1),
    FORWARDING: _moment("forward_log", 1),
    PRUNING: _moment("prune", 60),
}


@transaction.atomic
def schedules_sync() -> None:
    """Make or mend each schedule by its name, and delete all others: those of an earlier release.

    Two workers that start at once may both make one; the next start deletes the second.
    """
    kept = []
    for name, fields in SCHEDULES.items():
        fields = {**fields, "schedule_type": Schedule.MINUTES, "cluster": None, "repeats": -1}
        row = Schedule.objects.filter(name=name).order_by("pk").first()
        if row is None:
            row = Schedule.objects.create(name=name, **fields)
        else:
            Schedule.objects.filter(pk=row.pk).update(**fields)
        kept.append(row.pk)
    Schedule.objects.exclude(pk__in=kept).delete()


def went_well(name: str) -> bool:
    """Tell whether the last task of a schedule succeeded; False if there was none."""
    last = Task.objects.filter(group=name).order_by("-stopped").first()
    return last is not None and bool(last.success)


def faults() -> list[str]:
    """Return what the last tasks of the schedules failed with. Runs one query."""
    tasks = Task.objects.filter(group__in=SCHEDULES).order_by("group", "-stopped").distinct("group")
    return [str(task.result) for task in tasks if not task.success]
