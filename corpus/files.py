"""Store files under the hash of their content: on a disk, or in S3 and what is like it.

`documents/ab/<sha256>` holds a document's bytes, `pages/<sha256>/<n>.webp` its page images. A file
appears complete or not at all. What comes from S3 is compared with its hash before anyone reads it.
"""

from __future__ import annotations

import hashlib
import shutil
import tempfile
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import BinaryIO, cast

from django.conf import settings
from django.core.files import File
from django.core.files.storage import Storage, storages

from core.errors import MedragError
from corpus.storages.breaker import NotAsked
from corpus.storages.disk import SyncedFiles

_BLOCK_BYTES = 1024**2
STALE_AFTER_S = 24 * 3600
GUIDELINES = "guidelines"  # of settings.STORAGES


class FileTooLarge(MedragError):
    """The upload exceeds `settings.UPLOAD_MAX_BYTES`."""

    code = "too_large"


class FilesUnavailable(MedragError):
    """The store of files can't be reached, or refuses. Nothing was changed."""

    code = "files_unavailable"


class FileDamaged(MedragError):
    """A stored file is not what was uploaded."""

    code = "file_damaged"


@dataclass(frozen=True)
class Received:
    """An upload in the temporary folder, with its hash and size."""

    path: Path
    sha256: str
    size_bytes: int


def storage() -> Storage:
    return storages[GUIDELINES]


def is_on_disk() -> bool:
    return isinstance(storage(), SyncedFiles)


def document_name(sha256: str) -> str:
    return f"documents/{sha256[:2]}/{sha256}"


def page_image_name(sha256: str, number: int) -> str:
    return f"pages/{sha256}/{number}.webp"


def place_of(sha256: str) -> str:
    """Say where a document's bytes are: a path, or a name in a bucket."""
    name = document_name(sha256)
    return storage().path(name) if is_on_disk() else f"{settings.FILES['bucket']}/{name}"


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """Yield a temporary folder on the data folder's disk."""
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
    return Received(path, digest.hexdigest(), size)


def refuse_too_large(size_bytes: int) -> None:
    """Raise FileTooLarge."""
    if size_bytes > settings.UPLOAD_MAX_BYTES:
        raise FileTooLarge(
            f"The file is larger than {settings.UPLOAD_MAX_BYTES // 1024**2} MB.",
            hint="Split it, or ask for a higher upload_mb in MEDRAG_PARSING.",
        )


def keep_document(received: Received) -> None:
    """Store a received file, where the same content may be already. Raises FilesUnavailable."""
    with received.path.open("rb") as stream, _reported():
        storage().save(document_name(received.sha256), File(stream))


def keep_page_image(picture: bytes, sha256: str, number: int) -> None:
    """Store a page image, where another process may have put it already."""
    with _reported():
        storage().save(page_image_name(sha256, number), File(BytesIO(picture)))


def copy_document(sha256: str, source: Storage) -> bool:
    """Copy a document's bytes from another store; False where it hasn't them.

    Raises FilesUnavailable, and FileDamaged where the bytes there are others.
    """
    with scratch_folder() as folder:
        try:
            path = _fetched(sha256, folder, source)
        except FileNotFoundError:
            return False
        keep_document(Received(path, sha256, path.stat().st_size))
    return True


def probe() -> None:
    """Write a file, read it and delete it. Raises FilesUnavailable and OSError."""
    name, content = f"tmp/probe-{uuid.uuid4().hex}", b"Can files be kept?"
    with _reported():
        kept = storage()
        kept.save(name, File(BytesIO(content)))
        with kept.open(name) as stream:
            if stream.read() != content:
                raise FileDamaged("What was written to the store of files is not what it gives.")
        kept.delete(name)


def has_document(sha256: str) -> bool:
    with _reported():
        return storage().exists(document_name(sha256))


def has_page_image(sha256: str, number: int) -> bool:
    with _reported():
        return storage().exists(page_image_name(sha256, number))


def open_page_image(sha256: str, number: int) -> BinaryIO:
    """Open a page image. Raises FileNotFoundError and FilesUnavailable."""
    with _reported():
        picture = storage().open(page_image_name(sha256, number))
        if is_on_disk():
            return cast(BinaryIO, picture)
        with picture:  # S3 sends it when it is read, and may fail then
            return BytesIO(picture.read())


