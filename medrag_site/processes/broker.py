"""Keep django-q2's queue in the database, by its clock, and live through its absence."""

from __future__ import annotations

import logging
import time
from datetime import timedelta

from django.db.models.functions import Now
from django_q.brokers.orm import ORM
from django_q.conf import Conf

from core.database_availability import AWAY

logger = logging.getLogger(__name__)


class LastingBroker(ORM):  # type: ignore[misc]  # django-q2 has no types
    """django-q2's broker, which would end the process that acknowledges while the database is away.

    A task that is not acknowledged is handed out once more after its time, and finds nothing to do:
    what is due is read from the rows.

    When a task may be taken goes by the database's clock: by those of two machines, a task of one
    would wait on the other for as long as they differ.
    """

    def enqueue(self, task: str) -> int:
        key = self.list_key or Conf.CLUSTER_NAME
        return int(self.get_connection().create(key=key, payload=task, lock=Now()).pk)

    def dequeue(self) -> list[tuple[int, str]] | None:
        """Take the first task that is free, none if another was faster; wait if there is none."""
        waiting = self.get_connection().filter(key=self.list_key, lock__lt=Now())
        task = waiting.order_by("pk").first()
        if task is None:
            time.sleep(Conf.POLL)
            return None
        unchanged = waiting.filter(pk=task.pk, lock=task.lock)
        is_taken = unchanged.update(lock=Now() + timedelta(seconds=Conf.RETRY))
        return [(task.pk, task.payload)] if is_taken else []

    def acknowledge(self, task_id: int) -> None:
        try:
            super().acknowledge(task_id)
        except AWAY as error:
            kind = type(error).__name__
            logger.error("A task was not acknowledged: the database is away (%s)", kind)
