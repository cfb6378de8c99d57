"""Learn the weights of a statement's features: three linear models, by folds of documents."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from chat.gate.risk import auroc
from chat.reader.choose import REREAD
from chat.reader.features import LARGE, READER, Column, Features, weighted, with_large_reader
from chat.reader.weights import weights
from corpus.encoders.registry import encoder_facts
from evaluation.datasets.types import DatasetError
from evaluation.measures.patterns import RIGHT, UNCLEAR, WRONG
from evaluation.question_sets.patterned import Half

FOLDS = 5
STRENGTH = 0.1  # inverse of the penalty on standardised weights: scikit-learn's C
THRESHOLD = 0.44  # probability from which the first statement is shown
DIGITS = 4  # decimals of a weight
_KEYS = ("id", "document", "answerable", "cheap", "cheap_right", "features", "right")


@dataclass(frozen=True)
class Asked:
    """A question with its statements: cheap features of all, every feature of the encoded."""

    document: str
    half: str
    is_answerable: bool
    cheap: Features
    cheap_right: npt.NDArray[np.int64]
    features: Features
    right: npt.NDArray[np.int64]


@dataclass(frozen=True)
class Linear:
    """Weights of unstandardised features, and an intercept."""

    weights: Mapping[str, float]
    intercept: float = 0.0

    def of(self, features: Features, count: int) -> Column:
        return self.intercept + weighted(features, self.weights, count)


@dataclass(frozen=True)
class Choice:
    """The learned models: for the shortlist, the best of it, their order, whether one is right."""

    shortlist: Linear
    best: Linear
    unread: tuple[float, float]  # the large reader's odds, from the small one's
    order: Linear
    right: Linear

    def partly_read(self, row: Asked) -> Asked:
        """Return the question with the large reader's odds of the best `REREAD` statements only."""
        if not row.right.size:
            return row
        intercept, slope = self.unread
        odds = (intercept + slope * row.features[READER]).round(DIGITS)
        first = self.best.of(row.features, row.right.size).round(DIGITS)
        best = np.argsort(-first, kind="stable")[:REREAD]
        odds[best] = row.features[LARGE][best]
        return replace(row, features=with_large_reader(row.features, odds))


def choice_learn(
    paths: Sequence[Path], out: Path, *, name: str, say: Callable[[str], None]
) -> None:
    """Learn from the looked-at half, write `weights.json` and its card `choice.json`.

    Raises DatasetError.
    """
    every = [row for path in paths for row in rows_of(path)]
    rows = [row for row in every if row.half == Half.LOOKED_AT]
    figures = cross_validated(rows)
    learned = fitted(rows)
    out.mkdir(parents=True, exist_ok=True)
    content = {
        "version": name,
        "encoder": encoder_facts().fingerprint,
        "shortlist": learned.shortlist.weights,
        "best": learned.best.weights,
        "unread": learned.unread,
        "order": learned.order.weights,
        "right": learned.right.weights,
        "intercept": learned.right.intercept,
        "threshold": THRESHOLD,
    }
    (out / "weights.json").write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    for measure, value in figures.items():
        say(f"{measure}: {value:.3f}" if isinstance(value, float) else f"{measure}: {value}")
    card = {"figures": figures, "data": _digest(rows), "questions": len(rows)}
    (out / "choice.json").write_text(json.dumps(card, indent=1) + "\n", encoding="utf-8")


def fitted(rows: Sequence[Asked]) -> Choice:
    """Fit all models; the last learns from the statements that the order puts first."""
    known = [row for row in rows if (row.cheap_right == RIGHT).any()]
    shortlist = _linear([(row.cheap, row.cheap_right) for row in known])
    answered = [row for row in known if (row.right == RIGHT).any()]
    best = _linear([(_without_large(row.features), row.right) for row in answered])
    read = [row for row in [*rows, *map(without_answer, rows)] if row.right.size]
    none = Linear({})
    so_far = Choice(shortlist, best, _estimate(read), none, none)
    partly = [so_far.partly_read(row) for row in answered]
    order = _linear([(row.features, row.right) for row in partly])
    first = [_first(so_far.partly_read(row), order) for row in read]
    return replace(so_far, order=order, right=_linear(first))


def site_choice() -> Choice:
    """Return this release's models, for what is learned from what they choose."""
    known = weights()
    order, right = Linear(known.order), Linear(known.right, known.intercept)
    return Choice(Linear(known.shortlist), Linear(known.best), known.unread, order, right)


def _without_large(features: Features) -> Features:
    return {name: column for name, column in features.items() if not name.startswith(LARGE)}


def _estimate(rows: Sequence[Asked]) -> tuple[float, float]:
    """Return intercept and slope of the large reader's odds over the small one's."""
    small, large = (np.concatenate([r.features[name] for r in rows]) for name in (READER, LARGE))
    slope, intercept = np.polyfit(small, large, 1)
    return round(float(intercept), DIGITS), round(float(slope), DIGITS)


