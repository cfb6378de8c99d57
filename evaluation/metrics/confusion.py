from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


def confusion(true: Sequence[str], said: Sequence[str], labels: Sequence[str]) -> Floats:
    """Return how often each label was called each: `(k, k)`, rows what is true, columns what was
    said.

    As `confusion_matrix` of scikit-learn. Raises ValueError for a label that is none of `labels`,
    and for lists of other lengths.
    """
    places = {label: place for place, label in enumerate(labels)}
    counts = np.zeros((len(labels), len(labels)))
    for one, other in zip(true, said, strict=True):
        if one not in places or other not in places:
            raise ValueError("a label is not known")
        counts[places[one], places[other]] += 1
    return counts


def shares(part: Floats, whole: Floats) -> Floats:
    """Element by element, 0 where the whole is 0."""
    found: Floats = np.zeros(np.shape(part))
    return np.divide(part, whole, out=found, where=np.asarray(whole) > 0)
