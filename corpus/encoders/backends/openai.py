"""Encode with an OpenAI-compatible endpoint: text leaves the machine, as configured.

The endpoint is untrusted: its reply is limited in size, counted and checked for numbers before it
becomes vectors. A call ends at its deadline; retries happen in one place only.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt

from core.llm.openai_client import calling
from core.llm.transport import BoundedTransport, CallFailed
from corpus.encoders.counting import (
    LETTERS,
    PIECE,
    TokenCounter,
    estimated,
    estimated_tokens,
)
from corpus.encoders.query_cache import QueryCache
from corpus.encoders.types import EncodingFailed, Vectors

TOGETHER = 64  # texts of a request
READS_TOKENS = 8000  # of text-embedding-3-large, which takes 8,191, by our estimate
RETRIES = 3
FIRST_WAIT_S = 0.5  # doubled with each attempt, unless the endpoint says how long
MAX_ANSWER_BYTES = 64 * 1024**2


@dataclass(frozen=True)
class OpenAIModel:
    """Which endpoint to call, and how."""

    url: str
    model: str = "text-embedding-3-large"
    key: str = field(default="", repr=False)
    dimensions: int = 1536
    passage_prefix: str = ""
    query_prefix: str = ""
    max_tokens: int = READS_TOKENS  # of a text, prefix included, by our estimate
    query_deadline_s: float = 5.0  # of a question's vector, attempts and waits included
    batch_deadline_s: float = 120.0  # of one request for passages


class OpenAIEmbedder:
    """An `Embedder` that calls an endpoint. Thread-safe.

    Unlike a local model it may return other vectors for the same text at another time; those of the
    last questions are cached.
    """

    is_english = False

    def __init__(self, model: OpenAIModel) -> None:
        self._model = model
        self.max_tokens = passage_tokens(model)
        self.dimensions = model.dimensions
        self.fingerprint = openai_fingerprint(model)
        self._cache = QueryCache(self._encode_queries)

    def encode(self, texts: Sequence[str]) -> Vectors:
        prefix, deadline_s = self._model.passage_prefix, self._model.batch_deadline_s
        return self._vectors([prefix + text for text in texts], deadline_s)

    def encode_queries(self, texts: Sequence[str]) -> Vectors:
        return self._cache.vectors(texts)

    def count_tokens(self, text: str) -> int:
        """Estimate the tokens, rather too high than too low, since the tokenizer is unknown."""
        return estimated_tokens(text)

    def token_counter(self, folder: Path) -> TokenCounter:
        return TokenCounter()

    def _encode_queries(self, texts: Sequence[str]) -> Vectors:
        prefix, deadline_s = self._model.query_prefix, self._model.query_deadline_s
        return self._vectors([prefix + text for text in texts], deadline_s)

    def _vectors(self, texts: Sequence[str], deadline_s: float) -> Vectors:
        parts = [np.zeros((0, self.dimensions), dtype=np.float32)]
        for first in range(0, len(texts), TOGETHER):
            batch = [
                _bounded(text, self._model.max_tokens) for text in texts[first : first + TOGETHER]
            ]
            parts.append(_asked(self._model, batch, deadline_s))
        return np.concatenate(parts)


def openai_fingerprint(model: OpenAIModel) -> str:
    """Identify the model and the prefix of a text; the endpoint's weights can't be known."""
    parts: list[int | str] = [model.dimensions, model.passage_prefix, model.query_prefix]
    if model.max_tokens != READS_TOKENS:  # where it isn't set, what is stored keeps its name
        parts.append(model.max_tokens)
    digest = hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:16]
    return f"{model.model}:{digest}:endpoint"


def passage_tokens(model: OpenAIModel) -> int:
    """Return the maximum tokens of a passage: the endpoint's limit less the prefix, at least 1."""
    return max(1, model.max_tokens - estimated_tokens(model.passage_prefix))


def _bounded(text: str, most: int) -> str:
    """Cut a text to what the endpoint reads; a space for an empty one, which it would reject."""
    used = 0
    for match in PIECE.finditer(text):
        used += estimated(match.group())
        if used > most:
            return text[: match.start()] or text[: most * LETTERS]
    return text or " "


def _asked(model: OpenAIModel, batch: Sequence[str], deadline_s: float) -> Vectors:
    """Return the vectors of a batch by `deadline_s` from now. Raises EncodingFailed."""
    transport = BoundedTransport(
        most_bytes=MAX_ANSWER_BYTES,
        retries=RETRIES,
        first_wait_s=FIRST_WAIT_S,
        again_when_broken=True,
    )
    try:
        with calling(model.url, model.key, timeout_s=deadline_s, transport=transport) as client:
            answer = client.embeddings.create(
                model=model.model,
                input=list(batch),
                dimensions=model.dimensions,
                encoding_format="float",
            )
            entries = {int(entry.index): entry.embedding for entry in answer.data}
            given = np.array([entries[place] for place in range(len(batch))], dtype=np.float64)
        return _checked(given, len(entries), len(batch), model.dimensions)
    except TimeoutError:
        what, retryable = "took too long", True
    except CallFailed as error:
        what, retryable = error.what, error.retryable or error.answered
    hint = "Check the encoder's address; it is tried again with the next call."
    if not retryable:
        hint = "Check the encoder's address, model, key and dimensions."
    raise EncodingFailed(
        f"The encoder's endpoint {what}. Nothing was lost.", hint=hint, retryable=retryable
    )


def _checked(vectors: npt.NDArray[np.float64], given: int, count: int, dimensions: int) -> Vectors:
    """Return unit vectors. Raises EncodingFailed for others than were asked for."""
    if given != count or vectors.shape != (count, dimensions):
        raise EncodingFailed(
            f"The encoder's endpoint gave vectors of {vectors.shape[-1]} dimensions for "
            f"{given} texts; {dimensions} for {count} were asked for.",
            hint="Check the encoder's model and dimensions.",
            retryable=False,
        )
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    if not np.isfinite(norms).all() or not (norms > 0).all():
        raise EncodingFailed("The encoder's endpoint gave vectors without a length.")
    return np.asarray(vectors / norms, dtype=np.float32)
