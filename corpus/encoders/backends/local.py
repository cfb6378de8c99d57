"""Encode with weights in a folder, or in two: one for passages, one for questions."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from core.openvino_runtime import precision
from corpus.encoders.backends.openvino import OpenvinoRunner
from corpus.encoders.backends.openvino_model import converted, converted_name
from corpus.encoders.backends.torch import TorchRunner
from corpus.encoders.counting import TokenCounter
from corpus.encoders.model_folders import OWN_MARKS, facts_of
from corpus.encoders.query_cache import QueryCache
from corpus.encoders.types import EncoderUnusable, Vectors

Runner = OpenvinoRunner | TorchRunner  # one model in memory


@dataclass(frozen=True)
class LocalModel:
    """Which weights to use, and how."""

    folder: Path
    query_folder: Path | None = None  # a model of its own for questions, as MedCPT has
    pooling: str = ""  # mean or cls; empty: as the folder's modules say
    passage_prefix: str = ""  # such as "passage: " of e5
    query_prefix: str = ""
    max_tokens: int = 0  # that it reads, its own marks among them; 0: as its files say
    backend: str = "auto"  # or torch, openvino; auto is openvino
    is_english: bool = False  # whether it knows no other language


@dataclass(frozen=True)
class LocalFacts:
    """What is known of an encoder without loading its weights."""

    fingerprint: str
    max_tokens: int  # of a text, without marks and prefix
    dimensions: int  # 0 where no file says it


class LocalEmbedder:
    """An `Embedder` that runs a model from a folder. Thread-safe."""

    def __init__(self, model: LocalModel, *, kept_in: Path, threads: int) -> None:
        """Load the model; converted models are kept in `kept_in`. Raises EncoderUnusable."""
        facts = local_facts(model)
        self.fingerprint, self.max_tokens = facts.fingerprint, facts.max_tokens
        self._model, self.is_english = model, model.is_english
        self._passages = _runner(model, model.folder, kept_in, threads)
        self._questions = (
            _runner(model, model.query_folder, kept_in, threads)
            if model.query_folder
            else self._passages
        )
        self.dimensions = self._passages.dimensions
        if self._questions.dimensions != self.dimensions:
            raise EncoderUnusable(
                f"{model.folder} makes {self.dimensions} dimensions and "
                f"{model.query_folder} makes {self._questions.dimensions}."
            )
        if local_facts(model) != facts:  # else the fingerprint might be that of other weights
            raise EncoderUnusable(
                f"The files in {model.folder} were changed while they were loaded.",
                hint="Nothing was encoded. Wait until all are written, then try again.",
            )
        self._cache = QueryCache(self._encode_queries)

    def encode(self, texts: Sequence[str]) -> Vectors:
        return self._passages.vectors([self._model.passage_prefix + text for text in texts])

    def encode_queries(self, texts: Sequence[str]) -> Vectors:
        return self._cache.vectors(texts)

    def count_tokens(self, text: str) -> int:
        return self._passages.count_tokens(text)

    def token_counter(self, folder: Path) -> TokenCounter:
        return self._passages.token_counter(folder)

    def _encode_queries(self, texts: Sequence[str]) -> Vectors:
        return self._questions.query_vectors([self._model.query_prefix + text for text in texts])


def local_facts(model: LocalModel) -> LocalFacts:
    """Read the facts from files; weights are hashed after a change. Raises EncoderUnusable."""
    passages = facts_of(model.folder)
    questions = facts_of(model.query_folder) if model.query_folder else passages
    parts = [model.pooling, model.passage_prefix, model.query_prefix, questions.digest]
    if parts == ["", "", "", passages.digest]:
        digest = passages.digest
    else:
        digest = hashlib.sha256(json.dumps([passages.digest, *parts]).encode()).hexdigest()[:16]
    # A token has a character at least, so that a prefix never takes more than this.
    room = _reads(model, model.folder) - OWN_MARKS - len(model.passage_prefix)
    return LocalFacts(
        f"{model.folder.name}:{digest}:{computed_by(model.backend)}", room, passages.dimensions
    )


def converted_names(model: LocalModel) -> frozenset[str]:
    """Return the names of the converted models it runs; none for torch. Raises EncoderUnusable."""
    if model.backend == "torch":
        return frozenset()
    return frozenset(converted_name(folder, pooling=model.pooling) for folder in _folders(model))


def make_converted(model: LocalModel, *, kept_in: Path) -> None:
    """Create the converted models of `converted_names` in `kept_in`. Raises EncoderUnusable."""
    for folder in _folders(model):
        converted(folder, pooling=model.pooling, kept_in=kept_in)


def _folders(model: LocalModel) -> list[Path]:
    return [model.folder, *([model.query_folder] if model.query_folder else [])]


def computed_by(backend: str) -> str:
    """Return backend and precision on this machine: `torch-f32`, `openvino-bf16` ..."""
    return "torch-f32" if backend == "torch" else f"openvino-{precision()}"


def _reads(model: LocalModel, folder: Path) -> int:
    longest = facts_of(folder).max_tokens
    return min(model.max_tokens or longest, longest)


def _runner(model: LocalModel, folder: Path, kept_in: Path, threads: int) -> Runner:
    max_tokens = _reads(model, folder)
    if model.backend == "torch":
        return TorchRunner(folder, pooling=model.pooling, max_tokens=max_tokens)
    return OpenvinoRunner(
        folder, pooling=model.pooling, max_tokens=max_tokens, kept_in=kept_in, threads=threads
    )
