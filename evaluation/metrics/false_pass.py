from __future__ import annotations

import numpy as np

from evaluation.metrics.confusion import Floats, shares


def false_pass(confusions: Floats, label: int) -> Floats:
    """Of what is not of a label, the share that was called it, [0, 1], lower is better.

    The false positive rate: `(..., k, k)` gives `(...)`; 0 where all is of it.
    """
    others = np.delete(confusions, label, axis=-2)
    return shares(others[..., label].sum(axis=-1), others.sum(axis=(-2, -1)))
