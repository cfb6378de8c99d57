"""Describe a backup in its `manifest.json`, with the SHA-256 of every other file."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from core.errors import MedragError

FORMAT = 1
NAME = "manifest.json"
DATABASE = "database.dump"
DOCUMENTS, KEYS, HEADS = "documents", "keys", "heads.jsonl"
_BLOCK_BYTES = 1024**2


class BackupError(MedragError):
    """A backup can't be made or restored; the sentence says what was left unchanged."""


@dataclass(frozen=True)
class Entry:
    """A file of the backup."""

    sha256: str
    size_bytes: int


@dataclass(frozen=True)
class Manifest:
    """The description of a backup.

    `files` are by path relative to the folder; `tables` has the row count of each. `roles` are
    those that the database's rights name, by alias. `chain_break` is what `audit verify` found in
    the log when the backup was made; empty if the log was whole.
    """

    made_at: str  # UTC by ISO 8601
    version: str  # of this program
    server: str  # of PostgreSQL, such as 18.4
    server_major: int
    pgvector: str
    tools_major: int  # of the pg_dump that wrote the dump
    schema: str
    roles: Mapping[str, str]
    unprotected: tuple[str, ...]  # sentences: protections of the log that the database lacked
    migrations: tuple[str, ...]
    chain_seq: int
    chain_hash: str
    chain_break: str
    tables: Mapping[str, int]
    files: Mapping[str, Entry]

    @property
    def documents(self) -> dict[str, Entry]:
        """The documents' files by their paths, in order of path."""
        here = f"{DOCUMENTS}/"
        return {path: entry for path, entry in sorted(self.files.items()) if path.startswith(here)}

    @property
    def size_bytes(self) -> int:
        return sum(entry.size_bytes for entry in self.files.values())

    def write(self, folder: Path) -> None:
        content = {"format": FORMAT, **dataclasses.asdict(self)}
        write_file(folder / NAME, (json.dumps(content, indent=1, sort_keys=True) + "\n").encode())


def read(folder: Path) -> Manifest:
    """Return a backup's manifest. Raises BackupError if missing, damaged or of an unknown form."""
    path = folder / NAME
    try:
        content = json.loads(path.read_bytes())
    except OSError as error:
        raise BackupError(
            f"{folder} is not a complete backup: {NAME} can't be read ({error.strerror}).",
            hint="Nothing was changed. Name a folder that manage.py backup has written.",
        ) from error
    except ValueError as error:
        raise _damaged(path) from error
    if not isinstance(content, dict) or content.pop("format", None) != FORMAT:
        raise BackupError(
            f"{path} has a format that this version does not know.",
            hint="Nothing was changed. Restore it with the version that made it, or a newer one.",
        )
    try:
        return _manifest(content)
    except (AttributeError, TypeError, KeyError, ValueError) as error:
        raise _damaged(path) from error


def _manifest(content: dict[str, Any]) -> Manifest:
    files = {path: Entry(**entry) for path, entry in content.pop("files").items()}
    lists: dict[str, Any] = {n: tuple(content.pop(n)) for n in ("migrations", "unprotected")}
    for path in files:
        if Path(path).is_absolute() or ".." in Path(path).parts:
            raise ValueError(path)
    return Manifest(**content, files=files, **lists)


def check_files(
    folder: Path, manifest: Manifest, on_bytes: Callable[[int], None] = lambda count: None
) -> None:
    """Compare every file with its hash. Raises BackupError at the first that differs."""
    for path, entry in sorted(manifest.files.items()):
        try:
            with (folder / path).open("rb") as stream:
                content = hash_of(stream, lambda block: on_bytes(len(block)))
        except OSError as error:
            raise BackupError(
                f"The backup is incomplete: {path} can't be read ({error.strerror}).",
                hint="Nothing was changed. Use another backup, or another copy of this one.",
            ) from error
        if content != entry:
            raise _damaged(folder / path)


def hash_of(stream: BinaryIO, on_block: Callable[[bytes], object] = lambda block: None) -> Entry:
    digest, size = hashlib.sha256(), 0
    while block := stream.read(_BLOCK_BYTES):
        digest.update(block)
        size += len(block)
        on_block(block)
    return Entry(digest.hexdigest(), size)


def copy_file(source: Path, target: Path) -> Entry:
    """Copy a file, for this user alone and synced to disk, and return hash and size of the copy."""
    target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with source.open("rb") as stream, _created(target) as written:
        entry = hash_of(stream, written.write)
        _sync(written)
    return entry


def write_file(path: Path, content: bytes) -> Entry:
    """Write a new file, for this user alone and synced to disk, and return its hash and size."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with _created(path) as written:
        written.write(content)
        _sync(written)
    return Entry(hashlib.sha256(content).hexdigest(), len(content))


def sync_folders(folder: Path) -> None:
    """Sync a folder and all folders below it to disk, lowest first, so that file names persist."""
    folders = sorted((path for path in folder.rglob("*") if path.is_dir()), reverse=True)
    for path in [*folders, folder]:
        sync(path)


def sync(path: Path) -> None:
    """Sync a file's content, or a folder's names, to disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _created(path: Path) -> BinaryIO:
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb")


def _sync(stream: BinaryIO) -> None:
    stream.flush()
    os.fsync(stream.fileno())


def _damaged(path: Path) -> BackupError:
    return BackupError(
        f"The backup is damaged: {path} was changed after the backup.",
        hint="Nothing was changed. Use another backup, or another copy of this one.",
    )
