"""A cross-encoder from a folder: reads the question and a passage together, and scores the pair.

Loaded once a process. It computes in the thread that asks: native code can't be stopped from
outside, so a thread of its own would go on after the time-out, and such threads would pile up.
Instead a few pairs are computed at a time, the clock is looked at between them, and one question
at a time has the model. What is late by more than that is one batch.
"""

from __future__ import annotations

import hashlib
import json
import threading
import time
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from django.core.exceptions import ImproperlyConfigured

from retrieval.rerank.extracts import extract
from retrieval.rerank.types import Passage, RerankUnavailable

BATCH = 4  # pairs computed between two looks at the clock: some 0.1 s of one core
# Of the tokens of a passage: with a question of some 30 a pair stays below 256, above which the
# time of a pair grows faster than what is won by reading more.
PASSAGE_TOKENS = 220
PAIR_MARKS = 3  # tokens that the model puts around and between the two
NEEDED = ("config.json", "tokenizer_config.json")


class CrossEncoderReranker:
    """Scores are the model's logits; a batch holds pairs of a like length."""

    name = "cross-encoder"

    def __init__(self, folder: Path) -> None:
        # Late on purpose: torch takes seconds and hundreds of MB.
        import torch
        from sentence_transformers import CrossEncoder
        from transformers.utils.logging import disable_progress_bar

        disable_progress_bar()  # type: ignore[no-untyped-call]
        torch.set_num_threads(1)  # two threads collapse when the other core is busy
        self._lock = threading.Lock()
        self._model: Any = CrossEncoder(
            str(folder), device="cpu", local_files_only=True, activation_fn=torch.nn.Identity()
        )
        self._max_tokens = _max_tokens(folder, self._model.tokenizer)
        self._model.max_seq_length = self._max_tokens
        self.fingerprint = folder_fingerprint(folder)

    def score(
        self, query: str, passages: Sequence[Passage], *, timeout_s: float
    ) -> Sequence[float]:
        deadline = time.monotonic() + timeout_s
        if not self._lock.acquire(timeout=timeout_s):
            raise RerankUnavailable(f"was busy with other questions for {timeout_s:g} s")
        try:
            return self._scores(self._pairs(query, passages), deadline, timeout_s)
        finally:
            self._lock.release()

    def _scores(
        self, pairs: Sequence[tuple[str, str]], deadline: float, timeout_s: float
    ) -> list[float]:
        scores: dict[int, float] = {}
        order = sorted(range(len(pairs)), key=lambda place: (len(pairs[place][1]), place))
        for first in range(0, len(order), BATCH):
            if time.monotonic() > deadline:
                raise RerankUnavailable(f"was not done after {timeout_s:g} s")
            places = order[first : first + BATCH]
            made = self._model.predict(
                [pairs[place] for place in places], batch_size=BATCH, show_progress_bar=False
            )
            scores |= {place: float(score) for place, score in zip(places, made, strict=True)}
        return [scores[place] for place in range(len(pairs))]

    def _pairs(self, query: str, passages: Sequence[Passage]) -> list[tuple[str, str]]:
        room = self._max_tokens - PAIR_MARKS
        limit = min(PASSAGE_TOKENS, room * 2 // 3)
        asked = self._first_tokens(query, room - limit)
        return [(asked, extract(p, query, limit=limit, measure=self._sizes)) for p in passages]

    def _sizes(self, texts: Sequence[str]) -> list[int]:
        encoded = self._model.tokenizer(
            list(texts), add_special_tokens=False, truncation=False, verbose=False
        )
        return [len(ids) for ids in encoded["input_ids"]]

    def _first_tokens(self, text: str, limit: int) -> str:
        """As much of a question as leaves room for a passage; the encoder would cut the passage."""
        tokenizer = self._model.tokenizer
        encoded = tokenizer(
            text, add_special_tokens=False, truncation=True, max_length=limit,
            return_offsets_mapping=True, verbose=False,
        )  # fmt: skip
        offsets = encoded["offset_mapping"]
        return text[: offsets[-1][1]] if offsets else text


_load_lock = threading.Lock()


def load(name: str) -> CrossEncoderReranker:
    """The model of this name, loaded once a process. Raises ImproperlyConfigured."""
    with _load_lock:
        return _load(name)


@lru_cache(maxsize=1)
def _load(name: str) -> CrossEncoderReranker:
    if fault := folder_fault(name):
        raise ImproperlyConfigured(f"MEDRAG_RERANK_MODEL: {fault}")
    return CrossEncoderReranker(folder_of(name))


def folder_of(name: str) -> Path:
    """The folder itself, or where a model of this name was downloaded to before."""
    folder = Path(name)
    if folder.is_dir() or folder.is_absolute():
        return folder
    from huggingface_hub import snapshot_download  # late: only where a name is given
    from huggingface_hub.errors import HFValidationError, LocalEntryNotFoundError

    try:
        return Path(snapshot_download(name, local_files_only=True))
    except (HFValidationError, LocalEntryNotFoundError):
        return folder


def folder_fault(name: str) -> str:
    """What keeps the folder from being a cross-encoder; empty where nothing does. Loads nothing."""
    folder = folder_of(name)
    if not folder.is_dir():
        return f"there is no folder {folder}."
    missing = [file for file in NEEDED if not (folder / file).is_file()]
    if missing or not _weights(folder):
        lacks = (missing or ["its weights"])[0]
        return f"{folder} is not the folder of a cross-encoder: it lacks {lacks}."
    try:
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return f"{folder / 'config.json'} can't be read."
    if not any("SequenceClassification" in kind for kind in config.get("architectures") or ()):
        return f"{folder} is not a cross-encoder: it does not score pairs of texts."
    if len(config.get("id2label") or "??") != 1:  # two where the file does not say
        return f"{folder} gives more than one score a pair; a reranker gives one."
    return ""


@lru_cache(maxsize=4)
def folder_fingerprint(folder: Path) -> str:
    """Its name and a digest of its weights, which are read once a process."""
    digest = hashlib.sha256()
    for path in _weights(folder):
        digest.update(path.read_bytes())
    return f"{folder.name}:{digest.hexdigest()[:16]}"


def _weights(folder: Path) -> list[Path]:
    return sorted([*folder.glob("*.safetensors"), *folder.glob("pytorch_model*.bin")])


def _max_tokens(folder: Path, tokenizer: Any) -> int:
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    return int(min(config.get("max_position_embeddings") or 512, tokenizer.model_max_length))
