"""Run django-q2's cluster: `python -m medrag_site.processes.cluster`, started by the worker.

It is `manage.py qcluster`, but no process of it outlives its parent, and a stop reaches the child
processes that do the work. It takes no lock on the embedded database: the worker holds one for as
long as it lives.
"""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress

import django
import psutil

from medrag_site.processes.parent_death import die_with_parent, forks_die_with_parent

CHILD = "medrag_site.processes.child"


def main() -> None:
    die_with_parent(signal.SIGKILL)
    forks_die_with_parent()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "medrag_site.settings")
    django.setup()
    from django_q.cluster import Cluster  # late: it needs the apps

    class StoppingChildren(Cluster):  # type: ignore[misc]
        def stop(self) -> bool:
            """Ask the children to stop, on which their tasks wait; then stop the cluster."""
            if self.sentinel is None:  # a signal came before the start
                sys.exit(0)
            for process in psutil.Process().children(recursive=True):
                with suppress(psutil.Error):  # it has just ended
                    if CHILD in process.cmdline():
                        process.terminate()
            return bool(super().stop())

    StoppingChildren().start()  # Python waits for it at exit


if __name__ == "__main__":
    main()
