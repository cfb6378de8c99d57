"""Count verdicts by period, and compare reviewers with each other and with the checker."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from django.db.models import QuerySet
from django.utils import timezone

from chat.models import Flag, Review, ReviewState, SupportLabel, Turn, Verdict
from chat.reviews.labelling import SIDES, labels_by_turn
from chat.reviews.services import OF_ANSWER, OF_REFUSAL
from chat.reviews.statistics import Agreement, agreement, wilson_interval

UNKNOWN = "unknown"  # the trace was removed, or has no verdict on the statement


@dataclass(frozen=True)
class Counted:
    """The count of one verdict among all verdicts on answers, or on refusals."""

    period: str  # a month, such as 2026-11, in which the questions were asked
    verdict: Verdict
    hits: int
    n: int

    @property
    def share(self) -> float:
        return self.hits / self.n

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's interval of the share at 95 %."""
        return wilson_interval(self.hits, self.n)


def verdicts_counted(reviews: QuerySet[Review], *, sampled: bool) -> list[Counted]:
    """Count verdicts of finished reviews, latest month first. One query.

    Of several reviews of a turn the last verdict counts. Sampled turns (`sampled`) represent all
    answers, flagged ones only themselves, so the two are never mixed.
    """
    done = reviews.filter(state=ReviewState.DONE)
    drawn = done.filter(flags__contains=[Flag.SAMPLE])
    counted = drawn if sampled else done.exclude(pk__in=drawn.order_by().values("pk"))
    rows = counted.order_by("done_at", "pk").values_list("turn", "turn__created_at", "verdict")
    months = {
        turn: (f"{timezone.localtime(asked_at):%Y-%m}", verdict) for turn, asked_at, verdict in rows
    }
    counts = Counter(months.values())
    shares = []
    for period in sorted({period for period, _ in counts}, reverse=True):
        for kind in (OF_ANSWER, OF_REFUSAL):
            if n := sum(counts[period, verdict] for verdict in kind):
                shares += [Counted(period, verdict, counts[period, verdict], n) for verdict in kind]
    return shares


@dataclass(frozen=True)
class CheckerRow:
    """People's labels of the statements that the checker gave `verdict`; `still_open` have none."""

    verdict: str
    counts: tuple[int, ...]  # by `SupportLabel`, in its order
    still_open: int

    @property
    def n(self) -> int:
        return sum(self.counts)

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's interval at 95 % of the share that people call supported."""
        return wilson_interval(self.counts[0], self.n)


@dataclass(frozen=True)
class Compared:
    between: Agreement
    checker: tuple[CheckerRow, ...]


def reviewers_compared() -> Compared:
    """Compare labels of all statements that two people have labelled. Two queries.

    Only statements that were shown are labelled. So the result tells how often the checker passes
    statements that people would not, and nothing about those it withholds.
    """
    by_turn = labels_by_turn()
    pairs = [
        [(each.by_place[SIDES[0]], each.by_place[SIDES[1]]) for each in labels]
        for labels in by_turn.values()
    ]
    counts: Counter[tuple[str, str]] = Counter()
    turns = Turn.objects.filter(pk__in=by_turn.keys()).order_by()
    for pk, verdicts in turns.values_list("pk", "trace__verdicts"):
        label_of = {verdict["text"]: verdict["label"] for verdict in verdicts or ()}
        counts.update((label_of.get(each.claim.text, UNKNOWN), each.final) for each in by_turn[pk])
    rows = tuple(
        CheckerRow(
            verdict,
            tuple(counts[verdict, label] for label in SupportLabel.values),
            counts[verdict, ""],
        )
        for verdict in sorted({verdict for verdict, _ in counts})
    )
    return Compared(agreement(pairs), rows)
