from __future__ import annotations

from evaluation.metrics.confusion import Floats, shares


def false_alarm(confusions: Floats, label: int) -> Floats:
    """Of what is of a label, the share that was called otherwise, [0, 1], lower is better.

    The false negative rate: `(..., k, k)` gives `(...)`; 0 where nothing is of it.
    """
    own = confusions[..., label, :]
    return shares(own.sum(axis=-1) - own[..., label], own.sum(axis=-1))
