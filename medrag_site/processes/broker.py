"""Keep django-q2's queue in the database, and live through its absence."""

from __future__ import annotations

import logging

from django_q.brokers.orm import ORM

from core.database_availability import AWAY

logger = logging.getLogger(__name__)


class LastingBroker(ORM):  # type: ignore[misc]  # django-q2 has no types
    """django-q2's broker, which would end the process that acknowledges while the database is away.

    A task that is not acknowledged is handed out once more after its time, and finds nothing to do:
    what is due is read from the rows.
    """

    def acknowledge(self, task_id: int) -> None:
        try:
            super().acknowledge(task_id)
        except AWAY as error:
            kind = type(error).__name__
            logger.error("A task was not acknowledged: the database is away (%s)", kind)
