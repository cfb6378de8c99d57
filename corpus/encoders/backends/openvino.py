"""Run a model with OpenVINO: four to six times as fast as torch on one core."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from core.openvino_runtime import Requests, compile_graph, core
from corpus.encoders.backends.openvino_model import MODEL, TOKENIZER, WEIGHTS, converted
from corpus.encoders.counting import TokenCounter
from corpus.encoders.types import Vectors

PADDED_TO = 8  # tokens: so that few shapes are prepared, and little is computed in vain
# Most questions have one of these lengths. A model that is made for a length takes two thirds of
# the time there, since each length that differs from the last has to be prepared; and its weights
# stand in memory once more, so that a large one is not.
FIXED = (16, 32)
MOST_FIXED_BYTES = 150_000_000  # of the weights
_WARMED = range(PADDED_TO, 65, PADDED_TO)  # lengths of most other questions


class OpenvinoRunner:
    """Runs each text alone on one thread, `threads` texts at a time.

    So the bytes of a vector depend only on its text, the weights and the processor: not on the
    batch, its order, the number of threads or the machine's load.
    """

    def __init__(
        self, folder: Path, *, pooling: str, max_tokens: int, kept_in: Path, threads: int
    ) -> None:
        from tokenizers import Tokenizer  # late: only where it is the backend in use

        made = converted(folder, pooling=pooling, kept_in=kept_in)
        self._max_tokens = max_tokens
        self._token_counter = TokenCounter(file=str(made / TOKENIZER))
        self._count = self._token_counter.load()
        self._tokenizer = Tokenizer.from_file(str(made / TOKENIZER))
        self._tokenizer.enable_truncation(max_tokens)
        self._tokenizer.no_padding()
        self._threads = threads
        self._at_once = threading.BoundedSemaphore(threads)
        is_small = (made / WEIGHTS).stat().st_size <= MOST_FIXED_BYTES
        lengths = [length for length in FIXED if is_small and length <= max_tokens]
        self._fixed = {
            length: Requests(_compiled(made, threads, length), threads) for length in lengths
        }
        compiled = _compiled(made, threads)
        self._any = Requests(compiled, threads)
        self.dimensions = int(compiled.output(0).partial_shape[1].get_length())
        for length in _WARMED:  # else the first question of a length waits some milliseconds more
            self._vector([0] * min(length, max_tokens))

    def vectors(self, texts: Sequence[str]) -> Vectors:
        """Return `(n, dimensions)` float32 of unit norm, in order."""
        vectors = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        tokens = [entry.ids for entry in self._tokenizer.encode_batch(list(texts))]
        if len(tokens) == 1:
            vectors[0] = self._vector(tokens[0])
            return vectors
        # The longest first: all threads end at about the same time.
        order = sorted(range(len(tokens)), key=lambda place: -len(tokens[place]))
        with ThreadPoolExecutor(self._threads) as pool:
            for place, vector in zip(
                order, pool.map(lambda place: self._vector(tokens[place]), order), strict=True
            ):
                vectors[place] = vector
        return vectors

    def query_vectors(self, texts: Sequence[str]) -> Vectors:
        """Return the same as `vectors`: each text is run alone anyway."""
        return self.vectors(texts)

    def count_tokens(self, text: str) -> int:
        """Return the number of tokens without special ones, beyond the model's limit too."""
        return self._count(text)

    def token_counter(self, folder: Path) -> TokenCounter:
        return self._token_counter

    def _vector(self, tokens: Sequence[int]) -> Vectors:
        count = len(tokens)
        padded = min(-(-count // PADDED_TO) * PADDED_TO, self._max_tokens)
        fixed = ((most, made) for most, made in self._fixed.items() if count <= most)
        length, requests = next(fixed, (padded, self._any))
        ids: npt.NDArray[np.int64] = np.zeros((1, length), dtype=np.int64)
        ids[0, :count] = tokens
        mask = np.zeros_like(ids)
        mask[0, :count] = 1
        with self._at_once, requests.one() as request:
            # Copied in and out: with shared memory version 2026.4 writes beyond these arrays.
            output = request.infer({"input_ids": ids, "attention_mask": mask})
            vector = np.array(output[0][0], dtype=np.float64)
        return np.asarray(vector / np.linalg.norm(vector), dtype=np.float32)


def _compiled(made: Path, threads: int, length: int | None = None) -> Any:
    """Return the compiled model for texts of `length` tokens, or of any length."""
    model = core().read_model(made / MODEL)
    if length:
        model.reshape({name: [1, length] for name in ("input_ids", "attention_mask")})
    return compile_graph(model, threads)
