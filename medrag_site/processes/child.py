"""Do one kind of work: `python -m medrag_site.processes.child KIND`, started by a task.

The process dies with the worker, and takes no lock on the embedded database: the worker holds one
for as long as it lives.
"""

from __future__ import annotations

import logging
import os
import signal
import sys

import django
from django.core.management import CommandError

from core.errors import MedragError
from medrag_site.processes.parent_death import die_with_parent

logger = logging.getLogger(__name__)


def main(name: str) -> None:
    die_with_parent(signal.SIGKILL)
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "medrag_site.settings")
    django.setup()
    # Late: they need the apps.
    from corpus.indexing.failures import describe
    from medrag_site.processes.background import KINDS

    kind = KINDS[name]
    os.nice(kind.nice)
    try:
        kind.work()
    except (MedragError, CommandError) as error:
        logger.error("The process that %s: %s", kind.what, getattr(error, "sentence", error))
        sys.exit(1)
    except Exception as error:  # noqa: BLE001  its text may quote a document or a question
        logger.error("The process that %s failed: %s", kind.what, describe(error))
        sys.exit(1)


if __name__ == "__main__":
    main(sys.argv[1])
