"""Reads of runs of questions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from django.contrib.auth.models import AnonymousUser, User
from django.db.models import (
    Avg,
    Case,
    Count,
    F,
    FloatField,
    IntegerField,
    Q,
    QuerySet,
    Value,
    When,
)
from django.db.models.fields.json import KT
from django.db.models.functions import Cast, Coalesce

from chat.models import Claim
from evaluation.models import (
    QuestionResult,
    QuestionRun,
    ResultOutcome,
    ResultState,
    RunState,
)
from evaluation.question_runs.measuring import is_answerable, unjudged
from evaluation.question_runs.result_card import Card, Row, card_lines, card_of, read_card

ENDED = (ResultState.DONE, ResultState.FAILED)
MAX_COMPUTED = 300  # items of which a card is made for each look at a run that goes on


def question_runs_listed() -> QuerySet[QuestionRun]:
    """Return the latest first, each with how many items it has, `ended`, and `mean_ms` of those
    done.

    That is of answering and judging: a judge may take far longer than the answer.
    """
    ended = Count("results", filter=Q(results__state__in=ENDED))
    runs = QuestionRun.objects.select_related("question_set", "by", "asker")
    took = F("results__duration_ms") + Coalesce("results__judged_ms", 0)
    counted = runs.annotate(ended=ended, items=Count("results"), mean_ms=Avg(took))
    return counted.order_by("-pk")  # by itself a query that groups has no order


@dataclass(frozen=True)
class RunProgress:
    """How many items of a run have ended, and what the rest takes at the pace so far."""

    ended: int
    items: int
    rest_s: float | None  # None where nothing is known of the pace

    @property
    def percent(self) -> int:
        return 100 * self.ended // self.items if self.items else 0


def run_progress(run: QuestionRun) -> RunProgress:
    """Of a run as `question_runs_listed` gives it. No query."""
    ended, items, mean_ms = (getattr(run, name) for name in ("ended", "items", "mean_ms"))
    rest = None if mean_ms is None else (items - ended) * mean_ms / 1000
    return RunProgress(ended, items, rest)


def runs_due() -> QuerySet[QuestionRun]:
    """Run that the worker is to execute, the oldest first."""
    going_on = QuestionRun.objects.filter(state__in=(RunState.PENDING, RunState.RUNNING))
    return going_on.filter(is_here=False).order_by("pk")


def are_runs_due() -> bool:
    """Tell whether the worker has a run to execute. One query."""
    return runs_due().exists()


def results_listed() -> QuerySet[QuestionResult]:
    """Return results with `badness`, 0 the worst, as `ResultOutcome` orders them; last what has
    none.

    `recall` and `correctness` tell apart what no pattern and no label does; None without a value.
    """
    order = [When(outcome=outcome, then=Value(n)) for n, outcome in enumerate(ResultOutcome)]
    worst = Case(*order, default=Value(len(order)), output_field=IntegerField())
    results = QuestionResult.objects.select_related("question", "run__asker", "run__question_set")
    return results.annotate(
        badness=worst,
        recall=Cast(KT("scores__claim_recall"), FloatField()),
        correctness=Cast(KT("scores__ragas_answer_correctness"), FloatField()),
    )


def may_read_answers(run: QuestionRun, user: User | AnonymousUser) -> bool:
    """Tell whether they may see what was shown: what somebody's rights found is theirs, and
    auditors'.

    A run without an asker finds what is open to all.
    """
    asker = run.asker_id
    return asker is None or asker == user.pk or user.has_perm("chat.view_turn")


def shown_claims(result: QuestionResult) -> list[Claim]:
    """Return the statements of the stored answer with their citations. Two queries."""
    if result.turn_id is None:
        return []
    claims = Claim.objects.filter(turn=result.turn_id).order_by("index")
    return list(claims.prefetch_related("citations"))


def states_counted(run: QuestionRun) -> dict[str, int]:
    """Return how many items are in each state. One query."""
    rows = run.results.order_by().values_list("state").annotate(Count("pk"))
    return dict(rows)


def card_computed(run: QuestionRun) -> Card:
    """Return the result card of what there is. Two queries."""
    return card_of(rows_of(run), states_counted(run))


def card_read(run: QuestionRun) -> Card:
    """Return the result card as it was stored, or of what there is so far."""
    return read_card(run.metrics) if run.metrics else card_computed(run)


def has_unjudged(run: QuestionRun) -> bool:
    """Tell by its result card whether a judge failed, or was not there, for a measure of it."""
    reasons = card_read(run).not_run
    return any(
        unjudged(dict.fromkeys([name], why), run.frozen["measures"])
        for name, found in reasons.items()
        for why in found
    )


def card_shown(run: QuestionRun) -> Card | None:
    """Return the same for a look at a run of `question_runs_listed`; None while a long one
    goes on.
    """
    if not run.metrics and run_progress(run).ended > MAX_COMPUTED:
        return None
    return card_read(run)


def rows_of(run: QuestionRun) -> Iterator[Row]:
    """Yield the items that were asked, in order, as the result card takes them. One query."""
    done = run.results.filter(state=ResultState.DONE).order_by("place")
    names = ("scores", "outcome", "duration_ms", "tokens", "detail", "question__kind",
             "question__category", "question__gold_label")  # fmt: skip
    for scores, outcome, duration_ms, tokens, detail, kind, part, label in done.values_list(*names):
        yield Row(
            scores,
            outcome,
            duration_ms or 0,
            tokens or 0,
            detail.get("not_run") or {},
            confidence=detail.get("confidence"),
            is_answerable=is_answerable(kind),
            judged_by=detail.get("judged_by") or (),
            part=part if label else None,
        )


def run_lines(run: QuestionRun) -> Iterator[str]:
    """Yield the run and its result card, in Markdown."""
    frozen = run.frozen
    yield f"# Run {run.pk}: {run.name}"
    yield ""
    yield (
        f"{run.get_state_display()}. {frozen['items']} questions of the set {run.question_set}, "
        f"seed {frozen['seed']}. Asked as {run.asker or 'nobody: what is open to all is found'}."
    )
    yield (
        f"Version {frozen['version']}, configuration {frozen['configuration']}, "
        f"{frozen['corpus']['documents']} documents in force ({frozen['corpus']['digest'][:16]})."
    )
    if run.note:
        yield run.note
    yield ""
    yield from card_lines(card_read(run))
