"""A process of the worker's: `python -m medrag_site.processes.child KIND` does that kind of work.

It dies with the worker, and takes no handle on the embedded database: the worker holds one as long
as it lives.
"""

from __future__ import annotations

import os
import signal
import sys

import django

from medrag_site.processes.parent_death import die_with_parent


def main(kind: str) -> None:
    die_with_parent(signal.SIGKILL)
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "medrag_site.settings")
    django.setup()
    from medrag_site.processes.background import KINDS  # late: it needs the apps

    os.nice(KINDS[kind].nice)
    KINDS[kind].work()


if __name__ == "__main__":
    main(sys.argv[1])
