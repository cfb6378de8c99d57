"""A model's weights in OpenVINO's form, made once and kept beside the site's other state."""

from __future__ import annotations

import fcntl
import hashlib
import json
import shutil
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from corpus.encoders.faults import EncoderUnusable
from corpus.encoders.model_folders import facts_of
from corpus.encoders.openvino_runtime import openvino
from corpus.encoders.torch_backend import sentence_transformer

REVISION = 1  # of what is made here
MODEL, TOKENIZER, CONTENTS = "model.xml", "tokenizer.json", "contents.json"


def converted(folder: Path, *, pooling: str, kept_in: Path) -> Path:
    """The folder with the converted model: `model.xml`, `model.bin`, `tokenizer.json`.

    It is made where it is missing or where a file of it is not what was written; processes that
    start together wait for the first. Takes seconds, and torch, only then.
    Raises EncoderUnusable.
    """
    target = kept_in / _name(folder, pooling)
    try:
        kept_in.mkdir(parents=True, exist_ok=True)
        if not is_whole(target):
            with _lock(kept_in / f"{target.name}.lock"):
                if not is_whole(target):
                    _make(folder, pooling, target)
    except OSError as error:
        raise EncoderUnusable(
            f"The model in {folder} can't be kept in {kept_in} ({error.strerror}).",
            hint="Free some disk there, or choose the backend torch.",
        ) from error
    return target


def is_whole(target: Path) -> bool:
    """Whether every file is there with the bytes that were written."""
    try:
        contents = json.loads((target / CONTENTS).read_text())
        return bool(contents) and bool(contents == _contents(target))
    except (OSError, ValueError):
        return False


def _name(folder: Path, pooling: str) -> str:
    parts = [REVISION, openvino().__version__, facts_of(folder).digest, pooling]
    return f"{folder.name}-{hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:16]}"


def _make(folder: Path, pooling: str, target: Path) -> None:
    with tempfile.TemporaryDirectory(dir=target.parent) as scratch:
        made = Path(scratch) / "made"
        made.mkdir()
        _convert(folder, pooling, made)
        (made / CONTENTS).write_text(json.dumps(_contents(made)))
        shutil.rmtree(target, ignore_errors=True)
        made.rename(target)


def _convert(folder: Path, pooling: str, made: Path) -> None:
    """Trace the whole chain of modules, pooling and projections among them, and save it."""
    import torch  # late: only for the conversion

    model = sentence_transformer(folder, pooling)
    backend = getattr(model.tokenizer, "backend_tokenizer", None)
    if backend is None:
        raise EncoderUnusable(
            f"{folder} has a tokenizer that only torch's library knows.",
            hint="Choose the backend torch for it.",
        )
    backend.save(str(made / TOKENIZER))

    class Chain(torch.nn.Module):
        def forward(self, input_ids: Any, attention_mask: Any) -> Any:
            features = {"input_ids": input_ids, "attention_mask": attention_mask}
            return model(features)["sentence_embedding"]

    example = torch.ones((1, 16), dtype=torch.int64)
    with torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the tracer, about branches that are not ours
        chain = Chain()
        chain.model = model  # its weights are the chain's
        graph = openvino().convert_model(
            chain, example_input={"input_ids": example, "attention_mask": example}
        )
    graph.reshape({name: [1, -1] for name in ("input_ids", "attention_mask")})
    openvino().save_model(graph, made / MODEL, compress_to_fp16=False)


def _contents(folder: Path) -> dict[str, str]:
    return {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.iterdir())
        if path.name != CONTENTS
    }


@contextmanager
def _lock(path: Path) -> Iterator[None]:
    with path.open("w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
