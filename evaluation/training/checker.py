"""The checker: what evidence says of a claim, by one of three labels."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch

from chat.gate.risk import auroc
from chat.verification.types import Label
from corpus.encoders.pairs import Scores, windows_of
from evaluation.datasets.types import DatasetError
from evaluation.metrics.accuracy import accuracy
from evaluation.metrics.confusion import confusion
from evaluation.metrics.macro_f1 import macro_f1
from evaluation.training.types import BY_SOURCE, Encode, Example, Figures, Row

LABELS = tuple(label.value for label in Label)


class Checker:
    """Cross entropy over the labels, read at [CLS]; evidence that is too long is cut off."""

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
        """Raises DatasetError for a label that is none."""
        if record.get("label") not in LABELS:
            raise DatasetError(f"{place}: label must be one of {', '.join(LABELS)}.")

    def examples(self, rows: Sequence[Row], tokenizer: Any, max_tokens: int) -> list[Example]:
        """One for each row."""
        return [
            Example(place, window, (LABELS.index(row.record["label"]),))
            for place, row in enumerate(rows)
            for window in windows_of(tokenizer, row.first, [row.second], max_tokens=max_tokens)
        ]

    def loss(self, scores: torch.Tensor, examples: Sequence[Example]) -> torch.Tensor:
        """`-log P(label)`, the mean."""
        labels = torch.tensor([example.right[0] for example in examples], device=scores.device)
        return torch.nn.functional.cross_entropy(scores[:, 0], labels)

    def values(self, example: Example, scores: Scores) -> list[float]:
        """The logarithms of the labels' shares."""
        return [float(each) for each in scores[0] - np.logaddexp.reduce(scores[0])]

    def figures(
        self, rows: Sequence[Row], examples: Sequence[Example], scores: Sequence[Scores]
    ) -> dict[str, Figures]:
        """By source."""
        said = {
            example.row: self.values(example, found)
            for example, found in zip(examples, scores, strict=True)
        }
        return {
            source: _figures([rows[n].record["label"] for n in places], [said[n] for n in places])
            for source, places in _by_source(rows).items()
        }

    def baseline(self, rows: Sequence[Row], encode: Encode) -> dict[str, Figures]:
        """How well the encoder's cosine tells supported claims: it knows no other label."""
        claims = encode([row.first for row in rows])
        cosines = (claims * encode([row.second for row in rows])).sum(axis=1)
        return {
            source: {
                "claims": len(places),
                **_told([rows[n].record["label"] for n in places], [cosines[n] for n in places]),
            }
            for source, places in _by_source(rows).items()
        }


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
    return {
        "claims": len(labels),
        "macro F1": reached,
        "accuracy": float(accuracy(counts)),
        **_told(labels, [each[supported] for each in values]),
        "score": reached,
    }


def _told(labels: Sequence[str], scores: Sequence[float]) -> Figures:
    are = np.array([label == Label.SUPPORTED.value for label in labels])
    return {"supported AUROC": auroc(np.array(scores), are)} if 0 < are.sum() < len(are) else {}
