"""Compare the last days with those before. Only reads."""

from __future__ import annotations

import datetime
from collections import Counter
from dataclasses import dataclass, replace

from django.conf import settings

from chat.reviews.selectors import turns_between
from evaluation.metrics.statistics import holm
from evaluation.models import DayFigures, DriftMeasure
from evaluation.monitoring.selectors import DAY, figures_between, period_of
from evaluation.monitoring.stability import (
    LARGE,
    SOME,
    kolmogorov_smirnov,
    population_stability,
)

LEAST = 50  # a window with fewer questions is not judged; our own choice
ALPHA = 0.05  # after Holm's correction
# The statistics from which a change is some, and large. For latency a distance, our own choice.
BOUNDS = {
    DriftMeasure.SCORES: (SOME, LARGE),
    DriftMeasure.OUTCOMES: (SOME, LARGE),
    DriftMeasure.LATENCY: (0.1, 0.2),
}
Found = tuple[float, float] | None  # a statistic and its p; None for too few questions


@dataclass(frozen=True)
class Compared:
    """One measure of the last days against those before. `p` is corrected for all measures."""

    measure: DriftMeasure
    n_before: int
    n: int
    statistic: float | None = None  # PSI, or of latency the KS distance; None: too few questions
    p: float | None = None

    @property
    def reading(self) -> str:
        if self.statistic is None or self.p is None:
            return "too few questions"
        some, large = BOUNDS[self.measure]
        if self.statistic < some:
            return "as before"
        size = "large" if self.statistic >= large else "some"
        return f"{size} change" if self.p < ALPHA else f"{size} change, perhaps by chance"

    @property
    def is_drift(self) -> bool:
        return self.reading == "large change"


def drift_until(last: datetime.date) -> list[Compared]:
    """Compare each measure between the two windows that end with `last`. Runs four queries."""
    first = last - (settings.DRIFT_DAYS - 1) * DAY
    windows = ((first - settings.DRIFT_REFERENCE_DAYS * DAY, first - DAY), (first, last))
    figures = [figures_between(*days) for days in windows]
    took = [
        list(turns_between(period_of(*days)).order_by().values_list("duration_ms", flat=True))
        for days in windows
    ]
    counts = {
        DriftMeasure.SCORES: [_scores(days) for days in figures],
        DriftMeasure.OUTCOMES: [_outcomes(days) for days in figures],
    }
    rows: list[tuple[Compared, Found]] = []
    for measure, pair in counts.items():
        bins = sorted(pair[0] | pair[1])
        before, now = ([counted[key] for key in bins] for counted in pair)
        row = Compared(measure, sum(before), sum(now))
        rows.append((row, population_stability(before, now) if _is_enough(row) else None))
    row = Compared(DriftMeasure.LATENCY, len(took[0]), len(took[1]))
    rows.append((row, kolmogorov_smirnov(*took) if _is_enough(row) else None))
    corrected = iter(holm([test[1] for _, test in rows if test]))
    return [
        replace(row, statistic=test[0], p=next(corrected)) if test else row for row, test in rows
    ]


def _is_enough(row: Compared) -> bool:
    return min(row.n_before, row.n) >= LEAST


def _scores(days: list[DayFigures]) -> Counter[str]:
    """Sum the days' counts by the number of the bin."""
    numbered = (Counter({str(n): count for n, count in enumerate(day.scores)}) for day in days)
    return sum(numbered, Counter())


def _outcomes(days: list[DayFigures]) -> Counter[str]:
    return sum((Counter({"": day.answered, **day.refused}) for day in days), Counter())
