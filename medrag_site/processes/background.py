"""Do the work besides reading documents, each kind in a process of its own (`child`).

Such work may take hours or wait for another system, and must not delay a file. What is due is read
from the database; a process that is ended loses at most one vector batch, question or message,
which is done again.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from django.core.management import call_command

from corpus.services.encoders import encoders_are_building
from evaluation.models import DriftAlert, RetractionAlert
from evaluation.monitoring.selectors import are_days_missing
from evaluation.monitoring.services import days_close
from evaluation.question_runs.selectors import are_runs_due
from evaluation.question_runs.services import question_runs_execute_due
from evaluation.retractions.services import is_check_due, retractions_check
from webhooks.models import Event
from webhooks.receivers import guideline_payload
from webhooks.sending import are_deliveries_due, deliveries_send_due
from webhooks.services import event_announce

NICE = 10  # clinicians' questions come first, and files


@dataclass(frozen=True)
class Kind:
    """A kind of background work.

    `is_due` tells whether there is work, by one query. After a run that ended well the next starts
    no earlier than `pause_s` seconds later.
    """

    what: str
    is_due: Callable[[], bool]
    pause_s: float
    work: Callable[[], object]
    nice: int = NICE


def announce(alert: DriftAlert) -> None:
    """Announce to other systems that a measure drifts, without its figures."""
    told = {"id": alert.pk, "measure": alert.measure, "began_on": alert.began_on.isoformat()}
    event_announce(Event.DRIFTED, lambda: told)


def announce_retraction(alert: RetractionAlert) -> None:
    """Announce to other systems that a list of retractions names a document."""
    event_announce(
        Event.RETRACTED, lambda: guideline_payload(alert.document) | {"number": alert.number}
    )


def _ask_question_sets() -> None:
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))  # the item is given back
    question_runs_execute_due()


KINDS = {
    "reembedding": Kind(
        "makes new vectors",
        encoders_are_building,
        60.0,
        partial(call_command, "reembed", background=True),
    ),
    "evaluating": Kind("asks question sets", are_runs_due, 1.0, _ask_question_sets),
    "announcing": Kind("sends webhooks", are_deliveries_due, 1.0, deliveries_send_due, nice=0),
    "monitoring": Kind("counts days", are_days_missing, 60.0, partial(days_close, announce)),
    "retractions": Kind(
        "looks for retractions", is_check_due, 60.0, partial(retractions_check, announce_retraction)
    ),
}
