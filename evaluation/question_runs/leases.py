"""Lease the questions of a run to processes.

The lease of a process that died runs out, and the next process that looks for work takes the
question, or ends it after the last attempt.
"""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Case, Q, QuerySet, Value, When
from django.db.models.functions import Now

from core import leases
from core.leases import FREE, UNCOUNTED, ends_in
from evaluation.models import QuestionResult, ResultState, RunState

MAX_ATTEMPTS = 3
SPARE_S = 30.0  # beyond the time that the questions may take
STOPPED = f"The process that asked it stopped {MAX_ATTEMPTS} times."


class Lease(leases.Lease[QuestionResult]):
    """The right to write one result."""

    def failed(self, why: str, *, is_final: bool) -> None:
        """Put the item back in the queue behind the others, or end it.

        It is ended after the last attempt, or if the failure `is_final`: as done if its turn was
        stored before, else as failed.
        """
        is_over = is_final or self.row.attempts >= MAX_ATTEMPTS
        over = ResultState.DONE if self.row.turn_id else ResultState.FAILED
        self.end(state=over if is_over else ResultState.PENDING, failure=why[:2000])

    def give_back(self) -> None:
        """Put the item back in the queue; the attempt does not count."""
        self.end(state=ResultState.PENDING, **UNCOUNTED)


def due(run_id: int, *, asked_before: bool = False) -> QuerySet[QuestionResult]:
    """Return the results that wait for an attempt and that no process holds.

    With `asked_before` only those that were asked, and wait to be measured again.
    """
    is_free = Q(state=ResultState.PENDING) | Q(state=ResultState.RUNNING, lease_until__lte=Now())
    free = QuestionResult.objects.filter(is_free, run=run_id, attempts__lt=MAX_ATTEMPTS)
    return free.exclude(turn=None) if asked_before else free


@transaction.atomic
def claim(run_id: int, *, asked_before: bool = False) -> Lease | None:
    """Count an attempt at the first item of `due` and lease it, those tried before last.

    None if no item is due. Items whose last attempt was never finished are ended first.
    """
    _park(run_id)
    free = due(run_id, asked_before=asked_before).filter(run__state=RunState.RUNNING)
    first = free.select_related("question", "run").order_by("attempts", "place")
    return Lease.claim(first, _begun)


def _begun(result: QuestionResult) -> dict[str, Any]:
    questions = 1 + len(result.question.before) + bool(result.run.frozen.get("model_alone"))
    # Each question may wait for admission as long as it may take.
    lease_s = questions * 2 * settings.ANSWER_TIMEOUT_S + SPARE_S
    return {"state": ResultState.RUNNING, "lease_until": ends_in(lease_s)}


def _park(run_id: int) -> None:
    """End the items whose process died in their last allowed attempt."""
    lost = QuestionResult.objects.filter(
        run=run_id,
        state=ResultState.RUNNING,
        lease_until__lte=Now(),
        attempts__gte=MAX_ATTEMPTS,
    )
    over = Case(When(turn=None, then=Value(ResultState.FAILED)), default=Value(ResultState.DONE))
    lost.update(state=over, failure=STOPPED, **FREE)


def restore_done(run_id: int) -> None:
    """Set items that wait to be measured again back to done."""
    waiting = QuestionResult.objects.filter(run=run_id, state=ResultState.PENDING)
    waiting.exclude(turn=None).update(state=ResultState.DONE)


def has_work_left(run_id: int, *, asked_before: bool = False) -> bool:
    """Tell whether an item waits or is in work, by any process; see `due` for `asked_before`."""
    going_on = (ResultState.PENDING, ResultState.RUNNING)
    remaining = QuestionResult.objects.filter(run=run_id, state__in=going_on)
    return (remaining.exclude(turn=None) if asked_before else remaining).exists()
