"""Store files under the hash of their content, below `settings.FILES_DIR`.

`documents/ab/<sha256>` holds a document's bytes, `pages/<sha256>/<n>.webp` its page images. A file
appears complete or not at all: it is written to `tmp`, synced and renamed.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from django.conf import settings

from core.errors import MedragError

_BLOCK_BYTES = 1024**2
STALE_AFTER_S = 24 * 3600


class FileTooLarge(MedragError):
    """The upload exceeds `settings.UPLOAD_MAX_BYTES`."""

    code = "too_large"


@dataclass(frozen=True)
class Received:
    """An upload in the temporary folder, with its hash and size."""

    path: Path
    sha256: str
    size_bytes: int


def document_path(sha256: str) -> Path:
    return settings.FILES_DIR / "documents" / sha256[:2] / sha256


def page_image_path(sha256: str, number: int) -> Path:
    return settings.FILES_DIR / "pages" / sha256 / f"{number}.webp"


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """Yield a temporary folder on the same disk as the files."""
    parent = settings.FILES_DIR / "tmp"
    parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    folder = Path(tempfile.mkdtemp(dir=parent))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def receive(upload: BinaryIO, folder: Path) -> Received:
    """Stream `upload` from its start into `folder`. Raises FileTooLarge at the limit."""
    digest, size = hashlib.sha256(), 0
    path = folder / "upload"
    upload.seek(0)
    with path.open("wb") as target:
        while block := upload.read(_BLOCK_BYTES):
            size += len(block)
            refuse_too_large(size)
            digest.update(block)
            target.write(block)
        target.flush()
        os.fsync(target.fileno())
    return Received(path, digest.hexdigest(), size)


def refuse_too_large(size_bytes: int) -> None:
    """Raise FileTooLarge."""
    if size_bytes > settings.UPLOAD_MAX_BYTES:
        raise FileTooLarge(
            f"The file is larger than {settings.UPLOAD_MAX_BYTES // 1024**2} MB.",
            hint="Split it, or ask for a higher upload_mb in MEDRAG_PARSING.",
        )


def keep_document(received: Received) -> Path:
    """Move a received file to its place, where the same content may exist already."""
    return _place(received.path, document_path(received.sha256))


def keep_page_image(picture: bytes, sha256: str, number: int) -> Path:
    """Write a page image to its place, where another process may have put it already."""
    with scratch_folder() as folder:
        path = folder / "picture"
        path.write_bytes(picture)
        return _place(path, page_image_path(sha256, number))


def remove_document(sha256: str) -> None:
    """Delete a document's bytes and page images, if they exist."""
    document_path(sha256).unlink(missing_ok=True)
    shutil.rmtree(page_image_path(sha256, 1).parent, ignore_errors=True)


def clear_stale() -> None:
    """Delete temporary files of killed processes after a day."""
    parent = settings.FILES_DIR / "tmp"
    if not parent.is_dir():
        return
    for folder in parent.iterdir():
        try:
            if time.time() - folder.stat().st_mtime > STALE_AFTER_S:
                shutil.rmtree(folder, ignore_errors=True)
        except FileNotFoundError:  # its owner was faster
            continue


def _place(source: Path, target: Path) -> Path:
    target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with source.open("rb") as stream:
        os.fsync(stream.fileno())
    source.replace(target)
    folder = os.open(target.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
    return target
