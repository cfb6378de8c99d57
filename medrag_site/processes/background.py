"""Work beside the reading of documents: `python -m medrag_site.processes.background KIND`.

The worker starts it. Each kind is a process of its own, since it may take hours or wait for another
system that does not answer, and no file waits for that. What there is to do is read from the
database; whoever ends one loses a vector batch, a question or a message at most, which is done once
more. Like `indexing` it dies with the worker, and takes no handle on the embedded database.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from medrag_site.processes.parent_death import die_with_parent

if TYPE_CHECKING:
    from evaluation.models import DriftAlert, RetractionAlert

NICE = 10  # clinicians' questions come first, and files


# Each imports late what needs the apps.
def _make_vectors() -> None:
    from django.core.management import call_command

    call_command("reembed", background=True)


def _ask_question_sets() -> None:
    from evaluation.question_runs.services import question_runs_execute_due

    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))  # the item is given back
    question_runs_execute_due()


def _send_webhooks() -> None:
    from webhooks.sending import deliveries_send_due

    deliveries_send_due()


def _count_days() -> None:
    from evaluation.monitoring.services import days_close

    days_close(announce)


def announce(alert: DriftAlert) -> None:
    """Tell other systems that a measure drifts, without its figures."""
    from webhooks.models import Event
    from webhooks.services import event_announce

    told = {"id": alert.pk, "measure": alert.measure, "began_on": alert.began_on.isoformat()}
    event_announce(Event.DRIFTED, lambda: told)


def _look_for_retractions() -> None:
    from evaluation.retractions.services import retractions_check

    retractions_check(announce_retraction)


def announce_retraction(alert: RetractionAlert) -> None:
    """Tell other systems that a list names a document as retracted."""
    from webhooks.models import Event
    from webhooks.receivers import guideline_told
    from webhooks.services import event_announce

    event_announce(
        Event.RETRACTED, lambda: guideline_told(alert.document) | {"number": alert.number}
    )


KINDS: dict[str, Callable[[], None]] = {
    "reembedding": _make_vectors,
    "evaluating": _ask_question_sets,
    "announcing": _send_webhooks,
    "monitoring": _count_days,
    "retractions": _look_for_retractions,
}


def main(kind: str) -> None:
    die_with_parent(signal.SIGKILL)
    if kind != "announcing":  # it waits more than it works
        os.nice(NICE)
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "medrag_site.settings")
    import django

    django.setup()
    KINDS[kind]()


if __name__ == "__main__":
    main(sys.argv[1])
