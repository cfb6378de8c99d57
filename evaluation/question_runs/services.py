"""Start question runs, execute them item by item and end them; nothing else writes them.

Each item gets one result, whatever process dies: its turn's key is drawn before it is asked. A
process killed after the turn was stored leaves a turn that the next attempt finds by its key; one
killed before leaves none, and the question is asked again. Of two processes that ask the same
question at once, only one can store its turn, and the other finds it.
"""

from __future__ import annotations

import random
import time
import uuid
from collections.abc import Callable, Sequence
from dataclasses import replace

from django.contrib.auth.models import User
from django.db import Error, IntegrityError, transaction
from django.db.models import F, JSONField, Sum, Value
from django.db.models.expressions import CombinedExpression
from django.db.models.functions import Now

from chat.ask import turn_ask
from chat.models import Channel, Conversation, Turn
from chat.pipeline.admission import Busy
from chat.types import AskedQuestion, Option
from core.errors import MedragError
from core.wake_ups import EVALUATING, wake
from evaluation.choices.model_alone import Alone, asked_alone, can_be_asked_alone
from evaluation.models import (
    Question,
    QuestionResult,
    QuestionRun,
    QuestionSet,
    ResultState,
    RunState,
)
from evaluation.question_runs.freezing import NO_BUDGET, Budget, RunOrder, frozen_now
from evaluation.question_runs.items import item_of, options_apart
from evaluation.question_runs.leases import SPARE_S, Lease, claim, has_work_left, restore_done
from evaluation.question_runs.measuring import (
    JUDGE_AGAIN,
    Measured,
    Measuring,
    judged_measures,
    measured_again,
    refuse_unknown,
    unjudged,
)
from evaluation.question_runs.scoring import scored
from evaluation.question_runs.selectors import ENDED, card_computed, runs_due
from evaluation.question_runs.types import MeasuredItem, Retrieved

BATCH = 1000
MAX_IN_A_ROW = 5  # items that fail: then the site is at fault, not the items
PAUSE_S = 1.0  # if other processes hold all remaining items, or the site is busy


class RunError(MedragError):
    """The request does not fit the state of the run, or its set."""


def question_run_create(
    question_set: QuestionSet, order: RunOrder, *, by: User | None, asker: User | None = None
) -> QuestionRun:
    """Store a run with a pending result for each item, and what it was started with.

    The rights of `asker` apply; None finds what is open to all. Raises UnknownMeasure, RunError.
    """
    refuse_unknown(order.measures)
    items = sampled(list(question_set.questions.order_by("pk").only("key")), order)
    if not items:
        raise RunError(f"{question_set} has no questions.")
    frozen = frozen_now(items, order)
    with transaction.atomic():
        run = QuestionRun.objects.create(
            question_set=question_set,
            name=(order.name or str(question_set))[:200],
            is_here=order.is_here,
            frozen=frozen,
            asker=asker,
            by=by,
        )
        QuestionResult.objects.bulk_create(
            (
                QuestionResult(run=run, question=item, place=place)
                for place, item in enumerate(items, start=1)
            ),
            batch_size=BATCH,
        )
        if not order.is_here:
            wake(EVALUATING, run.pk)
    return run


def sampled(items: Sequence[Question], order: RunOrder) -> list[Question]:
    """Return `order.limit` items drawn at random by the seed, in their own order."""
    if not order.limit or order.limit >= len(items):
        return list(items)
    chosen = random.Random(order.seed).sample(range(len(items)), order.limit)  # noqa: S311
    return [items[place] for place in sorted(chosen)]


@transaction.atomic
def question_run_cancel(run: QuestionRun) -> None:
    """End the run after the item that is being asked. Raises RunError if it has ended."""
    going_on = QuestionRun.objects.filter(pk=run.pk, state__in=(RunState.PENDING, RunState.RUNNING))
    if not going_on.update(state=RunState.CANCELLED, finished_at=Now(), note="Cancelled."):
        raise RunError("This run has ended already.")
    restore_done(run.pk)


@transaction.atomic
def question_run_resume(run: QuestionRun, *, is_here: bool = False) -> None:
    """Make the run pending again for its remaining items; failed items are tried again.

    A run whose command was killed still has the state running, and is resumed too. Raises RunError
    for a run that is done, also in part: its budget belongs to its result.
    """
    stopped = QuestionRun.objects.filter(pk=run.pk).exclude(state=RunState.DONE)
    if not stopped.update(state=RunState.PENDING, is_here=is_here, note="", finished_at=None):
        raise RunError("This run is finished. Start another one to ask more questions.")
    QuestionResult.objects.filter(run=run, state=ResultState.FAILED).update(
        state=ResultState.PENDING, attempts=0, failure=""
    )
    if not is_here:
        wake(EVALUATING, run.pk)


