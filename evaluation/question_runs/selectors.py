"""Read question runs and their results."""

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
from django.db.models.functions import Cast, Coalesce, Least

from chat.models import Claim
from evaluation.measures.ragas_judge import RAGAS_MEASURES, RAGAS_STANDARD
from evaluation.metrics.statistics import Interval
from evaluation.models import (
    QuestionResult,
    QuestionRun,
    ResultOutcome,
    ResultState,
    RunState,
)
from evaluation.question_runs.card_words import card_lines
from evaluation.question_runs.measuring import is_answerable, unjudged
from evaluation.question_runs.plots import TrendPoint
from evaluation.question_runs.result_card import Card, Row, card_of, read_card

ENDED = (ResultState.DONE, ResultState.FAILED)
FAULTS = (ResultOutcome.DANGEROUS, ResultOutcome.WRONG, ResultOutcome.PARTLY, ResultOutcome.REFUSED)
MAX_TREND = 30  # runs whose numbers fit below a diagram
MAX_COMPUTED = 300  # of an active run, the items up to which each view computes the card

LISTED_MEASURES = ("claim_faithfulness", "claim_recall", *RAGAS_MEASURES)  # all higher is better


def question_runs_listed() -> QuerySet[QuestionRun]:
    """Return runs, the latest first, each with its numbers `items` and `ended`, and `mean_ms`.

    `mean_ms` is the mean time of answering and judging: a judge may take far longer than the
    answer. The mean of each of `RAGAS_STANDARD` is a column, None without a value.
    """
    ended = Count("results", filter=Q(results__state__in=ENDED))
    runs = QuestionRun.objects.select_related("question_set", "by", "asker")
    took = F("results__duration_ms") + Coalesce("results__judged_ms", 0)
    means = {name: _number(f"metrics__measures__{name}__mean") for name in RAGAS_STANDARD}
    counted = runs.annotate(ended=ended, items=Count("results"), mean_ms=Avg(took), **means)
    return counted.order_by("-pk")  # Django drops the model's ordering from a query that groups


def _number(path: str) -> Cast:
    return Cast(KT(path), FloatField())


@dataclass(frozen=True)
class RunProgress:
    """How many items of a run have ended, and how long the rest takes at the pace so far."""

    ended: int
    items: int
    rest_s: float | None  # None before the first item is done

    @property
    def percent(self) -> int:
        return 100 * self.ended // self.items if self.items else 0


def run_progress(run: QuestionRun) -> RunProgress:
    """Return the progress of a run of `question_runs_listed`. Runs no query."""
    ended, items, mean_ms = (getattr(run, name) for name in ("ended", "items", "mean_ms"))
    rest = None if mean_ms is None else (items - ended) * mean_ms / 1000
    return RunProgress(ended, items, rest)


def runs_due() -> QuerySet[QuestionRun]:
    """Return the runs that the worker is to execute, the oldest first."""
    going_on = QuestionRun.objects.filter(state__in=(RunState.PENDING, RunState.RUNNING))
    return going_on.filter(is_here=False).order_by("pk")


def are_runs_due() -> bool:
    """Tell whether the worker has a run to execute. Runs one query."""
    return runs_due().exists()


def results_listed() -> QuerySet[QuestionResult]:
    """Return results with `badness`: 0 for a dangerous answer, then the other faults in order.

    Results without a fault that patterns or label show have all the same. Each of `LISTED_MEASURES`
    is a column, None without a value. `lowest` is the lowest of those that have one, and of the
    share of critical claims without error.
    """
    order = [When(outcome=outcome, then=Value(n)) for n, outcome in enumerate(FAULTS)]
    worst = Case(*order, default=Value(len(order)), output_field=IntegerField())
    measured = {name: _number(f"scores__{name}") for name in LISTED_MEASURES}
    results = QuestionResult.objects.select_related("question", "run__asker", "run__question_set")
    results = results.defer("detail")  # its passages are long, and no list shows them
    return results.annotate(
        badness=worst,
        **measured,
        lowest=Least(*measured.values(), 1.0 - _number("scores__critical_error_rate")),
    )


def may_read_answers(run: QuestionRun, user: User | AnonymousUser) -> bool:
    """Tell whether the user may see a run's answers: only its asker and auditors may.

    Everybody may if the run has no asker, since it then finds only passages that are open to all.
    """
    asker = run.asker_id
    return asker is None or asker == user.pk or user.has_perm("chat.view_turn")


def shown_claims(result: QuestionResult) -> list[Claim]:
    """Return the claims of the stored answer with their citations. Runs two queries."""
    if result.turn_id is None:
        return []
    claims = Claim.objects.filter(turn=result.turn_id).order_by("index")
    return list(claims.prefetch_related("citations"))


def states_counted(run: QuestionRun) -> dict[str, int]:
    """Return how many items are in each state. Runs one query."""
    rows = run.results.order_by().values_list("state").annotate(Count("pk"))
    return dict(rows)


def card_computed(run: QuestionRun) -> Card:
    """Compute the result card of the items so far. Runs two queries."""
    return card_of(rows_of(run), states_counted(run))


def card_read(run: QuestionRun) -> Card:
    """Return the stored result card, else the card of the items so far."""
    return read_card(run.metrics) if run.metrics else card_computed(run)


def has_unjudged(run: QuestionRun) -> bool:
    """Tell from the result card whether a judge failed or was missing for a measure of the run."""
    reasons = card_read(run).not_run
    return any(
        unjudged(dict.fromkeys([name], why), run.frozen["measures"])
        for name, by_reason in reasons.items()
        for why in by_reason
    )


def card_shown(run: QuestionRun) -> Card | None:
    """Return the result card of a run of `question_runs_listed`, for a page.

    None for an unfinished run with more than `MAX_COMPUTED` ended items.
    """
    if not run.metrics and run_progress(run).ended > MAX_COMPUTED:
        return None
    return card_read(run)


def rows_of(run: QuestionRun) -> Iterator[Row]:
    """Yield the items that were asked, in order, for the result card. Runs one query."""
    done = run.results.filter(state=ResultState.DONE).order_by("place")
    names = ("scores", "outcome", "duration_ms", "tokens", "detail__not_run", "detail__confidence",
             "detail__judged_by", "question__kind", "question__category",
             "question__gold_label")  # fmt: skip
    for row in done.values_list(*names):
        scores, outcome, duration_ms, tokens, not_run, confidence, judges, kind, part, label = row
        yield Row(
            scores,
            outcome,
            duration_ms or 0,
            tokens or 0,
            not_run or {},
            confidence=confidence,
            is_answerable=is_answerable(kind),
            judged_by=judges or (),
            part=part if label else None,
        )


def trend_of(run: QuestionRun) -> list[TrendPoint]:
    """Return the last `MAX_TREND` finished runs of a run's set, the oldest first. Runs one query.

    Their means may come from several judges; `is_comparable` says which have those of this run.
    """
    finished = QuestionRun.objects.filter(question_set=run.question_set_id, state=RunState.DONE)
    rows = finished.order_by("-pk").values_list("pk", "metrics__measures", "metrics__judged_by")
    judges = run.metrics.get("judged_by")
    return [
        TrendPoint(
            pk, {name: Interval(**each) for name, each in (measures or {}).items()}, by == judges
        )
        for pk, measures, by in reversed(rows[:MAX_TREND])
    ]


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
