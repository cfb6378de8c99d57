"""Test the queue of background work: what is enqueued, repaired, scheduled and shown."""

import subprocess
from datetime import timedelta
from typing import Any

import pytest
from django.conf import LazySettings
from django.contrib.auth.models import User
from django.db import connections, transaction
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from django_q.models import Failure, OrmQ, Schedule, Task
from django_q.scheduler import scheduler

from core.wake_ups import READING, waiting_for_s, wake
from corpus.indexing import jobs
from corpus.models import Job, JobState
from medrag_site.processes import tasks
from medrag_site.processes.background import STOPPED
from medrag_site.processes.broker import LastingBroker
from medrag_site.processes.checks import check_retry
from medrag_site.processes.schedules import SCHEDULES, SIGNING, faults, schedules_sync
from tests.corpus.documents import guideline, ingest
from tests.people import client_of

pytestmark = pytest.mark.django_db
FAILED = "The head could not be sent."


def enqueued() -> list[tuple[Any, ...]]:
    return [row.task["args"] for row in OrmQ.objects.order_by("pk")]


def ended(name: str, **fields: Any) -> Task:
    now = timezone.now()
    made = {"started": now, "stopped": now, "func": "f", "name": name, "group": name, **fields}
    return Task.objects.create(id=f"{Task.objects.count():032}", **made)


def test_a_task_holds_the_id_and_is_lost_with_the_transaction_of_its_row() -> None:
    document = ingest()
    assert enqueued() == [(READING, document.pk)]
    with pytest.raises(ZeroDivisionError), transaction.atomic():
        ingest(guideline())
        raise ZeroDivisionError
    assert enqueued() == [(READING, document.pk)]


def test_an_emptied_queue_is_filled_from_the_rows(settings: LazySettings) -> None:
    settings.WORKERS = 2
    documents = [ingest(f"# Guide {number}\n\nGive it.\n").pk for number in range(3)]
    Job.objects.filter(document=documents[0]).update(
        enqueued_at=timezone.now() + timedelta(hours=1)
    )
    OrmQ.objects.all().delete()
    jobs.sweep()
    assert sorted(enqueued()) == [(READING, pk) for pk in documents[1:]]
    jobs.sweep()  # what waits in the queue is not lost
    assert len(enqueued()) == 2
    OrmQ.objects.all().delete()
    assert jobs.claim(documents[1])
    jobs.sweep()  # one of two places is taken
    assert enqueued() == [(READING, documents[2])]


def test_a_task_taken_by_a_worker_that_died_is_lost_too() -> None:
    document = ingest()
    OrmQ.objects.update(lock=timezone.now() + timedelta(days=1))
    jobs.sweep()
    assert enqueued() == [(READING, document.pk)] * 2


def test_an_expired_attempt_is_enqueued_again() -> None:
    document = ingest()
    assert jobs.claim(document.pk)
    OrmQ.objects.all().delete()
    Job.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    jobs.sweep()
    assert Job.objects.get().state == JobState.PENDING
    assert enqueued() == [(READING, document.pk)]


def test_work_is_left_to_the_children_that_are_at_it(
    monkeypatch: pytest.MonkeyPatch, settings: LazySettings
) -> None:
    begun: list[str] = []

    def run(command: list[str], **options: Any) -> subprocess.CompletedProcess[bytes]:
        begun.append(command[-1])
        tasks.work(READING)  # as by another worker meanwhile
        return subprocess.CompletedProcess(command, STOPPED)

    monkeypatch.setattr(subprocess, "run", run)
    monkeypatch.setattr(connections, "close_all", lambda: None)
    tasks.work(READING)
    assert begun == []  # nothing is due
    ingest()
    tasks.work(READING)
    assert begun == [READING] * settings.WORKERS


def test_schedules_are_made_once_and_mended() -> None:
    Schedule.objects.create(name="old", func="corpus.tasks.gone")
    Schedule.objects.create(name=SIGNING, func="os.getcwd", minutes=9)
    for _ in range(2):
        schedules_sync()
    rows = {row.name: (row.func, row.minutes, row.schedule_type) for row in Schedule.objects.all()}
    assert rows.keys() == SCHEDULES.keys()
    assert Schedule.objects.count() == len(SCHEDULES)
    assert rows[SIGNING] == ("medrag_site.processes.tasks.sign_head", 1, Schedule.MINUTES)


