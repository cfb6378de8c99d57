"""The interface of encoders, and its errors."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

import numpy as np
import numpy.typing as npt

from core.errors import MedragError
from corpus.encoders.counting import TokenCounter

Vectors = npt.NDArray[np.float32]


class EncoderUnusable(MedragError):
    """The encoder can't be loaded as configured. The message says why."""

    code = "encoder"


class EncodingFailed(MedragError):
    """The encoding endpoint gave no usable vectors. Never holds text."""

    code = "encoder"
    retryable = True


class Embedder(Protocol):
    """Turns texts into unit vectors; the same text in the same batch gives the same bytes."""

    @property
    def fingerprint(self) -> str:
        """Identifies the weights and the backend; stored with the vectors."""

    @property
    def max_tokens(self) -> int:
        """The most tokens of a text that the encoder reads."""

    @property
    def dimensions(self) -> int: ...

    @property
    def is_english(self) -> bool:
        """Whether it reads English only: texts in other languages are given it in English."""

    def __hash__(self) -> int: ...

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Encode passages: `(n, dimensions)` float32 of unit norm, in order; `(0, d)` for none."""

    def encode_queries(self, texts: Sequence[str]) -> Vectors:
        """Encode queries in the same space, with their own prefix or model (MedCPT)."""

    def count_tokens(self, text: str) -> int:
        """Return the number of tokens of a passage without special ones."""

    def token_counter(self, folder: Path) -> TokenCounter:
        """Return a counter for another process, whose files are written into `folder`."""
