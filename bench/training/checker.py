"""Train the checker: it labels a claim by its evidence with one of three labels."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from bench.training.types import BY_SOURCE, Example, Figures, Row
from chat.gate.risk import auroc, conformal_threshold, needed_unanswerable
from chat.verification.types import Label
from corpus.encoders.pairs import Scores, windows_of
from evaluation.datasets.types import DatasetError
from evaluation.metrics.labels import accuracy, confusion, macro_f1

LABELS = tuple(label.value for label in Label)
LEAST = 0.5  # of a threshold, so that evidence can't both support and contradict
RISK = 0.05  # that an unsupported claim passes, before the exact checks
TEMPERATURES = [round(0.5 * 1.1**n, 3) for n in range(28)]  # 0.5 to 6.6


Array = npt.NDArray[np.float64]


class Checker:
    """A classifier read at [CLS], trained by cross entropy; long evidence is truncated."""

    name = "checker"
    what = (
        f"Says of a claim whether evidence has it {', '.join(LABELS)} (in this order, at [CLS]); "
        "evidence that is too long for one input was cut off. "
        "macro F1: the mean over labels; by it the weights were chosen (score). supported AUROC: "
        "a supported claim scores above one that is not."
    )
    outputs = len(LABELS)
    keys = ("claim", "evidence")

    def refuse_faulty(self, record: Mapping[str, Any], place: str) -> None:
        """Raise DatasetError for an unknown label."""
        if record.get("label") not in LABELS:
            raise DatasetError(f"{place}: label must be one of {', '.join(LABELS)}.")

    def examples(self, rows: Sequence[Row], tokenizer: Any, max_tokens: int) -> list[Example]:
        """Return one example for each row."""
        return [
            Example(place, window, (LABELS.index(row.record["label"]),))
            for place, row in enumerate(rows)
            for window in windows_of(tokenizer, row.first, [row.second], max_tokens=max_tokens)
        ]

    def loss(self, scores: torch.Tensor, examples: Sequence[Example]) -> torch.Tensor:
        """Return the mean of `-log P(label)`."""
        labels = torch.tensor([example.right[0] for example in examples], device=scores.device)
        return torch.nn.functional.cross_entropy(scores[:, 0], labels)

    def figures(
        self, rows: Sequence[Row], examples: Sequence[Example], scores: Sequence[Scores]
    ) -> dict[str, Figures]:
        """Return the measures by source."""
        said = {
            example.row: _log_shares(found[:1])[0].tolist()
            for example, found in zip(examples, scores, strict=True)
        }
        return {
            source: _figures([rows[n].record["label"] for n in places], [said[n] for n in places])
            for source, places in _by_source(rows).items()
        }

    def calibration(
        self, rows: Sequence[Row], examples: Sequence[Example], scores: Sequence[Scores]
    ) -> dict[str, float]:
        """Fit the temperature, and the probability of *supported* from which a claim passes.

        The temperature calibrates the probabilities (Guo et al., ICML 2017). The threshold is set
        by conformal risk control: the next claim that is not supported passes with a probability of
        at most RISK, if it is like these. With too few such claims it is 1.
        """
        logits = np.array([found[0] for found in scores], dtype=np.float64)
        labels = np.array([LABELS.index(rows[example.row].record["label"]) for example in examples])
        temperature = min(TEMPERATURES, key=lambda t: _surprise(logits / t, labels))
        supported = LABELS.index(Label.SUPPORTED.value)
        shares = np.exp(_log_shares(logits / temperature))[:, supported]
        others = shares[labels != supported].tolist()
        is_enough = len(others) >= needed_unanswerable(RISK)
        threshold = max(LEAST, round(conformal_threshold(others, RISK), 4)) if is_enough else 1.0
        return {"temperature": temperature, "threshold": threshold, "risk": RISK}


def _log_shares(logits: Array) -> Array:
    shares: Array = logits - np.logaddexp.reduce(logits, axis=1, keepdims=True)
    return shares


def _surprise(logits: Array, labels: npt.NDArray[np.int64]) -> float:
    """Return the mean of `-log P(label)`."""
    return float(-_log_shares(logits)[np.arange(len(labels)), labels].mean())


def _by_source(rows: Sequence[Row]) -> dict[str, list[int]]:
    groups: dict[str, list[int]] = defaultdict(list)
    for place, row in enumerate(rows):
        groups[BY_SOURCE].append(place)
        groups[row.source].append(place)
    return groups


def _figures(labels: Sequence[str], values: Sequence[list[float]]) -> Figures:
    counts = confusion(labels, [LABELS[int(np.argmax(each))] for each in values], LABELS)
    reached = float(macro_f1(counts))
    supported = LABELS.index(Label.SUPPORTED.value)
    are = np.array([label == Label.SUPPORTED.value for label in labels])
    shares = np.array([each[supported] for each in values])
    told: Figures = {"supported AUROC": auroc(shares, are)} if 0 < are.sum() < len(are) else {}
    return {
        "claims": len(labels),
        "macro F1": reached,
        "accuracy": float(accuracy(counts)),
        **told,
        "score": reached,
    }
