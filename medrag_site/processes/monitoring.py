"""Figures of days, and whether they drift: `python -m medrag_site.processes.monitoring`.

The worker starts it where a day is missing, beside the queue: a site that was not counted for long
has many days to count, and no file waits for that. Which are missing is read from the database;
whoever is killed leaves the rest of them missing. It dies with the worker.
"""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING

from medrag_site.processes.parent_death import die_with_parent

if TYPE_CHECKING:
    from evaluation.models import DriftAlert

NICE = 10  # clinicians' questions come first, and files


def main() -> None:
    die_with_parent(signal.SIGKILL)
    os.nice(NICE)
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "medrag_site.settings")
    import django

    django.setup()
    from evaluation.monitoring.services import days_close  # late: it needs the apps

    days_close(announce)


def announce(alert: DriftAlert) -> None:
    """Tell other systems that a measure drifts, without its figures."""
    from webhooks.models import Event  # late, as above
    from webhooks.services import event_announce

    told = {"id": alert.pk, "measure": alert.measure, "began_on": alert.began_on.isoformat()}
    event_announce(Event.DRIFTED, lambda: told)


if __name__ == "__main__":
    main()
