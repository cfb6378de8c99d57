"""Restore a backup into an empty site, and trust it only after comparing the two.

A table in the database marks that a restore is under way (`medrag_site.database.restore_mark`). It
is created first and dropped last, so that an interrupted restore never looks complete; the same
command then starts it again.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.management import CommandError, call_command
from django.db import connections, transaction
from django.db.migrations.loader import MigrationLoader
from django.db.models import Q
from django.utils import timezone
from psycopg import sql

from chat.audit.protection import missing_protections
from chat.audit.verify import verify_chain
from core.errors import MedragError
from core.progress import BYTES, Progress
from corpus import files
from corpus.indexing.vector_index import OWNER
from corpus.models import Chunk, Lifecycle
from medrag_site.backups import catalog, manifest
from medrag_site.backups.manifest import BackupError, Entry, Manifest
from medrag_site.backups.tools import tools_for
from medrag_site.database.restore_mark import is_unfinished
from retrieval.pipeline import retrieve
from retrieval.types import Query, Rights

UNCHANGED = "Nothing was changed."
AGAIN = (
    "The restore is incomplete and must not be used. Solve the problem and run the same command "
    "again, or empty the data folder and the database and restore another backup."
)
_LOCK = 0x6D656474  # PostgreSQL's advisory lock; migrating and creating a database have others
_SEARCHED_CHARS = 300


@dataclass(frozen=True)
class Restored:
    """A restore, compared with its backup. `found` is the title of the document searched for."""

    manifest: Manifest
    answers: int
    found: str  # empty if no document is in force
    warnings: tuple[str, ...]


def restore(folder: Path, say: Callable[[str], None] = lambda text: None) -> Restored:
    """Restore a backup. Raises BackupError, with the site unchanged or marked as unusable."""
    known = manifest.read(folder)
    return _Restoring(folder, known, say).run()


class _Restoring:
    def __init__(self, folder: Path, known: Manifest, say: Callable[[str], None]) -> None:
        self._folder, self._known, self._say = folder, known, say
        with (folder / manifest.NAME).open("rb") as stream:
            self._name = manifest.hash_of(stream).sha256

    def run(self) -> Restored:
        with _alone():
            self._refuse_misfit()
            self._refuse_full_site()
            with Progress("Reading the backup", self._known.size_bytes, unit=BYTES) as progress:
                manifest.check_files(self._folder, self._known, progress.step)
            self._mark()
            self._place_documents()
            self._place_keys()
            self._say("Restoring the database")
            self._load_database()
            self._say("Comparing it with what the backup says")
            restored = self._compare()
            with connections[OWNER].cursor() as cursor:
                cursor.execute("DROP TABLE restore_unfinished")
        return restored

    def _refuse_misfit(self) -> None:
        """Reject a backup that would fail later, or fail to protect the log, before any change."""
        server = catalog.server_version(connections[OWNER])
        roles = catalog.roles()
        disk = MigrationLoader(None).disk_migrations or {}
        unknown = set(self._known.migrations) - {f"{app}.{name}" for app, name in disk}
        if unknown:
            raise _refused(
                f"The backup was made by a newer version ({self._known.version}): its database "
                f"has {len(unknown)} migrations that this one does not know.",
                "Restore it with that version or a newer one.",
            )
        if roles != dict(self._known.roles):
            raise _refused(
                f"The rights in the backup are those of {_names(self._known.roles)}; here the "
                f"roles are {_names(roles)}.",
                "Make roles of the same names, as docs/running.md says, and set the three "
                "addresses to them.",
            )
        if server.schema != self._known.schema:
            raise _refused(
                f"The backup is of the schema {self._known.schema}; here it is {server.schema}.",
                "Use the same search_path.",
            )
        if server.major < self._known.server_major:
            raise _refused(
                f"The backup is of PostgreSQL {self._known.server}; this server, {server.name}, "
                "is older.",
                "Restore to a server of that version or a newer one.",
            )
        if _numbers(server.pgvector) < _numbers(self._known.pgvector):
            raise _refused(
                f"The backup is of pgvector {self._known.pgvector}; here it is "
                f"{server.pgvector or 'not installed'}.",
                "Install that version or a newer one, and CREATE EXTENSION vector.",
            )
        tools_for(server.major, written_by=self._known.tools_major)

    def _refuse_full_site(self) -> None:
        """Reject a site that is not empty, unless a restore of this same backup left it so."""
        if is_unfinished():
            with connections[OWNER].cursor() as cursor:
                cursor.execute("SELECT backup FROM restore_unfinished")
                begun = [name for (name,) in cursor.fetchall()]
            if begun not in ([], [self._name]):
                raise _refused(
                    "A restore of another backup was begun here and not ended.",
                    "Restore that one again, or empty the data folder and the database first.",
                )
            return
        objects = catalog.objects(connections[OWNER])
        objects.sort(key=lambda kind_and_name: kind_and_name[0] != "TABLE")  # tables first
        there = [f"the {kind.lower()} {name}" for kind, name in objects][:1]
        there += [str(path) for path in _leftovers()][:1]
        if there:
            raise _refused(
                f"This site is not empty: there is {there[0]}. A restore never overwrites "
                "anything.",
                "Name an empty folder in MEDRAG_DATA_DIR, and an empty database where it is one "
                "of your own; a file of signed heads elsewhere is to be moved aside and kept.",
            )

    def _mark(self) -> None:
        with transaction.atomic(using=OWNER), connections[OWNER].cursor() as cursor:
            cursor.execute("CREATE TABLE IF NOT EXISTS restore_unfinished (backup text)")
            cursor.execute("DELETE FROM restore_unfinished")
            cursor.execute("INSERT INTO restore_unfinished VALUES (%s)", [self._name])

    def _place_documents(self) -> None:
        documents = self._known.documents
        total = sum(entry.size_bytes for entry in documents.values())
        with Progress("Copying files", total, unit=BYTES) as progress:
            for path, entry in documents.items():
                if _kept_entry(entry.sha256) != entry:
                    with files.scratch_folder() as scratch:
                        copy = scratch / "file"
                        manifest.copy_file(self._folder / path, copy)
                        files.keep_document(files.Received(copy, entry.sha256, entry.size_bytes))
                progress.step(entry.size_bytes)

    def _place_keys(self) -> None:
        for path in sorted(self._known.files):
            if path.startswith(f"{manifest.KEYS}/"):
                _replace(self._folder / path, settings.KEYS_DIR / Path(path).name)
        if manifest.HEADS in self._known.files:
            _replace(self._folder / manifest.HEADS, Path(settings.AUDIT_HEADS_FILE))

    def _load_database(self) -> None:
        """Load the database in one transaction, into a schema with nothing but the mark.

        Default rights on new tables are revoked first: they would be added to the backup's rights,
        and the application could then change the log. The backup brings the defaults back.
        """
        _empty_schema()
        server = catalog.server_version(connections[OWNER])
        tools = tools_for(server.major, written_by=self._known.tools_major)
        try:
            tools.run(
                "pg_restore",
                *("--single-transaction", "--exit-on-error", "--no-owner"),
                *("--schema", self._known.schema, str(self._folder / manifest.DATABASE)),
            )
        except BackupError as error:
            raise BackupError(f"{error}.", hint=AGAIN) from error
        with connections[OWNER].cursor() as cursor:
            cursor.execute("ANALYZE")

    def _compare(self) -> Restored:
        counts = catalog.row_counts(connections[OWNER])
        if different := {k for k, n in counts.items() if self._known.tables.get(k) != n}:
            raise _failed(f"The table {min(different)} has another number of rows.")
        if missing := set(self._known.tables) - set(counts):
            raise _failed(f"The table {min(missing)} is missing.")
        if missing_protections() != self._known.unprotected:
            raise _failed("The database protects the audit log otherwise than it did.")
        report = verify_chain()
        if report.brief != self._known.chain_break:
            raise _failed(f"The audit log is not as it was: {report}")
        head = catalog.Head(self._known.chain_seq, self._known.chain_hash)
        if catalog.chain_head(connections[OWNER]) != head:
            raise _failed("The audit log does not end where it did.")
        for sha256, _ in catalog.documents(connections[OWNER]):
            entry = _kept_entry(sha256)
            if entry is None or entry.sha256 != sha256:
                raise _failed(f"{files.place_of(sha256)} is not what was uploaded.")
        try:
            call_command("migrate", verbosity=0)
            title = _searched()
        except (MedragError, ImproperlyConfigured, CommandError) as error:
            raise _failed(f"The database is back, and can't be searched: {error}") from error
        warnings = [f"The audit log is not whole: {report.first_break}."] if not report.ok else []
        return Restored(self._known, report.answers, title, tuple(warnings))


@contextmanager
def _alone() -> Iterator[None]:
    """Hold the lock on restores of this database, which ends with the connection."""
    with connections[OWNER].cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(%s)", [_LOCK])
        if not cursor.fetchone()[0]:
            raise _refused("Another process restores into this database.", "Wait for it.")
        try:
            yield
        finally:
            if connections[OWNER].is_usable():
                cursor.execute("SELECT pg_advisory_unlock(%s)", [_LOCK])


def _leftovers() -> Iterator[Path]:
    """Yield files of a site that was in use.

    A secret key is not counted: reading the settings creates it, and with an empty database it has
    signed nothing.
    """
    folder = settings.FILES_DIR / "documents"
    yield from sorted(path for path in folder.rglob("*") if path.is_file())
    if settings.KEYS_DIR.is_dir():
        yield from sorted(p for p in settings.KEYS_DIR.iterdir() if p.name != "secret_key")
    heads = Path(settings.AUDIT_HEADS_FILE)
    if heads.exists() and heads.stat().st_size:
        yield heads


def _empty_schema() -> None:
    """Drop what a killed restore left, and the default rights on new tables."""
    connection = connections[OWNER]
    with transaction.atomic(using=OWNER), connection.cursor() as cursor:
        for kind, name in catalog.objects(connection):
            cursor.execute(f"DROP {kind} IF EXISTS {name} CASCADE")
        cursor.execute(
            "SELECT DISTINCT CASE d.defaclobjtype WHEN 'r' THEN 'TABLES' WHEN 'S' THEN "
            "'SEQUENCES' WHEN 'f' THEN 'FUNCTIONS' WHEN 'T' THEN 'TYPES' END, g.rolname "
            "FROM pg_default_acl d, aclexplode(d.defaclacl) a JOIN pg_roles g ON g.oid = a.grantee "
            "WHERE d.defaclnamespace = current_schema()::regnamespace "
            "AND d.defaclrole = current_user::regrole AND a.grantee <> d.defaclrole"
        )
        for kind, role in cursor.fetchall():
            cursor.execute(
                sql.SQL("ALTER DEFAULT PRIVILEGES IN SCHEMA {} REVOKE ALL ON {} FROM {}").format(
                    sql.Identifier(catalog.server_version(connection).schema),
                    sql.SQL(kind),
                    sql.Identifier(role),
                )
            )


def _searched() -> str:
    """Search for a passage by its own words, and return the title of its document.

    Returns an empty string if no document is in force. Raises MedragError if nothing is found.
    """
    today = timezone.localdate()
    passage = (
        Chunk.objects.filter(
            Q(document__effective_from=None) | Q(document__effective_from__lte=today),
            document__lifecycle=Lifecycle.PUBLISHED,
            document__indexed_at__isnull=False,
            disabled_at=None,
            search_vector__isnull=False,
        )
        .select_related("document")
        .order_by("pk")
        .first()
    )
    words = passage.text[:_SEARCHED_CHARS] if passage else "dose"
    evidence = retrieve(Query(words, on=today, rights=Rights.ALL))
    if passage is None:
        return ""
    if not evidence.hits:
        raise MedragError(f"a passage of document {passage.document_id} is not found.")
    return passage.document.title


def _kept_entry(sha256: str) -> Entry | None:
    """Return hash and size of a document's bytes; None where they are missing or others."""
    try:
        with files.open_document(sha256) as stream:
            return manifest.hash_of(stream)
    except (FileNotFoundError, files.FileDamaged):
        return None


def _replace(source: Path, target: Path) -> None:
    """Replace a file by a copy, in one step and readable by this user alone."""
    partial = target.with_name(f".{target.name}.{secrets.token_hex(4)}")
    try:
        manifest.copy_file(source, partial)
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)
    manifest.sync(target.parent)


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".") if part.isdigit())


def _names(roles: object) -> str:
    return ", ".join(dict.fromkeys(dict(roles).values()))  # type: ignore[call-overload]


def _refused(what: str, hint: str) -> BackupError:
    return BackupError(f"{what} {UNCHANGED}", hint=hint)


def _failed(what: str) -> BackupError:
    return BackupError(what, hint=AGAIN)
