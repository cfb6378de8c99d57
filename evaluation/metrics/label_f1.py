from __future__ import annotations

from evaluation.metrics.confusion import Floats, shares


def label_f1(confusions: Floats) -> Floats:
    """Return the harmonic mean of precision and recall of each label: `(..., k, k)` gives `(...,
    k)`.

    `2 tp / (2 tp + fp + fn)` (van Rijsbergen, Information Retrieval, 1979, with beta 1); 0 where a
    label neither is nor was called anywhere.
    """
    right = confusions.diagonal(axis1=-2, axis2=-1)
    return shares(2 * right, confusions.sum(axis=-1) + confusions.sum(axis=-2))
