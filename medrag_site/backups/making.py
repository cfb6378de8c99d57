"""Make a backup while the site runs.

The database's snapshot is taken before the files are copied, and decides which files belong: each
is named by the hash of its content and never changes, so it can be copied later. The signed heads
of the log are read before the snapshot, which therefore holds every row that they vouch for.
"""

from __future__ import annotations

import datetime
import fcntl
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings
from django.db import connections, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations.recorder import MigrationRecorder
from django.utils import timezone

from chat.audit.heads import nobody_signing
from chat.audit.protection import missing_protections
from chat.audit.verify import KnownHeads, known_heads, verify_chain
from core.progress import BYTES, Progress
from corpus import files
from corpus.indexing.vector_index import OWNER
from corpus.models import Document
from medrag_site.backups import catalog, manifest
from medrag_site.backups.manifest import BackupError, Entry, Manifest
from medrag_site.backups.tools import tools_for
from medrag_site.release import release

ATTEMPTS = 3
NOTHING_KEPT = "No backup was made, and nothing of the site was changed."


@dataclass(frozen=True)
class Made:
    """A complete backup, and warnings for the person who made it."""

    manifest: Manifest
    warnings: tuple[str, ...]


def make_backup(folder: Path, say: Callable[[str], None] = lambda text: None) -> Made:
    """Write a backup into a new folder, which appears only when complete.

    Raises BackupError and then leaves nothing behind. What a killed backup left is removed by the
    next one of the same name.
    """
    with _partial(folder) as partial:
        made = _made_in(partial, say)
        manifest.sync_folders(partial)
        if folder.exists():
            raise _is_there(folder)
        partial.rename(folder)
        manifest.sync(folder.parent)
    return made


class _Discarded(Exception):
    """An upload was discarded since the snapshot, which still names it."""


def _made_in(partial: Path, say: Callable[[str], None]) -> Made:
    for _ in range(ATTEMPTS):
        _empty(partial)
        try:
            return _Making(partial, say).run()
        except _Discarded:
            say("An upload was discarded meanwhile: beginning again")
    raise BackupError(
        f"Uploads were discarded {ATTEMPTS} times while it was made. {NOTHING_KEPT}",
        hint="Nothing is missing. Make it again when nobody discards uploads.",
    )


class _Making:
    def __init__(self, folder: Path, say: Callable[[str], None]) -> None:
        self._folder, self._say = folder, say
        self._files: dict[str, Entry] = {}

    def run(self) -> Made:
        with nobody_signing() as content:  # the heads and the copy of the last must match
            self._add_keys()
            known = known_heads()
        if content is not None:
            self._files[manifest.HEADS] = manifest.write_file(
                self._folder / manifest.HEADS, content
            )
        with _snapshot() as connection:
            made = self._add_database(connection, known)
        made.write(self._folder)
        return Made(made, tuple(_warnings(made)))

    def _add_keys(self) -> None:
        """Copy all keys: what was signed with a lost key could not be verified again."""
        if not settings.KEYS_DIR.is_dir():
            return
        for path in sorted(settings.KEYS_DIR.iterdir()):
            if path.is_file() and not path.name.startswith("."):  # hidden: still being written
                try:
                    self._add(path, f"{manifest.KEYS}/{path.name}")
                except FileNotFoundError as error:
                    raise _missing(str(path)) from error

    def _add_database(self, connection: BaseDatabaseWrapper, known: KnownHeads) -> Manifest:
        server = catalog.server_version(connection)
        tools = tools_for(server.major)
        catalog.refuse_foreign_owner(connection)
        dump = self._folder / manifest.DATABASE
        self._say("Writing the database")
        try:
            tools.run(
                "pg_dump",
                *("--format", "custom", "--file", str(dump), "--schema", server.schema),
                *("--snapshot", catalog.export_snapshot(connection)),
            )
        except BackupError as error:
            hint = "See to that, then make it again."
            raise BackupError(f"{error}. {NOTHING_KEPT}", hint=hint) from error
        dump.chmod(0o600)
        manifest.sync(dump)
        with dump.open("rb") as stream:
            self._files[manifest.DATABASE] = manifest.hash_of(stream)
        self._add_documents(catalog.documents(connection))
        self._say("Verifying the audit log")
        report = verify_chain(OWNER, heads=known)
        head = catalog.chain_head(connection)
        return Manifest(
            made_at=timezone.now().astimezone(datetime.UTC).isoformat(timespec="seconds"),
            version=release(),
            server=server.name,
            server_major=server.major,
            pgvector=server.pgvector,
            tools_major=tools.major,
            schema=server.schema,
            roles=catalog.roles(),
            unprotected=missing_protections(),
            migrations=tuple(
                f"{app}.{name}"
                for app, name in sorted(MigrationRecorder(connection).applied_migrations())
            ),
            chain_seq=head.seq,
            chain_hash=head.hash,
            chain_break=report.brief,
            tables=catalog.row_counts(connection),
            files=self._files,
        )

    def _add_documents(self, documents: list[tuple[str, int]]) -> None:
        total = sum(size for _, size in documents)
        with Progress("Copying files", total, unit=BYTES) as progress:
            for sha256, size in documents:
                path = f"{manifest.DOCUMENTS}/{sha256[:2]}/{sha256}"
                entry = self._add_document(sha256, path)
                if entry.sha256 != sha256:
                    raise BackupError(
                        f"{files.place_of(sha256)} is not what was uploaded: its content "
                        f"does not have the SHA-256 of its name. {NOTHING_KEPT}",
                        hint="Restore the file from an older backup, then run the backup again.",
                    )
                progress.step(size)

    def _add_document(self, sha256: str, path: str) -> Entry:
        try:
            with files.document_on_disk(sha256) as source:
                return self._add(source, path)
        except FileNotFoundError as error:
            if not Document.objects.filter(sha256=sha256).exists():  # now, not in the snapshot
                raise _Discarded from error
            raise _missing(files.place_of(sha256)) from error
        except (files.FileDamaged, files.FilesUnavailable) as error:
            raise BackupError(f"{error} {NOTHING_KEPT}", hint=error.hint) from error

    def _add(self, source: Path, path: str) -> Entry:
        self._files[path] = manifest.copy_file(source, self._folder / path)
        return self._files[path]


