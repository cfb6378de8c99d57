"""Types of training a small model: rows, examples, tasks and settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from core.errors import MedragError
from corpus.encoders.pairs import Scores, Window

if TYPE_CHECKING:
    import torch

Figures = dict[str, float | int]
BY_SOURCE = "all"  # key of all sources together, in figures


class TrainingError(MedragError):
    """A training that is not possible."""


@dataclass(frozen=True)
class Row:
    """A line of a file: two texts, and their labels in `record`."""

    id: str
    source: str
    first: str
    second: str
    record: Mapping[str, Any]


@dataclass(frozen=True)
class Example:
    """One input of the network; a row that is too long for one becomes several."""

    row: int
    window: Window
    right: tuple[int, ...]  # the right outputs, as numbers of the task


class Task(Protocol):
    """What a model is trained for.

    `figures` returns measures by source and for all sources together; "score", the higher the
    better, chooses the weights. `calibration` is stored with the model, unless empty.
    """

    name: str
    what: str  # for the card: the model's output, and what its figures mean
    outputs: int
    keys: tuple[str, str]  # of a line's two texts

    def refuse_faulty(self, record: Mapping[str, Any], place: str) -> None: ...
    def examples(self, rows: Sequence[Row], tokenizer: Any, max_tokens: int) -> list[Example]: ...
    def loss(self, scores: torch.Tensor, examples: Sequence[Example]) -> torch.Tensor: ...
    def figures(
        self, rows: Sequence[Row], examples: Sequence[Example], scores: Sequence[Scores]
    ) -> dict[str, Figures]: ...
    def calibration(
        self, rows: Sequence[Row], examples: Sequence[Example], scores: Sequence[Scores]
    ) -> dict[str, float]: ...


@dataclass(frozen=True)
class Settings:
    """The settings that decide the weights, besides the rows and the body."""

    seed: int = 0
    epochs: int = 2
    batch: int = 16  # examples a step
    rate: float = 1e-4  # highest rate of the body
    frozen: int = 2  # lowest layers that are not trained
    max_tokens: int = 256
