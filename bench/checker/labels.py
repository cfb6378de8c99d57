"""Measures of assigned labels against the true ones. Pure."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from evaluation.metrics.statistics import Floats


def confusion(true: Sequence[str], said: Sequence[str], labels: Sequence[str]) -> Floats:
    """Return the confusion matrix `(k, k)`: rows the true label, columns the assigned one.

    As `confusion_matrix` of scikit-learn. Raises ValueError for a label not in `labels`, and for
    lists of different lengths.
    """
    places = {label: place for place, label in enumerate(labels)}
    counts = np.zeros((len(labels), len(labels)))
    for one, other in zip(true, said, strict=True):
        if one not in places or other not in places:
            raise ValueError("a label is not known")
        counts[places[one], places[other]] += 1
    return counts


def shares(part: Floats, whole: Floats) -> Floats:
    """Divide element by element, giving 0 where the whole is 0."""
    found: Floats = np.zeros(np.shape(part))
    return np.divide(part, whole, out=found, where=np.asarray(whole) > 0)


def accuracy(confusions: Floats) -> Floats:
    """Return the share of items labelled correctly, [0, 1]: `(..., k, k)` gives `(...)`.

    0 without items.
    """
    right = confusions.diagonal(axis1=-2, axis2=-1).sum(axis=-1)
    return shares(right, confusions.sum(axis=(-2, -1)))


def label_f1(confusions: Floats) -> Floats:
    """Return each label's F1, [0, 1]: `(..., k, k)` gives `(..., k)`.

    `2 tp / (2 tp + fp + fn)` (van Rijsbergen, Information Retrieval, 1979, with beta 1); 0 for a
    label that was neither true nor assigned.
    """
    right = confusions.diagonal(axis1=-2, axis2=-1)
    return shares(2 * right, confusions.sum(axis=-1) + confusions.sum(axis=-2))


def macro_f1(confusions: Floats) -> Floats:
    """Return the unweighted mean of the labels' F1, [0, 1]: `(..., k, k)` gives `(...)`.

    Over the labels that occur, as true or assigned, as scikit-learn's `f1_score` does without
    `labels` (Opitz and Burst, 2019, distinguish this mean of F1 from the F1 of means).
    """
    occurs = (confusions.sum(axis=-1) + confusions.sum(axis=-2)) > 0
    return shares(label_f1(confusions).sum(axis=-1), occurs.sum(axis=-1).astype(float))


def false_alarm(confusions: Floats, label: int) -> Floats:
    """Return the false negative rate of a label, [0, 1], lower is better.

    The share of the items of the label that were given another: `(..., k, k)` gives `(...)`; 0
    without items of the label.
    """
    own = confusions[..., label, :]
    return shares(own.sum(axis=-1) - own[..., label], own.sum(axis=-1))


def false_pass(confusions: Floats, label: int) -> Floats:
    """Return the false positive rate of a label, [0, 1], lower is better.

    The share of the items of other labels that were given this one: `(..., k, k)` gives `(...)`; 0
    without items of other labels.
    """
    others = np.delete(confusions, label, axis=-2)
    return shares(others[..., label].sum(axis=-1), others.sum(axis=(-2, -1)))
