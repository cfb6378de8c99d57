"""Run a model with torch: the reference for other backends."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from corpus.encoders.counting import TokenCounter, transformers_counter
from corpus.encoders.types import EncoderUnusable, Vectors

# Texts of a like length are encoded together, a few at a time: on one core that costs nothing, and
# less is spent on padding than with whole batches (12 % of the time over MedQuAD's passages).
ENCODED_TOGETHER = 4


class TorchRunner:
    """Computes in 32 bits on one thread; the same batch gives the same bytes."""

    def __init__(self, folder: Path, *, pooling: str, max_tokens: int) -> None:
        import torch  # late: it takes seconds

        torch.set_num_threads(1)  # two threads collapse when the other core is busy
        self._lock = threading.Lock()
        self._model = sentence_transformer(folder, pooling)
        self._model.max_seq_length = max_tokens
        self.dimensions = int(self._model.get_embedding_dimension())

    def vectors(self, texts: Sequence[str]) -> Vectors:
        """Return `(n, dimensions)` float32 of unit norm, in order."""
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

    def query_vectors(self, texts: Sequence[str]) -> Vectors:
        """Run each query alone.

        In a batch with a longer text it would be padded, which changes the last bits of its vector,
        and the cache decides which queries come together.
        """
        vectors = [self.vectors([])] + [self.vectors([text]) for text in texts]
        return np.concatenate(vectors)

    def count_tokens(self, text: str) -> int:
        """Return the number of tokens without special ones, beyond the model's limit too."""
        with self._lock:
            return transformers_counter(self._model.tokenizer)(text)

    def token_counter(self, folder: Path) -> TokenCounter:
        backend = getattr(self._model.tokenizer, "backend_tokenizer", None)
        if backend is None:
            return TokenCounter(folder=str(self._model.tokenizer.name_or_path))
        with self._lock:
            backend.save(str(folder / "tokenizer.json"))
        return TokenCounter(file=str(folder / "tokenizer.json"))


def sentence_transformer(folder: Path, pooling: str) -> Any:
    """Load a model by its modules, or with `pooling` (mean or cls) over its last layer.

    Prompts named in the folder are ignored: prefixes are settings of ours. Raises EncoderUnusable.
    """
    from safetensors import SafetensorError  # late, with torch
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Pooling, Transformer

    keep_quiet()
    try:
        if pooling:
            layers = Transformer(str(folder), model_kwargs={"local_files_only": True})
            pooled = Pooling(layers.get_embedding_dimension(), pooling_mode=pooling)
            model = SentenceTransformer(modules=[layers, pooled], device="cpu")
        else:
            model = SentenceTransformer(str(folder), device="cpu", local_files_only=True)
    except (OSError, ValueError, KeyError, RuntimeError, SafetensorError) as error:
        raise EncoderUnusable(f"{folder} can't be loaded ({type(error).__name__}).") from error
    model.default_prompt_name = None
    return model.eval()


def keep_quiet() -> None:
    """Silence transformers' reports on loading weights: failures raise anyway."""
    from transformers.utils.logging import disable_progress_bar, set_verbosity_error  # late

    disable_progress_bar()  # type: ignore[no-untyped-call]
    set_verbosity_error()  # type: ignore[no-untyped-call]