def _missing(place: str) -> BackupError:
    return BackupError(
        f"{place} is missing, but the database refers to it. {NOTHING_KEPT}",
        hint="Restore the file from an older backup, then run the backup again.",
    )


@contextmanager
def _snapshot() -> Iterator[BaseDatabaseWrapper]:
    """Yield a connection in a read-only transaction whose snapshot `pg_dump` can share."""
    connection = connections[OWNER]
    connection.close()  # the next session has no transaction yet
    with transaction.atomic(using=OWNER):
        with connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        yield connection


@contextmanager
def _partial(folder: Path) -> Iterator[Path]:
    """Yield a new folder next to the final one, locked by this process; removed unless renamed."""
    if folder.exists() or folder.is_symlink():
        raise _is_there(folder)
    partial = folder.with_name(f"{folder.name}.partial")
    try:
        partial.mkdir(mode=0o700, exist_ok=True)
        handle = os.open(partial, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError as error:
        raise BackupError(f"{partial} can't be made: {error.strerror}. {NOTHING_KEPT}") from error
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise BackupError(f"Another process is writing {folder} already.") from error
        partial.chmod(0o700)
        yield partial
    except OSError as error:
        raise BackupError(
            f"The backup can't be written: {error.strerror or error}. {NOTHING_KEPT}",
            hint="Check the disk of the backup, then run the backup again.",
        ) from error
    finally:
        if partial.exists() and _is_ours(handle, partial):
            shutil.rmtree(partial, ignore_errors=True)
        os.close(handle)


def _empty(partial: Path) -> None:
    """Remove what a killed process left, or an attempt before this one."""
    for path in partial.iterdir():
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()


def _is_ours(handle: int, partial: Path) -> bool:
    """Tell whether this process holds the folder's lock, so that no other one works in it."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return os.fstat(handle).st_ino == partial.stat().st_ino


def _is_there(folder: Path) -> BackupError:
    return BackupError(
        f"{folder} exists already. {NOTHING_KEPT}",
        hint="Name a new folder, such as one with the date: a backup never overwrites anything.",
    )


def _warnings(made: Manifest) -> Iterator[str]:
    if made.chain_break:
        yield (
            f"The audit log is not whole: {made.chain_break}. The backup holds it as it is; "
            "see docs/operations.md."
        )
    if f"{manifest.KEYS}/secret_key" not in made.files:
        yield "MEDRAG_SECRET_KEY comes from the environment and is not in the backup."