@transaction.atomic
def question_run_measure_again(
    run: QuestionRun, *, is_here: bool = False, is_all: bool = False
) -> None:
    """Make the run pending again for items whose judge failed or was missing; asks no question.

    With `is_all` for all items: then the present judge replaces every value of a judge. Raises
    RunError if the run is not done, or has no such item.
    """
    done = QuestionRun.objects.filter(pk=run.pk, state=RunState.DONE)
    if not done.update(state=RunState.PENDING, is_here=is_here, note="", finished_at=None):
        raise RunError("Only a finished run can be measured again. Nothing was changed.")
    results = QuestionResult.objects.filter(run=run, state=ResultState.DONE)
    measures = run.frozen["measures"]
    if is_all:
        if not judged_measures(measures):
            raise RunError("This run has no measure of a judge. Nothing was changed.")
        mark = Value({JUDGE_AGAIN: True}, JSONField())
        marked = CombinedExpression(F("detail"), "||", mark, output_field=JSONField())
        results.update(state=ResultState.PENDING, attempts=0, detail=marked)
    else:
        rows = results.values_list("pk", "detail__not_run").iterator()
        lacking = [pk for pk, not_run in rows if unjudged(not_run or {}, measures)]
        if not lacking:
            raise RunError("No measure of a judge is missing in this run. Nothing was changed.")
        results.filter(pk__in=lacking).update(state=ResultState.PENDING, attempts=0)
    if not is_here:
        wake(EVALUATING, run.pk)


def question_run_execute(
    run: QuestionRun,
    *,
    on_item: Callable[[], None] = lambda: None,
    is_stopping: Callable[[], bool] = lambda: False,
) -> None:
    """Ask item after item until none is left or the run ends.

    A run also ends if cancelled, if its budget is used up, or after `MAX_IN_A_ROW` failed items.
    `on_item` is called after each item that ended. Once `is_stopping` returns true the function
    returns, and the run stays as it is. Any number of processes may execute one run. Raises the
    database's errors.
    """
    waiting = QuestionRun.objects.filter(pk=run.pk, state=RunState.PENDING)
    waiting.filter(started_at=None).update(started_at=Now())
    waiting.update(state=RunState.RUNNING)
    in_a_row, measuring = 0, Measuring(run.frozen["measures"])
    while not is_stopping():
        run.refresh_from_db()
        if run.state != RunState.RUNNING:
            break
        used_up = budget_used_up(run)  # then what was asked may still be measured again
        lease = claim(run.pk, asked_before=bool(used_up))
        if lease is None:
            if not has_work_left(run.pk, asked_before=bool(used_up)):
                _finish(run, RunState.DONE, f"Done in part: {used_up}." if used_up else "")
                break
            time.sleep(PAUSE_S)  # other processes hold the remaining items
            continue
        why = _result_asked(run, lease, measuring)
        in_a_row = in_a_row + 1 if why else 0
        if in_a_row == MAX_IN_A_ROW:
            _finish(run, RunState.FAILED, f"{MAX_IN_A_ROW} items in a row failed. {why}")
        if QuestionResult.objects.filter(pk=lease.row.pk, state__in=ENDED).exists():
            on_item()
    run.refresh_from_db()
    if run.state == RunState.CANCELLED:
        restore_done(run.pk)
        QuestionRun.objects.filter(pk=run.pk).update(metrics=card_computed(run).as_json())
        run.refresh_from_db()


def question_runs_execute_due() -> None:
    """Execute the worker's due runs one after the other, the oldest first, until none is left."""
    while run := runs_due().first():
        question_run_execute(run)


def budget_used_up(run: QuestionRun) -> str:
    """Return in words which part of the budget is used up, or an empty string.

    Runs no query for a run without a budget.
    """
    budget = Budget(**run.frozen["budget"])
    if budget == NO_BUDGET:
        return ""
    results = QuestionResult.objects.filter(run=run).exclude(turn=None)  # also if measured again
    used = results.aggregate(ms=Sum("duration_ms"), tokens=Sum("tokens"))
    if budget.questions and results.count() >= budget.questions:
        return f"its budget of {budget.questions} questions is used up"
    if budget.seconds and (used["ms"] or 0) >= 1000 * budget.seconds:
        return f"its budget of {budget.seconds:g} seconds is used up"
    if budget.tokens and (used["tokens"] or 0) >= budget.tokens:
        return f"its budget of {budget.tokens} tokens is used up"
    return ""


