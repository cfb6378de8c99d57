"""Verdicts counted by period, with what the numbers can bear."""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import QuerySet
from django.utils import timezone

from chat.models import Flag, Review, ReviewState, Verdict
from chat.reviews.services import OF_ANSWER, OF_REFUSAL
from chat.reviews.wilson import wilson_interval


@dataclass(frozen=True)
class Counted:
    """One verdict among all of its kind: of answers, or of refusals."""

    period: str  # a month, such as 2026-11, in which the questions were asked
    verdict: Verdict
    hits: int
    n: int

    @property
    def share(self) -> float:
        return self.hits / self.n

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's, at 95 %."""
        return wilson_interval(self.hits, self.n)


def verdicts_counted(reviews: QuerySet[Review], *, sampled: bool) -> list[Counted]:
    """Count what is decided, the latest month first. One query.

    Of a turn that was reviewed again the last verdict counts. Those drawn by chance (`sampled`)
    speak of all answers, those that were flagged only of themselves: they are never mixed.
    """
    done = reviews.filter(state=ReviewState.DONE)
    drawn = done.filter(flags__contains=[Flag.SAMPLE])
    counted = drawn if sampled else done.exclude(pk__in=drawn.order_by().values("pk"))
    rows = counted.order_by("done_at", "pk").values_list("turn", "turn__created_at", "verdict")
    latest = {turn: (_month(asked_at), verdict) for turn, asked_at, verdict in rows}
    return _rows(latest.values())


def _month(moment: datetime.datetime) -> str:
    return timezone.localtime(moment).strftime("%Y-%m")


def _rows(found: Iterable[tuple[str, str]]) -> list[Counted]:
    counts = Counter(found)
    rows = []
    for period in sorted({period for period, _ in counts}, reverse=True):
        for kind in (OF_ANSWER, OF_REFUSAL):
            n = sum(counts[period, str(verdict)] for verdict in kind)
            if n:
                rows += [
                    Counted(period, verdict, counts[period, str(verdict)], n) for verdict in kind
                ]
    return rows
