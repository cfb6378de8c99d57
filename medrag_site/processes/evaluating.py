"""Runs of questions: the worker starts `python -m medrag_site.processes.evaluating` for them.

A process of its own, beside the queue: a run takes hours, and no file waits for it to be indexed.
As the one that makes vectors it dies with the worker and takes no handle on the embedded database.
Which runs and items wait is read from the database, so that there is no wake-up to be lost. Whoever
ends it loses the item that is being asked at most, and that is asked once more.
"""

import os
import signal
import sys

from medrag_site.processes.parent_death import die_with_parent

NICE = 10  # clinicians' questions come first, and files


def main() -> None:
    die_with_parent(signal.SIGKILL)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))  # the item is given back
    os.nice(NICE)
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "medrag_site.settings")
    import django

    django.setup()
    from evaluation.question_runs.services import (
        question_runs_execute_due,  # late: it needs the apps
    )

    question_runs_execute_due()


if __name__ == "__main__":
    main()