def open_document(sha256: str) -> BinaryIO:
    """Open a document's bytes; of S3 a copy that has no name and was compared with its hash.

    Raises FileNotFoundError, FilesUnavailable and FileDamaged.
    """
    if is_on_disk():
        return cast(BinaryIO, storage().open(document_name(sha256)))
    with scratch_folder() as folder:
        return _fetched(sha256, folder).open("rb")  # which stays open when the folder is gone


@contextmanager
def document_on_disk(sha256: str) -> Iterator[Path]:
    """Yield a path to a document's bytes, in S3's case of a copy that is removed afterwards.

    Raises FileNotFoundError, FilesUnavailable and FileDamaged.
    """
    if is_on_disk():
        yield Path(storage().path(document_name(sha256)))
        return
    with scratch_folder() as folder:
        yield _fetched(sha256, folder)


def remove_document(sha256: str) -> None:
    """Delete a document's bytes and page images, if they exist. Raises FilesUnavailable."""
    with _reported():
        kept = storage()
        kept.delete(document_name(sha256))
        folder = f"pages/{sha256}"
        if isinstance(kept, SyncedFiles):
            kept.delete_folder(folder)
            return
        for name in kept.listdir(folder)[1]:
            kept.delete(f"{folder}/{name}")


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


def hash_of(stream: BinaryIO) -> str:
    digest = hashlib.sha256()
    while block := stream.read(_BLOCK_BYTES):
        digest.update(block)
    return digest.hexdigest()


def _fetched(sha256: str, folder: Path, source: Storage | None = None) -> Path:
    path = folder / "document"
    digest = hashlib.sha256()
    kept = source or storage()
    with (
        _reported(kept),
        kept.open(document_name(sha256)) as stream,
        path.open("wb") as target,
    ):
        while block := stream.read(_BLOCK_BYTES):
            digest.update(block)
            target.write(block)
    if digest.hexdigest() != sha256:
        raise FileDamaged(
            f"{place_of(sha256)} is not what was uploaded, so it was not read.",
            hint="Restore it from a backup.",
        )
    return path


@contextmanager
def _reported(kept: Storage | None = None) -> Iterator[None]:
    """Raise FilesUnavailable for what S3's client raises, but FileNotFoundError for no such file.

    Its errors name keys and addresses: only their codes are told. A store that fell silent is not
    asked for a while, and only by a share of the threads.
    """
    kept = kept or storage()
    if isinstance(kept, SyncedFiles):
        yield
        return
    from botocore import exceptions as errors  # late: slow
    from botocore.exceptions import BotoCoreError, ClientError
    from s3transfer.exceptions import RetriesExceededError

    silence = (
        *(errors.ConnectionError, errors.HTTPClientError, errors.IncompleteReadError),
        RetriesExceededError,
    )
    try:
        with kept.breaker.asked(silence):  # type: ignore[attr-defined]
            yield
    except NotAsked as error:
        raise _unavailable(str(error)) from error
    except ClientError as error:
        code = str(error.response.get("Error", {}).get("Code", ""))
        raise _unavailable(code) from error
    except (BotoCoreError, RetriesExceededError) as error:
        raise _unavailable(type(error).__name__) from error


def _unavailable(code: str) -> FilesUnavailable:
    why = {
        "NoSuchBucket": "the bucket does not exist",
        "AccessDenied": "it refuses this site's key",
        "InvalidAccessKeyId": "it does not know this site's key",
        "SignatureDoesNotMatch": "this site's key is wrong",
        "403": "it refuses this site's key",
        "NoCredentialsError": "this site has no key for it",
        "EndpointConnectionError": "it does not answer",
        "ConnectTimeoutError": "it does not answer",
        "ReadTimeoutError": "it stopped answering",
        "ConnectionClosedError": "the connection was lost",
        "RetriesExceededError": "the connection was lost",
    }.get(code, code)
    return FilesUnavailable(
        f"The store of files can't be used: {why}.",
        hint="Nothing was changed. Try again; see MEDRAG_FILES if it stays so.",
        retryable=code not in ("NoSuchBucket", "NoCredentialsError", "SignatureDoesNotMatch"),
    )
