"""Learn how likely a list of passages contains the answer, from material of `evaluate answers`."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from bench.training.choice import DIGITS, FOLDS, Asked, fold_of, regressed, rows_of, site_choice
from chat.gate.risk import auroc
from chat.reader.answerable import of_list
from evaluation.datasets.types import DatasetError
from evaluation.measures.patterns import RIGHT
from evaluation.question_sets.patterned import Half

LET_THROUGH = 0.985  # share of the answered questions that the threshold lets through
STRENGTH = 0.3  # inverse of the penalty on standardised weights: scikit-learn's C
Floats = npt.NDArray[np.float64]
Table = dict[str, float]
Model = tuple[Table, float]  # weights and intercept


def answerable_learn(
    paths: Sequence[Path], out: Path, *, name: str, say: Callable[[str], None]
) -> None:
    """Learn from the looked-at half, write `answerable.json`, and report figures on both halves.

    What the large reader reads is chosen by this release's `weights.json`: learn that first. The
    threshold is set by cross-validation over folds of documents. Raises DatasetError.
    """
    partly_read = site_choice().partly_read
    rows = [partly_read(row) for path in paths for row in rows_of(path)]
    learned = [row for row in rows if row.half == Half.LOOKED_AT]
    held = _held(learned)
    if held.size == 0 or held.all() or not held.any():
        raise DatasetError("Questions that are answered and others are both needed to learn from.")
    tables = [of_list(row.features) for row in learned]
    odds = _cross_fitted(learned, tables, held)
    threshold = round(float(_share(np.quantile(odds[held], 1 - LET_THROUGH))), DIGITS)
    weights, intercept = model = _fitted(tables, held)
    content = {"version": name, "weights": weights, "intercept": intercept, "threshold": threshold}
    out.mkdir(parents=True, exist_ok=True)
    (out / "answerable.json").write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    counted = [row for row in rows if row.half == Half.COUNTED]
    others = np.array([_odds(model, of_list(row.features)) for row in counted])
    for half, of, found in (("looked at", learned, odds), ("counted", counted, others)):
        for line in _figures(of, _share(found), threshold):
            say(f"{half}, {line}")


def _held(rows: Sequence[Asked]) -> npt.NDArray[np.bool_]:
    """Tell for each question whether the answer is among its passages."""
    return np.array([bool((row.cheap_right == RIGHT).any()) for row in rows], dtype=bool)


def _cross_fitted(
    rows: Sequence[Asked], tables: Sequence[Table], held: npt.NDArray[np.bool_]
) -> Floats:
    """Return log-odds, each by a model fitted on other folds of documents."""
    folds = np.array([fold_of(row.document or str(place)) for place, row in enumerate(rows)])
    odds = np.zeros(len(rows))
    for fold in range(FOLDS):
        others = [table for table, at in zip(tables, folds, strict=True) if at != fold]
        model = _fitted(others, held[folds != fold])
        for place in map(int, np.flatnonzero(folds == fold)):
            odds[place] = _odds(model, tables[place])
    return odds


def _figures(rows: Sequence[Asked], shares: Floats, threshold: float) -> list[str]:
    held, is_open = _held(rows), shares >= threshold
    parts = [("answer there, let through", held, is_open), ("others, stopped", ~held, ~is_open)]
    found = [f"{name}: {of[which].sum()} of {which.sum()}" for name, which, of in parts]
    return [f"AUROC: {auroc(shares, held):.3f}", *found] if 0 < held.sum() < held.size else found


def _odds(model: Model, table: Table) -> float:
    weights, intercept = model
    return intercept + sum(weights.get(name, 0.0) * value for name, value in table.items())


def _share(odds: npt.ArrayLike) -> Floats:
    share: Floats = 1 / (1 + np.exp(-np.asarray(odds, dtype=np.float64)))
    return share


def _fitted(tables: Sequence[Table], held: npt.NDArray[np.bool_]) -> Model:
    names = sorted({name for table in tables for name in table})
    values = np.array([[table.get(name, 0.0) for name in names] for table in tables])
    weights, intercept = regressed(values, held, STRENGTH)
    return dict(zip(names, weights, strict=True)), intercept
