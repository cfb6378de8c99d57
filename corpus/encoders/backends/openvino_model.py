"""Convert a model to OpenVINO's format once, and keep it with the site's state.

NAME/        the converted model
NAME.lock    held by the process that converts it
NAME.used    held, shared, by the processes that run it
NAME.part-*  being converted; left behind by a killed process
"""

from __future__ import annotations

import errno
import fcntl
import glob
import hashlib
import json
import os
import re
import shutil
import tempfile
import threading
import warnings
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from core.disk import DiskFull, refuse_full
from core.openvino_runtime import openvino
from corpus.encoders.backends.torch import sentence_transformer
from corpus.encoders.model_folders import facts_of
from corpus.encoders.types import EncoderUnusable

_ONLY_TO_READ = (errno.EACCES, errno.EPERM, errno.EROFS)
_OURS = re.compile(r"(.+-[0-9a-f]{16})(\.lock|\.used|\.part-.*)?")
REVISION = 1  # of what is made here
MODEL, WEIGHTS, TOKENIZER = "model.xml", "model.bin", "tokenizer.json"
CONTENTS = "contents.json"


def converted(folder: Path, *, pooling: str, kept_in: Path) -> Path:
    """Return the folder with `model.xml`, `model.bin` and `tokenizer.json`.

    Converts the model if the folder is missing or damaged, which takes seconds and torch; processes
    that start together wait for the first. `drop_unused` spares the folder while this process
    lives. Raises EncoderUnusable.
    """
    target = kept_in / converted_name(folder, pooling=pooling)
    try:
        kept_in.mkdir(parents=True, exist_ok=True)
        _use(target)
        if not is_whole(target):
            with _locked(_file_next_to(target, "lock"), fcntl.LOCK_EX):
                if not is_whole(target):
                    _make(folder, pooling, target)
    except (OSError, DiskFull) as error:
        why = str(getattr(error, "strerror", error))
        raise EncoderUnusable(
            f"The model in {folder} can't be stored in {kept_in} ({why}).",
            hint="Free disk space there, or set backend=torch in MEDRAG_COMPUTING.",
        ) from error
    return target


def is_whole(target: Path) -> bool:
    """Tell whether every file exists with the bytes that were written."""
    try:
        contents = json.loads((target / CONTENTS).read_text())
        return bool(contents) and bool(contents == _contents(target))
    except (OSError, ValueError):
        return False


def drop_unused(kept_in: Path, used: Collection[str]) -> tuple[str, ...]:
    """Delete converted models whose names are not in `used`; return the deleted names, sorted.

    Spares models that a process runs or converts, what can't be deleted, and everything else in the
    folder. An unreadable folder is left alone.
    """
    try:
        names = sorted(path.name for path in kept_in.iterdir())
    except OSError:
        return ()
    stored = dict.fromkeys(match.group(1) for name in names if (match := _OURS.fullmatch(name)))
    return tuple(name for name in stored if name not in used and _drop(kept_in / name))


def _drop(target: Path) -> bool:
    """Delete a model; tell whether there was one and all of it is gone."""
    try:
        with (
            _locked(_file_next_to(target, "used"), fcntl.LOCK_EX | fcntl.LOCK_NB),
            _locked(_file_next_to(target, "lock"), fcntl.LOCK_EX | fcntl.LOCK_NB),
        ):
            paths = [path for path in (target, *_parts(target)) if path.exists()]
            for path in paths:
                shutil.rmtree(path)
            _file_next_to(target, "lock").unlink()
            _file_next_to(target, "used").unlink()
    except OSError:  # it is in use, or this may not delete there
        return False
    return bool(paths)


def _parts(target: Path) -> list[Path]:
    return sorted(target.parent.glob(f"{glob.escape(target.name)}.part-*"))


def converted_name(folder: Path, *, pooling: str) -> str:
    """Return the folder's name: a hash of all that decides what the model computes."""
    parts = [REVISION, openvino().__version__, facts_of(folder).digest, pooling]
    return f"{folder.name}-{hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:16]}"


def _make(folder: Path, pooling: str, target: Path) -> None:
    weights = sum(path.stat().st_size for path in folder.rglob("*.safetensors"))
    refuse_full(target.parent, weights, writing="the encoder's model")
    for leftover in _parts(target):
        shutil.rmtree(leftover, ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix=f"{target.name}.part-", dir=target.parent) as scratch:
        made = Path(scratch) / "made"
        made.mkdir()
        _convert(folder, pooling, made)
        (made / CONTENTS).write_text(json.dumps(_contents(made)))
        shutil.rmtree(target, ignore_errors=True)
        made.rename(target)


def _convert(folder: Path, pooling: str, made: Path) -> None:
    """Trace all modules, with pooling and projections, and save the model."""
    import torch  # late: only for the conversion

    model = sentence_transformer(folder, pooling)
    backend = getattr(model.tokenizer, "backend_tokenizer", None)
    if backend is None:
        raise EncoderUnusable(
            f"{folder} has a tokenizer that only the backend torch supports.",
            hint="Set backend=torch in MEDRAG_COMPUTING.",
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


def _file_next_to(target: Path, kind: str) -> Path:
    return target.with_name(f"{target.name}.{kind}")


_used: dict[Path, int] = {}  # descriptors, kept until the process ends
_used_lock = threading.Lock()


def _use(target: Path) -> None:
    """Keep other processes from deleting the model, now or once it is converted."""
    with _used_lock:
        if target not in _used:
            try:
                _used[target] = _lock(_file_next_to(target, "used"), fcntl.LOCK_SH)
            except OSError as error:
                if error.errno not in _ONLY_TO_READ:  # there nobody deletes either
                    raise


@contextmanager
def _locked(path: Path, kind: int) -> Iterator[None]:
    handle = _lock(path, kind)
    try:
        yield
    finally:
        os.close(handle)


def _lock(path: Path, kind: int) -> int:
    """Return a locked file descriptor; raises BlockingIOError if it must not wait."""
    while True:
        handle = os.open(path, os.O_RDONLY | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            fcntl.flock(handle, kind)
            with suppress(FileNotFoundError):  # it was deleted while this waited
                if os.path.samestat(path.stat(), os.fstat(handle)):
                    return handle
        except BaseException:
            os.close(handle)
            raise
        os.close(handle)
