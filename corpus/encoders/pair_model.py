"""Run a small trained model that reads two texts together, with OpenVINO."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from core.openvino_runtime import Requests, compile_graph, core
from corpus.encoders.folders import bundled_folder
from corpus.encoders.pairs import TOKENIZER, Scores, Window, pair_tokenizer
from corpus.encoders.types import EncoderUnusable

MODEL, WEIGHTS = "model.xml", "model.bin"
CALIBRATION = "calibration.json"  # of a checker: `threshold` of supported, `temperature`
INPUTS = ("input_ids", "attention_mask", "token_type_ids")
MAX_TOKENS = ["medrag", "max_tokens"]  # where the model says how many it reads
PADDED_TO = 8  # tokens: so that few shapes are prepared


class PairModel:
    """A model written by `manage.py train`; runs each window alone on one thread.

    A folder without a tokenizer was trained from the bundled encoder, and has that one's.
    """

    def __init__(self, folder: Path, *, threads: int = 1) -> None:
        """Load the model. Raises EncoderUnusable for a folder without a usable one."""
        try:
            graph = core().read_model(folder / MODEL, folder / WEIGHTS)
            self.max_tokens = int(graph.get_rt_info(MAX_TOKENS).astype(str))
            self._requests = Requests(compile_graph(graph, threads), threads)
        except RuntimeError as error:
            raise EncoderUnusable(
                f"{folder} has no readable model.",
                hint="Write it again with manage.py train reader (or checker) --export.",
            ) from error
        has_own = (folder / TOKENIZER).is_file()
        self.tokenizer = pair_tokenizer(folder if has_own else bundled_folder())

    def scores(self, window: Window) -> Scores:
        """Return `(tokens, outputs)` float32 for a window of at most `max_tokens`.

        The task that it was trained for defines the outputs.
        """
        count = len(window.tokens)
        length = min(-(-count // PADDED_TO) * PADDED_TO, self.max_tokens)
        ids, mask, types = (np.zeros((1, length), dtype=np.int64) for _ in INPUTS)
        ids[0] = self.tokenizer.pad
        ids[0, :count] = window.tokens
        mask[0, :count] = 1
        types[0, window.second_at : count] = 1
        with self._requests.one() as request:  # copied in and out, as for the encoder
            output = request.infer(dict(zip(INPUTS, (ids, mask, types), strict=True)))
            return np.array(output[0][0][:count], dtype=np.float32)


def files_digest(folder: Path, names: Iterable[str]) -> str:
    """Return 16 hex digits over a model's files."""
    whole = hashlib.sha256()
    for name in names:
        whole.update(hashlib.sha256((folder / name).read_bytes()).digest())
    return whole.hexdigest()[:16]
