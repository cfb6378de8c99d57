from __future__ import annotations

from collections.abc import Sequence

from evaluation.metrics.selective.risk_coverage import risk_coverage


def aurc(confidences: Sequence[float], losses: Sequence[float]) -> float | None:
    """Return the area under the risk-coverage curve, [0, 1], lower is better.

    The mean of the selective risk over the coverages 1/n, 2/n, ..., 1 (Geifman, Uziel and
    El-Yaniv, ICLR 2019, equation 2). Between the ends of a tie there is no threshold: the risk at
    its end counts for each of its items, so that their order does not matter. None for none.
    """
    area = reached = 0.0
    for point in risk_coverage(confidences, losses):
        area += (point.coverage - reached) * point.risk
        reached = point.coverage
    return area if reached else None
