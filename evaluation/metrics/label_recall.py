from __future__ import annotations

from evaluation.metrics.confusion import Floats, shares


def label_recall(confusions: Floats) -> Floats:
    """Of what is of a label, the share that was called it, [0, 1]: `(..., k, k)` to `(..., k)`.

    0 where nothing is of it, as scikit-learn's `zero_division=0`.
    """
    right = confusions.diagonal(axis1=-2, axis2=-1)
    return shares(right, confusions.sum(axis=-1))
