from __future__ import annotations

from evaluation.metrics.confusion import Floats, shares


def label_precision(confusions: Floats) -> Floats:
    """Of what was called a label, the share that is it, [0, 1]: `(..., k, k)` gives `(..., k)`.

    0 where nothing was called it, as scikit-learn's `zero_division=0`.
    """
    right = confusions.diagonal(axis1=-2, axis2=-1)
    return shares(right, confusions.sum(axis=-2))
