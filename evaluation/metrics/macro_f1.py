from __future__ import annotations

from evaluation.metrics.confusion import Floats, shares
from evaluation.metrics.label_f1 import label_f1


def macro_f1(confusions: Floats) -> Floats:
    """Return the mean of the labels' F1, [0, 1], each label counting the same: `(..., k, k)` to
    `(...)`.

    Over the labels that occur, as true or as said, which is what scikit-learn's `f1_score` takes
    where it is given none (Opitz and Burst, 2019, tell this mean of F1 from the F1 of means).
    """
    occurs = (confusions.sum(axis=-1) + confusions.sum(axis=-2)) > 0
    return shares(label_f1(confusions).sum(axis=-1), occurs.sum(axis=-1).astype(float))
