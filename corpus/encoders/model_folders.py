"""What the files of a model's folder say of it; no weights are loaded. Pure."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from corpus.encoders.faults import EncoderUnusable

OWN_MARKS = 2  # tokens that an encoder puts around every text
_WEIGHTS = ("*.safetensors", "pytorch_model*.bin")
_READS = 512  # tokens, where no file says how many


@dataclass(frozen=True)
class FolderFacts:
    """Of one model's folder."""

    digest: str  # 16 hexadecimal digits over its weights
    max_tokens: int  # that it reads, its own marks among them
    dimensions: int  # of its vectors; 0 where no file says it


@lru_cache(maxsize=32)
def facts_of(folder: Path) -> FolderFacts:
    """The weights are hashed once a process. Raises EncoderUnusable where it holds no model."""
    if not (folder / "config.json").is_file() and not (folder / "modules.json").is_file():
        raise EncoderUnusable(f"{folder} is not the folder of a sentence-transformers model.")
    transformer = _transformer_of(folder)
    longest = _number(transformer / "config.json", "max_position_embeddings") or _READS
    said = _number(transformer / "sentence_bert_config.json", "max_seq_length")
    made = _made_by_modules(folder) or _number(transformer / "config.json", "hidden_size")
    return FolderFacts(weights_digest(folder), min(said or longest, longest), made)


def weights_digest(folder: Path) -> str:
    """16 hexadecimal digits over the weights, in the order of their paths."""
    digest = hashlib.sha256()
    paths = {path for pattern in _WEIGHTS for path in folder.rglob(pattern)}
    if not paths:
        raise EncoderUnusable(f"{folder} holds no weights (safetensors or pytorch_model.bin).")
    for path in sorted(paths):
        with path.open("rb") as stream:
            for part in iter(lambda: stream.read(1 << 20), b""):
                digest.update(part)
    return digest.hexdigest()[:16]


def _transformer_of(folder: Path) -> Path:
    """Where the transformer's own files lie: the folder, or `0_Transformer` of older ones."""
    inner = folder / "0_Transformer"
    return inner if inner.is_dir() else folder


def _made_by_modules(folder: Path) -> int:
    """What the last module that sets the width of a vector says: a projection, else the pooling."""
    made = 0
    for path in sorted(folder.glob("*_Pooling/config.json")):
        made = _number(path, "word_embedding_dimension") or _number(path, "embedding_dimension")
    for path in sorted(folder.glob("*_Dense/config.json")):
        made = _number(path, "out_features") or made
    return made


def _number(path: Path, key: str) -> int:
    return int(json.loads(path.read_text()).get(key) or 0) if path.is_file() else 0
