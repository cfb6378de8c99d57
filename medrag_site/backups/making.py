"""Make a backup while the site runs.

The snapshot of the database comes first and decides which files belong: each stands under the hash
of its content and is never changed, so it can be copied later. What vouches for the log is read
before the snapshot, which then holds every row that is vouched for.
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
from medrag_site.backups import catalog, manifest
from medrag_site.backups.manifest import BackupError, Entry, Manifest
from medrag_site.backups.tools import tools_for
from medrag_site.release import release

NOTHING_KEPT = "No backup was made, and nothing of the site was changed."


@dataclass(frozen=True)
class Made:
    """A whole backup, and what whoever made it should know."""

    manifest: Manifest
    warnings: tuple[str, ...]


def make_backup(folder: Path, say: Callable[[str], None] = lambda text: None) -> Made:
    """Write the backup into a folder that is not there yet, which then appears whole.

    Raises BackupError, and then nothing is left behind; what one that was killed left is removed
    by the next one of the same name.
    """
    with _partial(folder) as partial:
        made = _Making(partial, say).run()
        manifest.sync_folders(partial)
        if folder.exists():
            raise _is_there(folder)
        partial.rename(folder)
        manifest.sync(folder.parent)
    return made


class _Making:
    def __init__(self, folder: Path, say: Callable[[str], None]) -> None:
        self._folder, self._say = folder, say
        self._files: dict[str, Entry] = {}

    def run(self) -> Made:
        with nobody_signing() as content:  # the heads and the copy of the last belong together
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
        """All of them: what is signed with one that is lost can't be checked again."""
        if not settings.KEYS_DIR.is_dir():
            return
        for path in sorted(settings.KEYS_DIR.iterdir()):
            if path.is_file() and not path.name.startswith("."):  # these are being written
                self._add(path, f"{manifest.KEYS}/{path.name}")

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
                entry = self._add(files.document_path(sha256), path)
                if entry.sha256 != sha256:
                    raise BackupError(
                        f"{files.document_path(sha256)} is not what was uploaded: its content "
                        f"does not have the SHA-256 that it is named by. {NOTHING_KEPT}",
                        hint="Put the file back from an older backup, then make this one again.",
                    )
                progress.step(size)

    def _add(self, source: Path, path: str) -> Entry:
        try:
            entry = manifest.copy_file(source, self._folder / path)
        except FileNotFoundError as error:
            raise BackupError(
                f"{source} is missing, and the database names it. {NOTHING_KEPT}",
                hint="Put the file back from an older backup, then make this one again.",
            ) from error
        self._files[path] = entry
        return entry


@contextmanager
def _snapshot() -> Iterator[BaseDatabaseWrapper]:
    """One state of the database, for us and for `pg_dump`."""
    connection = connections[OWNER]
    connection.close()  # a session of its own: nobody may have begun a transaction in it
    with transaction.atomic(using=OWNER):
        with connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        yield connection


@contextmanager
def _partial(folder: Path) -> Iterator[Path]:
    """Yield a folder beside the one that is wanted, of this process alone, removed unless
    renamed.
    """
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
            raise BackupError(f"Another process makes {folder} already.") from error
        # What a process left that was killed.
        for path in partial.iterdir():
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink()
        partial.chmod(0o700)
        yield partial
    except OSError as error:
        raise BackupError(
            f"The backup can't be written: {error.strerror or error}. {NOTHING_KEPT}",
            hint="See to the disk of the backup, then make it again.",
        ) from error
    finally:
        if partial.exists() and _is_ours(handle, partial):
            shutil.rmtree(partial, ignore_errors=True)
        os.close(handle)


def _is_ours(handle: int, partial: Path) -> bool:
    """Tell whether the lock is held here; without it another process is at work in the folder."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return os.fstat(handle).st_ino == partial.stat().st_ino


def _is_there(folder: Path) -> BackupError:
    return BackupError(
        f"{folder} is there already. {NOTHING_KEPT}",
        hint="Name a folder that is not there, such as one with the date: a backup never "
        "overwrites anything.",
    )


def _warnings(made: Manifest) -> Iterator[str]:
    if made.chain_break:
        yield (
            f"The audit log is not whole: {made.chain_break}. The backup holds it as it is; "
            "see docs/operations.md."
        )
    if f"{manifest.KEYS}/secret_key" not in made.files:
        yield "MEDRAG_SECRET_KEY comes from the environment and is not in the backup."
