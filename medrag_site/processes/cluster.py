"""The queue's cluster, tethered: `python -m medrag_site.processes.cluster`, for `qcluster`.

django-q2 leaves its workers running when their guard is killed, and its guard when the cluster is
killed. Here the kernel ends them together. It takes no handle on the embedded database: the worker
command that started it holds one as long as it lives.
"""

import logging
import os
import signal
import sys
from collections.abc import Callable
from typing import Any

from core.database_availability import AWAY
from corpus.sandbox.fork_servers import start_early
from medrag_site.processes.parent_death import die_with_parent, kill_forks_with_parent

logger = logging.getLogger(__name__)


def main() -> None:
    die_with_parent(signal.SIGKILL)
    kill_forks_with_parent()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "medrag_site.settings")
    import django

    django.setup()
    from django_q import cluster  # late: it needs the apps
    from django_q.signals import post_spawn

    post_spawn.connect(_start_nursery)
    for name in ("Sentinel", "monitor", "pusher"):
        setattr(cluster, name, _quiet(getattr(cluster, name)))
    try:
        cluster.Cluster().start()
    except RuntimeError:  # it has logged why
        sys.exit(1)


def _quiet(target: Callable[..., Any]) -> Callable[..., Any]:
    """Let a process of the queue end in a line, not a traceback, where the database is away."""

    def run(*arguments: Any) -> Any:
        try:
            return target(*arguments)
        except AWAY as error:
            logger.error(
                "a process of the queue ended, the database is away: %s", type(error).__name__
            )
            sys.exit(1)

    return run


def _start_nursery(**_: object) -> None:
    """Have ready what the first document's child is forked from; called in each queue process."""
    start_early()


if __name__ == "__main__":
    main()
