"""Read a model's folder without loading its weights. Pure."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path, PurePosixPath

from corpus.encoders.types import EncoderUnusable

OWN_MARKS = 2  # tokens that an encoder puts around every text
_WEIGHTS = ("*.safetensors", "pytorch_model*.bin")
# What sentence-transformers and transformers read with the weights, by name: how tokens are made,
# layers computed, and vectors pooled and projected. A folder holds more: read-me files, what it was
# trained with, the same weights for other programs.
_DECIDING = (
    *("modules.json", "config.json", "config_sentence_transformers.json"),
    *("sentence_*_config.json", "adapter_config.json", "*.index.json"),
    *("tokenizer*.json", "special_tokens_map.json", "added_tokens.json"),
    *("vocab.*", "merges.txt", "bpe.codes", "*.model", "*.tiktoken"),
    # Of modules. Those over a list of whole words can't be used here: passages are cut by tokens.
    *("router_config.json", "cnn_config.json"),
)
_READS = 512  # tokens, where no file says how many


@dataclass(frozen=True)
class FolderFacts:
    """The facts of one model's folder."""

    digest: str  # 16 hexadecimal digits over every file that is read of it
    max_tokens: int  # that it reads, its own marks among them
    dimensions: int  # of its vectors; 0 where no file says it


Stamp = tuple[tuple[str, int, int, int], ...]  # of each file: name, time, size and inode


def stamp_of(folder: Path) -> Stamp:
    """Return what changes when a file of the folder does, without reading any."""
    files = []
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            about = path.stat()
            files.append((str(path), about.st_mtime_ns, about.st_size, about.st_ino))
    return tuple(files)


def facts_of(folder: Path) -> FolderFacts:
    """Return the facts of the files as they are now; they are hashed again only after a change.

    Raises EncoderUnusable without a model, and while its files are being replaced.
    """
    stamp = stamp_of(folder)
    facts = _facts_of(folder, stamp)
    if stamp_of(folder) != stamp:
        raise EncoderUnusable(
            f"The files in {folder} are being changed, so nothing is encoded with them.",
            hint="Nothing was lost. Wait until all are written, then try again.",
        )
    return facts


@lru_cache(maxsize=32)
def _facts_of(folder: Path, stamp: Stamp) -> FolderFacts:
    if not (folder / "config.json").is_file() and not (folder / "modules.json").is_file():
        raise EncoderUnusable(f"{folder} is not the folder of a sentence-transformers model.")
    # Older models have the transformer's own files in a folder of theirs.
    inner = folder / "0_Transformer"
    transformer = inner if inner.is_dir() else folder
    longest = _number(transformer / "config.json", "max_position_embeddings") or _READS
    stated = _number(transformer / "sentence_bert_config.json", "max_seq_length")
    # The last module that sets the width of a vector: a projection, else the pooling.
    made = 0
    for path in sorted(folder.glob("*_Pooling/config.json")):
        made = _number(path, "word_embedding_dimension") or _number(path, "embedding_dimension")
    for path in sorted(folder.glob("*_Dense/config.json")):
        made = _number(path, "out_features") or made
    made = made or _number(transformer / "config.json", "hidden_size")
    return FolderFacts(folder_digest(folder), min(stated or longest, longest), made)


def folder_digest(folder: Path) -> str:
    """Return 16 hexadecimal digits over the files of `files_read` and their relative paths."""
    digest = hashlib.sha256()
    for path in files_read(folder):
        name = path.relative_to(folder).as_posix()
        with path.open("rb") as stream:
            content = hashlib.file_digest(stream, "sha256").hexdigest()
        digest.update(f"{name}\0{content}\n".encode())
    return digest.hexdigest()[:16]


def files_read(folder: Path) -> list[Path]:
    """Return the files that decide a model's vectors, sorted: weights and configuration.

    They are in the folder itself and, recursively, in the folders of its modules; the latter count
    even where a configured pooling replaces them. Raises EncoderUnusable without weights.
    """
    weights = _matching(folder, _WEIGHTS)
    if not weights:
        raise EncoderUnusable(f"{folder} has no weights (safetensors or pytorch_model.bin).")
    return sorted(weights | _matching(folder, _DECIDING))


def _matching(folder: Path, patterns: Sequence[str]) -> set[Path]:
    paths = {path for pattern in patterns for path in folder.glob(pattern)}
    for module in _modules(folder):
        paths |= {path for pattern in patterns for path in module.rglob(pattern)}
    return {path for path in paths if path.is_file()}


def _modules(folder: Path) -> list[Path]:
    """Return the folders in `modules.json`, all below the model's folder, except itself."""
    try:
        listed = json.loads((folder / "modules.json").read_text(encoding="utf-8"))
        named = {PurePosixPath(module.get("path", "")) for module in listed}
    except FileNotFoundError:
        return []
    except (OSError, ValueError, TypeError, AttributeError) as error:
        raise EncoderUnusable(f"{folder}/modules.json can't be read.") from error
    if any(path.is_absolute() or ".." in path.parts or "\0" in str(path) for path in named):
        raise EncoderUnusable(
            f"{folder}/modules.json names a folder outside the model's folder.",
            hint="Put the whole model into one folder.",
        )
    return sorted(folder / path for path in named - {PurePosixPath()})


def _number(path: Path, key: str) -> int:
    """Return a number of the configuration; 0 where it is missing."""
    try:
        return int(json.loads(path.read_text(encoding="utf-8")).get(key) or 0)
    except (FileNotFoundError, NotADirectoryError):
        return 0
    except (OSError, ValueError, TypeError, AttributeError) as error:
        raise EncoderUnusable(f"{path} can't be read.") from error
