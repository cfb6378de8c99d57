from __future__ import annotations

from evaluation.metrics.confusion import Floats, shares


def accuracy(confusions: Floats) -> Floats:
    """Return the share of what was called what it is, [0, 1]; of `(..., k, k)` gives `(...)`.

    0 where nothing was counted.
    """
    right = confusions.diagonal(axis1=-2, axis2=-1).sum(axis=-1)
    return shares(right, confusions.sum(axis=(-2, -1)))
