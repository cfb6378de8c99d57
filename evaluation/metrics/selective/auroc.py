from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def auroc(confidences: Sequence[float], is_positive: Sequence[bool]) -> float | None:
    """Return how probably a positive has more confidence than a negative, [0, 1].

    Higher is better, 0.5 is chance; a tie counts half. The Mann-Whitney statistic by mean ranks
    (Hanley and McNeil, Radiology 1982). None unless there are both. Raises ValueError for lists of
    other lengths.
    """
    if len(confidences) != len(is_positive):
        raise ValueError("each confidence needs a label")
    positive = np.asarray(is_positive, dtype=bool)
    positives, negatives = int(positive.sum()), int((~positive).sum())
    if not positives or not negatives:
        return None
    _, place, count = np.unique(
        np.asarray(confidences, dtype=np.float64), return_inverse=True, return_counts=True
    )
    ranks = (np.cumsum(count) - (count - 1) / 2)[place]  # 1-based, the mean of those tied
    above = ranks[positive].sum() - positives * (positives + 1) / 2
    return float(above / (positives * negatives))