def test_schedules_become_tasks_that_can_be_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("django_q.scheduler.close_old_django_connections", lambda: None)
    schedules_sync()
    scheduler()
    queued = {row.task["group"]: row.task for row in OrmQ.objects.all()}
    assert queued.keys() == SCHEDULES.keys()
    for name, task in queued.items():
        assert callable(getattr(tasks, task["func"].rpartition(".")[2]))
        is_long = task["func"].endswith(".work")
        assert task["args"] == ((name,) if is_long else ())
        assert task.get("timeout") == (-1 if is_long else None)
    assert waiting_for_s() < 60
    Schedule.objects.update(next_run=timezone.now() - timedelta(hours=1))
    assert waiting_for_s() > 3000


def test_an_old_task_that_no_worker_takes_is_overdue() -> None:
    assert waiting_for_s() == 0
    wake(READING, 1)
    OrmQ.objects.update(lock=timezone.now() - timedelta(hours=1))
    assert waiting_for_s() > 3000


@pytest.mark.parametrize("off", [timedelta(minutes=5), timedelta(minutes=-5)])
def test_a_machine_with_a_wrong_clock_delays_no_task(
    off: timedelta, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it enqueues is taken at once, it takes at once, and nothing is overdue to it."""
    now = timezone.now
    for enqueuing, taking in ((off, timedelta()), (timedelta(), off)):
        monkeypatch.setattr(timezone, "now", lambda: now() + enqueuing)  # noqa: B023
        wake(READING, 1)
        monkeypatch.setattr(timezone, "now", lambda: now() + taking)  # noqa: B023
        assert waiting_for_s() < 60
        ((number, _),) = LastingBroker("medrag").dequeue() or [(0, "")]
        assert [row.pk for row in OrmQ.objects.all()] == [number]
        assert not LastingBroker("medrag").dequeue()  # it is taken
        OrmQ.objects.all().delete()


def test_the_last_failure_of_a_schedule_is_told_until_it_succeeds() -> None:
    ended(SIGNING, success=False, result=FAILED)
    ended("something else", success=False, result="Not told.")
    assert faults() == [FAILED]
    ended(SIGNING, success=True)
    assert faults() == []


def test_a_failure_is_a_sentence_without_a_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise ValueError("Can metformin be given to Mrs Smith?")

    monkeypatch.setattr(jobs, "sweep", fail)
    with pytest.raises(tasks.TaskFailed) as caught:
        tasks.sweep()
    assert str(caught.value).startswith("It failed (ValueError at ")
    assert "metformin" not in str(caught.value)
    task = {"success": False, "result": f"{caught.value} : Traceback (most recent call last)…"}
    tasks.without_traceback(None, task=task)
    assert task["result"] == str(caught.value)


def test_a_retry_during_the_work_is_refused(settings: LazySettings) -> None:
    assert check_retry(None) == []
    settings.Q_CLUSTER = {**settings.Q_CLUSTER, "workers": 1, "timeout": 8, "retry": 92}
    assert "at least 93" in check_retry(None)[0].msg
    settings.Q_CLUSTER["retry"] = 93
    assert check_retry(None) == []


def test_superusers_alone_see_the_queue_and_run_a_schedule(bob: User, admin_client: Client) -> None:
    schedules_sync()
    wake(READING, 1)
    ended(SIGNING, success=False, result=FAILED)
    ended("pruning", success=True)
    User.objects.filter(pk=bob.pk).update(is_staff=True)
    other = client_of(bob)
    shown = {"schedule": Schedule, "success": Task, "failure": Failure, "ormq": OrmQ}
    for name, model in shown.items():
        url = reverse(f"admin:django_q_{name}_changelist")
        assert admin_client.get(url).status_code == 200
        assert other.get(url).status_code == 403
        row = model.objects.filter(**({"success": True} if name == "success" else {})).first()
        one = reverse(f"admin:django_q_{name}_change", args=(row.pk,))
        assert admin_client.get(one).status_code == 200
        assert admin_client.post(one, {"func": "os.getcwd"}).status_code == 403
        assert admin_client.get(reverse("admin:django_q_schedule_add")).status_code == 403
    url = reverse("admin:django_q_schedule_changelist")
    later = timezone.now() + timedelta(hours=1)
    Schedule.objects.update(next_run=later)
    pk = Schedule.objects.get(name=SIGNING).pk
    admin_client.post(url, {"action": "run_now", "_selected_action": [pk]})
    assert [row.name for row in Schedule.objects.filter(next_run__lt=later)] == [SIGNING]
