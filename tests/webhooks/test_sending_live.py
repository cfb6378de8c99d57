"""Test that the worker sends, also after it is killed while it waits for the answer."""

import contextlib
from pathlib import Path

import psutil
import pytest
from django.db.models.functions import Now
from django_q.models import Schedule

from core.wake_ups import ANNOUNCING
from tests.processes import family_of, running, wait_until, words_of
from tests.webhooks.receiver import receiving
from webhooks.models import Delivery, DeliveryState, Event
from webhooks.sending import UNKNOWN
from webhooks.services import event_announce

pytestmark = pytest.mark.slow


def kill_sender(worker: int) -> None:
    for process in family_of(worker):
        with contextlib.suppress(psutil.Error):  # it has just ended
            if words_of(process)[-2:] == ["medrag_site.processes.child", "announcing"]:
                process.kill()


def test_killed_between_sending_and_marking_it_comes_again(
    own_database: str, tmp_path: Path
) -> None:
    with (
        receiving() as receiver,
        running("worker", log=tmp_path / "log", MEDRAG_WEBHOOKS="loopback=true") as worker,
    ):
        receiver.on_message = lambda: kill_sender(worker.pid)
        receiver.endpoint()
        event_announce(Event.INDEXED, lambda: {"id": 7})
        wait_until(lambda: len(receiver.taken) == 1, "it arrives", 60)
        receiver.on_message = lambda: None
        delivery = Delivery.objects.get()
        assert (delivery.state, delivery.last_error) == (DeliveryState.PENDING, UNKNOWN)
        Delivery.objects.update(due_at=Now())
        Schedule.objects.filter(name=ANNOUNCING).update(next_run=Now())  # else in a minute

        def is_marked() -> bool:
            return Delivery.objects.filter(state=DeliveryState.DELIVERED).exists()

        wait_until(is_marked, "it is marked", 120)  # the schedule finds it
    keys = [key for key, _ in receiver.taken]
    assert keys == [delivery.message_id] * 2
