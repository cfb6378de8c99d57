"""Figures of days: the worker starts `python -m medrag_site.processes.monitoring` for them.

A process of its own, beside the queue: a site that was not counted for long has many days to count,
and no file waits for that. Which are missing is read from the database; whoever is killed leaves
the rest of them missing. It dies with the worker.
"""

import os
import signal

from medrag_site.processes.parent_death import die_with_parent

NICE = 10  # clinicians' questions come first, and files


def main() -> None:
    die_with_parent(signal.SIGKILL)
    os.nice(NICE)
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "medrag_site.settings")
    import django

    django.setup()
    from evaluation.monitoring.services import days_close  # late: it needs the apps

    days_close()


if __name__ == "__main__":
    main()
