"""Load and run a model that scores pairs of texts: shared by reranker, reader and verifier.

Loaded once a process. It computes in the calling thread: native code can't be interrupted, so with
a thread of its own, timed-out work would go on and pile up. Instead, pairs are computed in small
batches, the clock is checked between them, and one caller at a time has the model. A call is late
by at most one batch.
"""

from __future__ import annotations

import hashlib
import json
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from core.errors import MedragError
from core.rounding import LOGIT_DIGITS

BATCH = 4  # pairs computed between two looks at the clock: some 0.1 s of one core
NEEDED = ("config.json", "tokenizer_config.json")

Floats = npt.NDArray[np.float64]


class Late(MedragError):
    """The model ran out of time. The message reads on after the model's name."""

    retryable = True


class PairModel:
    """A model that gives logits for pairs of texts, on one thread, in batches of similar length."""

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
        self.max_tokens = _max_tokens(folder, self._model.tokenizer)
        self._model.max_seq_length = self.max_tokens
        # What it puts around and between the two texts.
        self.pair_marks = int(self._model.tokenizer.num_special_tokens_to_add(pair=True))
        self.folder_fingerprint = folder_fingerprint(folder)

    @contextmanager
    def turn(self, deadline: float, timeout_s: float) -> Iterator[None]:
        """Reserve the model and its tokenizer for one caller; `deadline` is on the monotonic clock.

        Raises Late if others hold it until then.
        """
        if not self._lock.acquire(timeout=max(0.0, deadline - time.monotonic())):
            raise Late(f"was busy with other questions for {timeout_s:g} s")
        try:
            yield
        finally:
            self._lock.release()

    def logits(
        self, pairs: Sequence[tuple[str, str]], *, deadline: float, timeout_s: float
    ) -> Floats:
        """Return `(n, labels)` rounded logits in the order of the pairs; call within a `turn`.

        Raises Late if not done by the deadline.
        """
        made: dict[int, Floats] = {}
        order = sorted(range(len(pairs)), key=lambda n: (sum(map(len, pairs[n])), n))
        for first in range(0, len(order), BATCH):
            if time.monotonic() > deadline:
                raise Late(f"was not done after {timeout_s:g} s")
            places = order[first : first + BATCH]
            batch = self._model.predict(
                [pairs[place] for place in places], batch_size=BATCH, show_progress_bar=False
            )
            rows = np.asarray(batch, dtype=np.float64).reshape(len(places), -1).round(LOGIT_DIGITS)
            made |= dict(zip(places, rows, strict=True))
        return np.stack([made[place] for place in range(len(pairs))]) if pairs else np.empty((0, 0))

    def sizes(self, texts: Sequence[str]) -> list[int]:
        """Return the number of tokens of each text, without special tokens."""
        if not texts:
            return []
        encoded = self._model.tokenizer(
            list(texts), add_special_tokens=False, truncation=False, verbose=False
        )
        return [len(ids) for ids in encoded["input_ids"]]

    def first_tokens(self, text: str, limit: int) -> str:
        """Return the beginning of a text, `limit` tokens long."""
        tokenizer = self._model.tokenizer
        encoded = tokenizer(
            text, add_special_tokens=False, truncation=True, max_length=limit,
            return_offsets_mapping=True, verbose=False,
        )  # fmt: skip
        offsets = encoded["offset_mapping"]
        return text[: offsets[-1][1]] if offsets else text


def folder_of(name: str) -> Path:
    """Return the folder itself, or where a model of this name was downloaded."""
    folder = Path(name)
    if folder.is_dir() or folder.is_absolute():
        return folder
    from huggingface_hub import snapshot_download  # late: only where a name is given
    from huggingface_hub.errors import HFValidationError, LocalEntryNotFoundError

    try:
        return Path(snapshot_download(name, local_files_only=True))
    except (HFValidationError, LocalEntryNotFoundError):
        return folder


def classifier_fault(folder: Path) -> str:
    """Say why the folder is no model that scores pairs; empty if it is. Loads nothing."""
    if not folder.is_dir():
        return f"there is no folder {folder}."
    missing = [file for file in NEEDED if not (folder / file).is_file()]
    if missing or not _weights(folder):
        lacks = (missing or ["its weights"])[0]
        return f"{folder} is not the folder of a cross-encoder: it lacks {lacks}."
    try:
        kinds = read_config(folder).get("architectures") or ()
    except (OSError, ValueError, AttributeError):
        return f"{folder / 'config.json'} can't be read."
    if not any("SequenceClassification" in kind for kind in kinds):
        return f"{folder} is not a cross-encoder: it does not score pairs of texts."
    return ""


def read_config(folder: Path) -> dict[str, Any]:
    """Return the content of `config.json`. Raises OSError and ValueError."""
    config: dict[str, Any] = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    return config


@lru_cache(maxsize=4)
def folder_fingerprint(folder: Path) -> str:
    """Return the folder's name with a digest of its weights, which are hashed once a process."""
    digest = hashlib.sha256()
    for path in _weights(folder):
        digest.update(path.read_bytes())
    return f"{folder.name}:{digest.hexdigest()[:16]}"


def weights_fault(folder: Path) -> str:
    """Say why the weights can't be read, judged by their headers; loads no tensor."""
    from safetensors import SafetensorError, safe_open  # late: with the rest of the model

    for path in sorted(folder.glob("*.safetensors")):
        try:
            with safe_open(path, framework="np"):
                pass
        except (OSError, SafetensorError):
            return f"{path} can't be read: it is cut off or of another form."
    return ""


def _weights(folder: Path) -> list[Path]:
    return sorted([*folder.glob("*.safetensors"), *folder.glob("pytorch_model*.bin")])


def _max_tokens(folder: Path, tokenizer: Any) -> int:
    config = read_config(folder)
    return int(min(config.get("max_position_embeddings") or 512, tokenizer.model_max_length))
