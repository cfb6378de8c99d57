"""How far two reviewers agree beyond chance. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

RESAMPLES, SEED = 10_000, 20_170
Floats = npt.NDArray[np.float64]
Pair = tuple[str, str]  # what the first and the second said of one statement


@dataclass(frozen=True)
class Agreement:
    """Over `n` statements the share that agrees, and kappa in [-1, 1] with its 95 % interval.

    Kappa is None where chance alone agrees on all: both always say one and the same. So is the
    interval, where fewer than two answers were labelled.
    """

    n: int
    answers: int
    agreed: float
    kappa: float | None
    interval: tuple[float, float] | None


def agreement(answers: Sequence[Sequence[Pair]]) -> Agreement:
    """Cohen's kappa (Educational and Psychological Measurement 20, 1960) over all statements.

    The interval is a seeded percentile bootstrap over answers: statements of one are not
    independent (Field and Welsh, JRSS B 69, 2007). Resamples without a kappa are left out.
    """
    labels = sorted({label for pairs in answers for pair in pairs for label in pair})
    places = {label: i for i, label in enumerate(labels)}
    tables = np.zeros((len(answers), len(labels), len(labels)))
    for table, pairs in zip(tables, answers, strict=True):
        for first, second in pairs:
            table[places[first], places[second]] += 1
    whole = tables.sum(axis=0)
    if not (n := int(whole.sum())):
        return Agreement(0, len(answers), 0.0, None, None)
    kappa = float(_kappas(whole[None])[0])
    agreed = float(np.trace(whole) / n)
    if np.isnan(kappa) or len(answers) < 2:
        return Agreement(n, len(answers), agreed, None if np.isnan(kappa) else kappa, None)
    random = np.random.default_rng(SEED)
    drawn = random.multinomial(len(answers), np.full(len(answers), 1 / len(answers)), RESAMPLES)
    found = _kappas(np.tensordot(drawn.astype(np.float64), tables, axes=1))
    low, high = np.nanpercentile(found, [2.5, 97.5])
    return Agreement(n, len(answers), agreed, kappa, (float(low), float(high)))


def _kappas(tables: Floats) -> Floats:
    """(agreed - by chance) / (1 - by chance) of `(m, labels, labels)` counts; NaN for 0 / 0."""
    n = tables.sum(axis=(1, 2))
    with np.errstate(invalid="ignore", divide="ignore"):
        agreed = np.trace(tables, axis1=1, axis2=2) / n
        by_chance = (tables.sum(axis=1) * tables.sum(axis=2)).sum(axis=1) / n**2
        found: Floats = np.where(by_chance < 1, (agreed - by_chance) / (1 - by_chance), np.nan)
    return found