def without_answer(row: Asked) -> Asked:
    """Return the question without the passages that answer it: the hardest kind to refuse.

    Every passage with a statement that is right or unclear is removed. No statements are left where
    none is right: then the question already is of that kind.
    """
    passages = row.features.get("passage rank", np.zeros(row.right.size))
    answering = np.isin(passages, passages[row.right != WRONG])
    left = ~answering & (row.right == RIGHT).any()
    features = {name: column[left] for name, column in row.features.items()}
    places = np.unique(passages[left])
    for name, column in features.items():
        if name == "passage rank":
            features[name] = np.log(1.0 + np.searchsorted(places, column))
        elif name.endswith(" behind"):
            features[name] = column - column.max(initial=-np.inf)
    return replace(row, is_answerable=False, features=features, right=row.right[left])


def cross_validated(rows: Sequence[Asked]) -> dict[str, Any]:
    """Return figures on documents that the models of their fold were not fitted on."""
    folds = np.array([fold_of(row.document) for row in rows])
    first, odds, reached = [], [], []
    for fold in range(FOLDS):
        learned = fitted([row for row, at in zip(rows, folds, strict=True) if at != fold])
        for row, at in zip(rows, folds, strict=True):
            if at != fold or not row.right.size:
                continue
            features, label = _first(learned.partly_read(row), learned.order)
            odds.append(float(learned.right.of(features, 1)[0]))
            first.append(label[0] == RIGHT)
            if (row.cheap_right == RIGHT).any():
                reached.append(label[0] == RIGHT)
    right, probable = np.array(first), 1 / (1 + np.exp(-np.array(odds)))
    shown = probable >= THRESHOLD
    return {
        "questions": len(rows),
        "with an answer among their statements": len(reached),
        "first statement right, of these": float(np.mean(reached)),
        "first right or not, AUROC": auroc(np.array(odds), right),
        "shown": float(shown.mean()),
        "right of what is shown": float(right[shown].mean()) if shown.any() else 0.0,
        "Brier score": float(np.mean((probable - right) ** 2)),
    }


def _first(row: Asked, order: Linear) -> tuple[Features, npt.NDArray[np.int64]]:
    """Return the features and the label of the statement that the order puts first."""
    place = int(np.argmax(order.of(row.features, row.right.size).round(4)))
    alone = {name: column[place : place + 1] for name, column in row.features.items()}
    return alone, row.right[place : place + 1]


def _linear(found: Sequence[tuple[Features, npt.NDArray[np.int64]]]) -> Linear:
    """Fit a logistic regression in which each question has the same weight. Raises DatasetError."""
    names = sorted({name for features, _ in found for name in features})
    tables, labels, shares = [], [], []
    for features, right in found:
        clear = right != UNCLEAR
        if clear.any():
            none = np.zeros(right.size)
            tables.append(np.column_stack([features.get(n, none) for n in names])[clear])
            labels.append(right[clear] == RIGHT)
            shares.append(np.full(int(clear.sum()), 1 / clear.sum()))
    if len(np.unique(np.concatenate([[], *labels]))) < 2:
        raise DatasetError("Too few questions with an answer among their statements to learn from.")
    share = np.concatenate(shares)
    slopes, intercept = regressed(
        np.concatenate(tables), np.concatenate(labels), STRENGTH, share / share.mean()
    )
    return Linear(dict(zip(names, slopes, strict=True)), intercept)


def regressed(
    table: npt.NDArray[np.float64],
    label: npt.NDArray[np.bool_],
    strength: float,
    share: npt.NDArray[np.float64] | None = None,
) -> tuple[list[float], float]:
    """Fit a logistic regression on standardised columns; return rounded weights and intercept.

    `share` is the weight of each row. The weights are those of the columns as they are.
    """
    from sklearn.linear_model import LogisticRegression  # late: it takes half a second

    middle, spread = table.mean(axis=0), table.std(axis=0)
    spread[spread < 1e-9] = 1.0
    model = LogisticRegression(C=strength, max_iter=5000)
    model.fit((table - middle) / spread, label, sample_weight=share)
    slopes = model.coef_[0] / spread
    intercept = float(model.intercept_[0] - slopes @ middle)
    return [round(float(w), DIGITS) for w in slopes], round(intercept, DIGITS)


def fold_of(document: str) -> int:
    return hashlib.sha256(document.encode()).digest()[0] % FOLDS


def rows_of(path: Path) -> list[Asked]:
    try:
        with path.open(encoding="utf-8") as lines:
            return [_row(json.loads(line)) for line in lines]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise DatasetError(
            f"{path} holds no rows of `evaluate answers --material` ({type(error).__name__})."
        ) from error


def _row(row: Mapping[str, Any]) -> Asked:
    return Asked(
        row["document"],
        row["half"],
        row["answerable"],
        _columns(row["cheap"]),
        np.array(row["cheap_right"], dtype=np.int64),
        _columns(row["features"]),
        np.array(row["right"], dtype=np.int64),
    )


def _columns(features: Mapping[str, Sequence[float]]) -> Features:
    return {name: np.array(column, dtype=np.float64) for name, column in features.items()}


def _digest(rows: Sequence[Asked]) -> str:
    text = json.dumps([[row.document, row.right.tolist()] for row in rows])
    return hashlib.sha256(text.encode()).hexdigest()
