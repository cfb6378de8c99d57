"""What every encoder offers, whatever computes it, and what can be wrong with one."""

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
    """The encoder can't be loaded as it is configured. The message says what is wrong with it."""

    code = "encoder"


class EncodingFailed(MedragError):
    """The endpoint that encodes gave no vectors that can be used. Never holds text."""

    code = "encoder"
    retryable = True


class Embedder(Protocol):
    """Turns texts into unit vectors; the same text in the same batch gives the same bytes."""

    @property
    def fingerprint(self) -> str:
        """Names the weights and what computes them; stored with what they made."""

    @property
    def max_tokens(self) -> int:
        """The most tokens of a text that the encoder reads."""

    @property
    def dimensions(self) -> int: ...

    def __hash__(self) -> int: ...

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return passages: `(n, dimensions)` float32 of unit norm, in order; `(0, d)` for none."""

    def encode_queries(self, texts: Sequence[str]) -> Vectors:
        """Encode queries, in the same space: their prefix, or a model of their own (MedCPT)."""

    def count_tokens(self, text: str) -> int:
        """Return tokens of a passage without the encoder's own marks."""

    def token_counter(self, folder: Path) -> TokenCounter:
        """Return how another process counts the same; it reads what is written into `folder`."""
