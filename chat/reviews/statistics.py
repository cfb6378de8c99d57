"""Compute intervals of shares, agreement of two reviewers and seeded samples. Pure."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Z_95 = 1.959963984540054  # two-sided 95 % of the standard normal distribution
RESAMPLES, SEED = 10_000, 20_170
Floats = npt.NDArray[np.float64]
Pair = tuple[str, str]  # labels of the first and the second person for one statement


def wilson_interval(hits: int, n: int, *, z: float = Z_95) -> tuple[float, float]:
    """Return the bounds of a share of `hits` in `n`, within [0, 1]; (0, 1) if `n` is 0.

    E. B. Wilson, Journal of the American Statistical Association 22, 1927. It keeps its level in
    small samples and at shares of 0 and 1, where the textbook's interval has no width.
    """
    if n == 0:
        return 0.0, 1.0
    share = hits / n
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    low = 0.0 if hits == 0 else centre - half
    high = 1.0 if hits == n else centre + half
    return low, high


@dataclass(frozen=True)
class Agreement:
    """The share of `n` statements that agree, and kappa in [-1, 1] with its 95 % interval.

    Kappa is None where chance agreement is complete, as both always give the same label. The
    interval is None then too, and for fewer than two labelled answers.
    """

    n: int
    answers: int
    agreed: float
    kappa: float | None
    interval: tuple[float, float] | None


def agreement(answers: Sequence[Sequence[Pair]]) -> Agreement:
    """Return Cohen's kappa over all statements, with an interval.

    Cohen, Educational and Psychological Measurement 20, 1960. The interval is a seeded percentile
    bootstrap over answers, since statements of one answer are not independent (Field and Welsh,
    JRSS B 69, 2007). Resamples without a kappa are left out.
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
    kappas = _kappas(np.tensordot(drawn.astype(np.float64), tables, axes=1))
    low, high = np.nanpercentile(kappas, [2.5, 97.5])
    return Agreement(n, len(answers), agreed, kappa, (float(low), float(high)))


def _kappas(tables: Floats) -> Floats:
    """Return `(agreed - by chance) / (1 - by chance)` for each table; NaN for 0 / 0.

    `tables` holds counts, `(m, labels, labels)`.
    """
    n = tables.sum(axis=(1, 2))
    with np.errstate(invalid="ignore", divide="ignore"):
        agreed = np.trace(tables, axis1=1, axis2=2) / n
        by_chance = (tables.sum(axis=1) * tables.sum(axis=2)).sum(axis=1) / n**2
        kappas: Floats = np.where(by_chance < 1, (agreed - by_chance) / (1 - by_chance), np.nan)
    return kappas


def drawn(ids: Iterable[str], *, percent: float, seed: int) -> list[str]:
    """Return `percent` of the ids, rounded up, by the SHA-256 of seed and id; ties by id.

    The same seed draws the same ids in any order, and a higher share includes those of a lower one.
    `percent` is in (0, 100].
    """
    ranked = sorted(set(ids), key=lambda id: (_lot(id, seed), id))
    return ranked[: math.ceil(len(ranked) * percent / 100)]


def _lot(id: str, seed: int) -> str:
    return hashlib.sha256(f"{seed}:{id}".encode()).hexdigest()