def _finish(run: QuestionRun, state: RunState, note: str = "") -> None:
    """Store the result card and the end, unless the run was cancelled meanwhile."""
    restore_done(run.pk)
    card = card_computed(run).as_json()
    QuestionRun.objects.filter(pk=run.pk, state=RunState.RUNNING).update(
        state=state, note=note, metrics=card, finished_at=Now()
    )


def _result_asked(run: QuestionRun, lease: Lease, measuring: Measuring) -> str:
    """Ask, score and store one item; return the error, or an empty string.

    If the process is ended, the item is given back. Raises the database's errors.
    """
    try:
        if was := lease.row.turn:
            _result_measured_again(lease, was, measuring)
        else:
            turn, question = _turn_of(run, lease.row), lease.row.question
            is_wanted = run.frozen.get("model_alone") and can_be_asked_alone(question)
            _result_store(lease, turn, measuring, asked_alone(question) if is_wanted else None)
    except Busy:
        lease.give_back()
        time.sleep(PAUSE_S)
    except Error:
        raise
    except MedragError as error:
        lease.failed(error.sentence, is_final=not error.retryable)
        return error.sentence
    except Exception as error:  # noqa: BLE001 - one item must not end the run
        why = f"{type(error).__name__}: {error}"
        lease.failed(why, is_final=False)
        return why
    except BaseException:
        lease.give_back()
        raise
    return ""


def _turn_of(run: QuestionRun, result: QuestionResult) -> Turn:
    """Return the item's turn, stored before or asked now.

    A follow-up is asked in a conversation of its own, after the earlier questions, whose keys are
    derived from the item's.
    """
    question, key = result.question, result.turn_key
    conversation = None
    if question.before:
        conversation, _ = Conversation.objects.get_or_create(
            pk=key, defaults={"user": None, "title": question.key}
        )
    for number, text in enumerate(question.before, start=1):
        _asked_once(run, text, conversation, uuid.uuid5(key, str(number)))
    return _asked_once(run, question.question, conversation, key, options_apart(question))


def _asked_once(
    run: QuestionRun,
    text: str,
    conversation: Conversation | None,
    key: uuid.UUID,
    options: tuple[Option, ...] = (),
) -> Turn:
    if turn := Turn.objects.filter(pk=key).first():
        return turn
    try:
        return turn_ask(
            AskedQuestion(
                text,
                user=run.asker,
                channel=Channel.EVALUATION,
                conversation=conversation,
                options=options,
                key=key,
            )
        )
    except IntegrityError:  # another process stored it meanwhile
        return Turn.objects.get(pk=key)


def _result_store(lease: Lease, turn: Turn, measuring: Measuring, alone: Alone | None) -> None:
    question = lease.row.question
    item = item_of(question, turn)
    scores = scored(item)
    measured, judged_ms = _judged(lease, measuring, item)
    lease.end(
        state=ResultState.DONE,
        turn=turn,
        outcome=str(scores.worth),
        scores={
            **scores.scores,
            **measured.scores,
            **(alone.scores(question.gold_label) if alone else {}),
        },
        detail={
            **item.kept(),
            "not_run": {
                **scores.not_run,
                **measured.not_run,
                **(alone.not_run if alone else {}),
            },
            "judged_by": list(measured.judged_by),
            "parts": measured.parts,
            **({"alone": alone.kept()} if alone else {}),
        },
        failure="",
        duration_ms=turn.duration_ms,
        judged_ms=judged_ms,
        tokens=item.tokens + (alone.tokens if alone else 0),
    )


def _result_measured_again(lease: Lease, turn: Turn, measuring: Measuring) -> None:
    """Judge the measures whose judge failed or was missing, or all if the item is marked so.

    The answer and other scores stay.
    """
    result, wanted = lease.row, lease.row.run.frozen["measures"]
    is_all = result.detail.get(JUDGE_AGAIN)
    names = judged_measures(wanted) if is_all else unjudged(result.detail["not_run"], wanted)
    item = item_of(result.question, turn)
    if kept := result.detail.get("retrieved"):  # the index may have changed since
        item = replace(item, retrieved=tuple(Retrieved(**passage) for passage in kept))
    measured, judged_ms = _judged(lease, measuring, item, names)
    lease.end(
        state=ResultState.DONE,
        failure="",
        judged_ms=(result.judged_ms or 0) + judged_ms,
        **measured_again(result, names, measured, item),
    )


def _judged(
    lease: Lease, measuring: Measuring, item: MeasuredItem, only: Sequence[str] | None = None
) -> tuple[Measured, int]:
    """Measure an item, and return the time it took in ms. Extends the lease first."""
    lease.extend(measuring.longest_s + SPARE_S)
    began = time.monotonic()
    measured = measuring.measured(item, only)
    return measured, round(1000 * (time.monotonic() - began))
