"""Measures of what was called what: labels against the true ones. Pure."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from evaluation.metrics.statistics import Floats


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


def accuracy(confusions: Floats) -> Floats:
    """Return the share of what was called what it is, [0, 1]; of `(..., k, k)` gives `(...)`.

    0 where nothing was counted.
    """
    right = confusions.diagonal(axis1=-2, axis2=-1).sum(axis=-1)
    return shares(right, confusions.sum(axis=(-2, -1)))


def label_precision(confusions: Floats) -> Floats:
    """Of what was called a label, the share that is it, [0, 1]: `(..., k, k)` gives `(..., k)`.

    0 where nothing was called it, as scikit-learn's `zero_division=0`.
    """
    right = confusions.diagonal(axis1=-2, axis2=-1)
    return shares(right, confusions.sum(axis=-2))


def label_recall(confusions: Floats) -> Floats:
    """Of what is of a label, the share that was called it, [0, 1]: `(..., k, k)` to `(..., k)`.

    0 where nothing is of it, as scikit-learn's `zero_division=0`.
    """
    right = confusions.diagonal(axis1=-2, axis2=-1)
    return shares(right, confusions.sum(axis=-1))


def label_f1(confusions: Floats) -> Floats:
    """Return the harmonic mean of precision and recall of each label: `(..., k, k)` gives `(...,
    k)`.

    `2 tp / (2 tp + fp + fn)` (van Rijsbergen, Information Retrieval, 1979, with beta 1); 0 where a
    label neither is nor was called anywhere.
    """
    right = confusions.diagonal(axis1=-2, axis2=-1)
    return shares(2 * right, confusions.sum(axis=-1) + confusions.sum(axis=-2))


def macro_f1(confusions: Floats) -> Floats:
    """Return the mean of the labels' F1, [0, 1], each label counting the same: `(..., k, k)` to
    `(...)`.

    Over the labels that occur, as true or as said, which is what scikit-learn's `f1_score` takes
    where it is given none (Opitz and Burst, 2019, tell this mean of F1 from the F1 of means).
    """
    occurs = (confusions.sum(axis=-1) + confusions.sum(axis=-2)) > 0
    return shares(label_f1(confusions).sum(axis=-1), occurs.sum(axis=-1).astype(float))


def false_alarm(confusions: Floats, label: int) -> Floats:
    """Of what is of a label, the share that was called otherwise, [0, 1], lower is better.

    The false negative rate: `(..., k, k)` gives `(...)`; 0 where nothing is of it.
    """
    own = confusions[..., label, :]
    return shares(own.sum(axis=-1) - own[..., label], own.sum(axis=-1))


def false_pass(confusions: Floats, label: int) -> Floats:
    """Of what is not of a label, the share that was called it, [0, 1], lower is better.

    The false positive rate: `(..., k, k)` gives `(...)`; 0 where all is of it.
    """
    others = np.delete(confusions, label, axis=-2)
    return shares(others[..., label].sum(axis=-1), others.sum(axis=(-2, -1)))
