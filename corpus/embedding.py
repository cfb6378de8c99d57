"""Text to vectors by a sentence-transformers model."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from corpus.encoders.folders import OWN_MARKS, facts_of
from corpus.encoders.specs import EncoderSpec
from corpus.encoders.types import Vectors

# Texts of a like length are encoded together, a few at a time: on one core that costs nothing, and
# less is spent on padding than with whole batches (12 % of the time over MedQuAD's passages).
ENCODED_TOGETHER = 4


class SentenceTransformersEmbedder:
    """A sentence-transformers model from a folder."""

    def __init__(self, folder: Path, *, dimensions: int) -> None:
        # Late on purpose: torch takes seconds and hundreds of MB, and must not be loaded before
        # the queue forks its workers.
        import torch
        from sentence_transformers import SentenceTransformer
        from transformers.utils.logging import disable_progress_bar

        disable_progress_bar()  # type: ignore[no-untyped-call]
        torch.set_num_threads(1)  # two threads collapse when the other core is busy
        self._lock = threading.Lock()
        self._model: Any = SentenceTransformer(str(folder), device="cpu", local_files_only=True)
        facts = facts_of(EncoderSpec("", model=str(folder)))
        self.fingerprint, self.max_tokens = facts.fingerprint, facts.max_tokens
        self.dimensions = dimensions
        self._model.max_seq_length = facts.max_tokens + OWN_MARKS

    def encode(self, texts: Sequence[str]) -> Vectors:
        if not texts:
            return np.zeros((0, self.dimensions), dtype=np.float32)
        with self._lock:  # the tokenizer keeps state between calls
            vectors = self._model.encode(  # sorts by length itself
                list(texts),
                batch_size=ENCODED_TOGETHER,
                normalize_embeddings=True,
                show_progress_bar=False,
            )
        return np.asarray(vectors, dtype=np.float32)

    def encode_queries(self, texts: Sequence[str]) -> Vectors:
        return self.encode(texts)

    def count_tokens(self, text: str) -> int:
        with self._lock:
            encoded = self._model.tokenizer(
                text, add_special_tokens=False, truncation=False, verbose=False
            )
        return len(encoded["input_ids"])
