"""Run one process of the worker: `python -m medrag_site.processes.child KIND`.

The process dies with the worker, and takes no lock on the embedded database: the worker holds one
for as long as it lives.
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
    # Late: they need the apps.
    if kind == "reading":
        from medrag_site.processes.indexing import documents_read

        documents_read()
    else:
        from medrag_site.processes.background import KINDS

        os.nice(KINDS[kind].nice)
        KINDS[kind].work()


if __name__ == "__main__":
    main(sys.argv[1])
