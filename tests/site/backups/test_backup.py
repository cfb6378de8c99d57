"""Test backup and restore on one server: what is restored, and what is refused."""

import json
import shutil
import stat
import subprocess
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as django_settings
from django.core.management import CommandError, call_command
from django.db import connections
from django.test import Client, override_settings
from django.utils import timezone
from psycopg import sql
from pytest_django import DjangoDbBlocker, Settings

from bench.connections import connected_to
from chat.ask import turn_ask
from chat.audit.heads import sign_head
from chat.audit.protection import missing_protections
from chat.audit.verify import verify_chain
from chat.models import Channel
from chat.terminal import as_text
from chat.types import AskedQuestion
from corpus.models import Document, JobState, Lifecycle
from corpus.services.documents import document_discard
from corpus.services.indexing import document_index
from medrag_site import doctor
from medrag_site.backups import manifest
from medrag_site.backups.making import make_backup
from medrag_site.backups.manifest import BackupError
from medrag_site.backups.restoring import restore
from medrag_site.backups.tools import choose, folders
from medrag_site.database import restore_mark as unfinished
from medrag_site.database.provisioning import provision
from medrag_site.database.tables import ensure_tables
from tests.chat.audit.audit_tools import record_events
from tests.corpus.documents import guideline, ingest
from tests.corpus.stored import document_path
from tests.databases import fresh_database, superuser
from tests.dying.full_disk import no_file_longer_than
from tests.site.browsing.states import State, catalog_state, rows_state
from tests.tables import rows

QUESTION = "How much calcium gluconate do I give when the ECG has changed in hyperkalaemia?"


@dataclass
class Backup:
    """A backup of a site with two documents, an answer and signed heads, and the site's state."""

    folder: Path
    answer: str
    rows: State
    catalog: State
    files: dict[str, bytes]


def ask() -> str:
    return as_text(turn_ask(AskedQuestion(QUESTION, user=None, channel=Channel.COMMAND)))


def fill() -> None:
    for document in (ingest(), ingest(guideline(sections=3), "second.md")):
        document_index(document.pk)
    Document.objects.update(lifecycle=Lifecycle.PUBLISHED, published_at=timezone.now())


def places_of(settings: Settings) -> dict[str, Path]:
    return {name: getattr(settings, name) for name in ("FILES_DIR", "KEYS_DIR", "AUDIT_HEADS_FILE")}


def keys_and_files(places: dict[str, Path]) -> dict[str, bytes]:
    found = [places["AUDIT_HEADS_FILE"], *places["KEYS_DIR"].iterdir()]
    found += [path for path in (places["FILES_DIR"] / "documents").rglob("*") if path.is_file()]
    return {path.name: path.read_bytes() for path in found}


@pytest.fixture(scope="module")
def whole(
    django_db_setup: None,
    socket_dir: str,
    django_db_blocker: DjangoDbBlocker,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Backup]:
    """Make a backup once for all tests; nothing else of its site is kept."""
    folder = tmp_path_factory.mktemp("site")
    places = {
        "FILES_DIR": folder / "files",
        "KEYS_DIR": folder / "keys",
        "AUDIT_HEADS_FILE": folder / "heads.jsonl",
    }
    with django_db_blocker.unblock(), fresh_database(socket_dir), override_settings(**places):
        fill()
        answer = ask()
        sign_head()
        (folder / "keys" / "secret_key").write_text("secret\n")
        make_backup(folder / "backup")
        yield Backup(
            folder / "backup", answer, rows_state(), catalog_state(), keys_and_files(places)
        )


@pytest.fixture
def backup(whole: Backup, tmp_path: Path) -> Backup:
    """Copy the backup, so that the test may damage it."""
    return replace(whole, folder=shutil.copytree(whole.folder, tmp_path / "backup"))


@pytest.fixture
def site(own_database: str) -> Document:
    """Make a site with an uploaded document, not parsed yet, and a signed log."""
    document = ingest()
    sign_head()
    return document


@contextmanager
def another_site(socket_dir: str, settings: Settings, folder: Path) -> Iterator[str]:
    """Make an empty data folder and an empty database, as `docs/running.md` says."""
    folder.mkdir()
    for name in ("FILES_DIR", "MEDIA_ROOT"):
        setattr(settings, name, folder / "files")
    settings.KEYS_DIR = folder / "keys"
    settings.KEYS_DIR.mkdir()
    (settings.KEYS_DIR / "secret_key").write_text("made at the first start\n")
    settings.AUDIT_HEADS_FILE = folder / "audit" / "heads.jsonl"
    settings.AUDIT_HEADS_FILE.parent.mkdir()
    name = f"restored_{uuid.uuid4().hex[:8]}"
    provision(socket_dir, name)
    try:
        with connected_to(name):
            yield name
    finally:
        with superuser(socket_dir) as c:
            c.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


@pytest.fixture
def empty_site(
    django_db_setup: None,
    django_db_blocker: DjangoDbBlocker,
    socket_dir: str,
    settings: Settings,
    tmp_path: Path,
) -> Iterator[str]:
    folder = tmp_path / "restored"
    with django_db_blocker.unblock(), another_site(socket_dir, settings, folder) as name:
        yield name


def run_as_owner(*statements: str) -> None:
    with connections["owner"].cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)


def test_all_that_a_site_is_comes_back(backup: Backup, empty_site: str, settings: Settings) -> None:
    restored = restore(backup.folder)
    assert catalog_state() == backup.catalog
    assert rows_state() == backup.rows
    assert keys_and_files(places_of(settings)) == backup.files
    assert (restored.answers, restored.found) == (1, "Hyperkalaemia in adults")
    assert verify_chain().ok
    assert missing_protections() == ()
    assert not unfinished.is_unfinished()
    ensure_tables()
    assert ask() == backup.answer
    assert "10 mL of calcium gluconate" in backup.answer
    sign_head()
    assert verify_chain().ok


def test_a_restored_site_grants_new_tables_as_before(backup: Backup, empty_site: str) -> None:
    restore(backup.folder)
    run_as_owner("CREATE TABLE later (id bigserial)")
    with connections["default"].cursor() as cursor:
        cursor.execute("INSERT INTO later DEFAULT VALUES RETURNING id")
        assert cursor.fetchone() == (1,)


def test_only_its_owner_reads_a_backup(whole: Backup) -> None:
    assert stat.S_IMODE(whole.folder.stat().st_mode) == 0o700
    found = [path for path in whole.folder.rglob("*") if path.is_file()]
    assert len(found) > 6
    assert {stat.S_IMODE(path.stat().st_mode) for path in found} == {0o600}


def test_the_manifest_says_what_is_in_it(whole: Backup) -> None:
    known = json.loads((whole.folder / "manifest.json").read_text())
    there = [path for path in whole.folder.rglob("*") if path.is_file()]
    assert {str(path.relative_to(whole.folder)) for path in there} == {
        *known["files"],
        "manifest.json",
    }
    assert known["tables"] == {name: len(rows) for name, rows in whole.rows.items()}
    assert known["chain_break"] == ""
    manifest.check_files(whole.folder, manifest.read(whole.folder))


def test_a_backup_never_overwrites(site: Document, tmp_path: Path) -> None:
    make_backup(tmp_path / "monday")
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "monday").rglob("*")}
    with pytest.raises(BackupError, match="exists already") as error:
        make_backup(tmp_path / "monday")
    assert "Name a new folder" in error.value.sentence
    assert {path: path.stat().st_mtime_ns for path in (tmp_path / "monday").rglob("*")} == before
    (tmp_path / "empty").mkdir()
    with pytest.raises(BackupError, match="exists already"):
        make_backup(tmp_path / "empty")


def test_what_a_killed_backup_left_is_no_backup_and_is_removed(
    site: Document, tmp_path: Path
) -> None:
    partial = tmp_path / "backups" / "monday.partial"
    put(partial / "documents" / "00" / "00ff")
    put(partial / "database.dump")
    with pytest.raises(BackupError, match="is not a complete backup"):
        restore(partial)
    make_backup(tmp_path / "backups" / "monday")
    assert [path.name for path in partial.parent.iterdir()] == ["monday"]
    manifest.check_files(tmp_path / "backups" / "monday", manifest.read(partial.parent / "monday"))


def test_two_at_once_of_one_name_do_not_mix(site: Document, tmp_path: Path) -> None:
    def begin_another(text: str) -> None:
        with pytest.raises(BackupError, match="Another process is writing"):
            make_backup(tmp_path / "monday")

    make_backup(tmp_path / "monday", begin_another)
    manifest.check_files(tmp_path / "monday", manifest.read(tmp_path / "monday"))


def test_a_folder_that_cannot_be_written_is_said(site: Document, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for folder in (tmp_path / "nowhere" / "backup", tmp_path / "file" / "backup"):
        with pytest.raises(BackupError, match=r"can't be made: .*No backup was made"):
            make_backup(folder)


@pytest.mark.parametrize("size_bytes", [10, 20_000])
def test_a_disk_that_is_full_leaves_nothing_behind(
    site: Document, tmp_path: Path, size_bytes: int
) -> None:
    """While a key is written, and while `pg_dump` writes."""
    with no_file_longer_than(size_bytes), pytest.raises(BackupError, match="No backup was made"):
        make_backup(tmp_path / "backup")
    assert not list(tmp_path.glob("backup*"))


@pytest.mark.parametrize("way", ["deleted", "changed", "deleted meanwhile"])
def test_a_file_that_the_database_names_must_be_there(
    site: Document, tmp_path: Path, way: str
) -> None:
    path = document_path(site.sha256)

    def delete(text: str) -> None:
        if way == "deleted meanwhile" and text == "Writing the database":
            path.unlink()

    if way == "deleted":
        path.unlink()
    elif way == "changed":
        path.write_bytes(b"x")
    with pytest.raises(BackupError, match=f"{path} is .*No backup was made"):
        make_backup(tmp_path / "backup", delete)
    assert not list(tmp_path.glob("backup*"))


def test_an_upload_that_is_discarded_meanwhile_has_it_begun_again(
    site: Document, tmp_path: Path
) -> None:
    failed = ingest(guideline(), "unreadable.md")
    failed.job.state = JobState.FAILED
    failed.job.save()
    said: list[str] = []

    def discard(text: str) -> None:
        if text == "Writing the database" and text not in said:
            document_discard(failed, by=None)
        said.append(text)

    made = make_backup(tmp_path / "backup", discard).manifest
    assert "An upload was discarded meanwhile: beginning again" in said
    assert [entry.sha256 for entry in made.documents.values()] == [site.sha256]
    assert made.tables["corpus_document"] == 1
    assert stat.S_IMODE((tmp_path / "backup").stat().st_mode) == 0o700


def test_the_password_of_a_key_is_no_argument(
    site: Document, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All that other users of the machine can read is the arguments."""
    options = {**connections["owner"].settings_dict["OPTIONS"], "sslpassword": "of-the-key"}
    monkeypatch.setitem(connections["owner"].settings_dict, "OPTIONS", options)
    run, seen = subprocess.run, []

    def told(arguments: list[str], **more: Any) -> Any:
        if more.get("env"):  # not where it asks for a version
            kept = Path(more["env"]["PGSERVICEFILE"])
            seen.append((arguments, kept, kept.read_text(), stat.S_IMODE(kept.stat().st_mode)))
        return run(arguments, **more)

    monkeypatch.setattr("medrag_site.backups.tools.subprocess.run", told)
    make_backup(tmp_path / "backup")
    ((arguments, kept, content, mode),) = seen
    assert "of-the-key" not in " ".join(arguments)
    assert content == "[medrag]\nsslpassword=of-the-key\n"
    assert mode == 0o600 and not kept.exists()


def test_a_file_that_comes_after_the_snapshot_is_left_to_the_next_backup(
    site: Document, tmp_path: Path
) -> None:
    def upload(text: str) -> None:
        if text == "Writing the database":
            ingest(guideline(), "later.md")

    made = make_backup(tmp_path / "backup", upload).manifest
    assert [entry.sha256 for entry in made.documents.values()] == [site.sha256]
    assert made.tables["corpus_document"] == 1


def test_a_role_that_may_not_read_everything_is_told_which_is_needed(
    site: Document, tmp_path: Path
) -> None:
    values = connections["owner"].settings_dict
    connections["owner"].close()
    values["USER"], before = "medrag_app", values["USER"]
    try:
        with pytest.raises(BackupError, match="medrag_app does not own") as error:
            make_backup(tmp_path / "backup")
    finally:
        connections["owner"].close()
        values["USER"] = before
    assert "DATABASE_OWNER_URL" in error.value.sentence


def test_heads_that_are_signed_meanwhile_do_not_spoil_a_backup(
    site: Document, tmp_path: Path, socket_dir: str, settings: Settings
) -> None:
    """The heads are read before the snapshot, which has every row that they sign."""

    def sign_too_late(text: str) -> None:
        if text == "Writing the database":
            record_events(1)
            sign_head()

    made = make_backup(tmp_path / "backup", sign_too_late)
    assert made.warnings == (
        "MEDRAG_SECRET_KEY comes from the environment and is not in the backup.",
    )
    rows = made.manifest.chain_seq
    assert verify_chain().rows == rows + 1
    with another_site(socket_dir, settings, tmp_path / "restored"):
        assert restore(tmp_path / "backup").found == ""
        assert verify_chain().ok
        assert verify_chain().rows == rows


def change_a_row() -> None:
    run_as_owner(
        "ALTER TABLE chat_auditevent DISABLE TRIGGER USER",
        "UPDATE chat_auditevent SET actor = 'x' WHERE seq = 2",
        "ALTER TABLE chat_auditevent ENABLE TRIGGER USER",
    )


def lose_key() -> None:
    (django_settings.KEYS_DIR / "audit_heads_key").unlink()


@pytest.mark.parametrize(
    ("harm", "said"),
    [
        (change_a_row, "at row 2: the row is not what was written"),
        (lose_key, "a signed head has no valid signature"),
    ],
)
def test_a_log_that_was_broken_comes_back_as_it_was_and_it_is_said(
    site: Document,
    tmp_path: Path,
    socket_dir: str,
    settings: Settings,
    harm: Callable[[], None],
    said: str,
) -> None:
    record_events(3)
    harm()
    warning, _ = make_backup(tmp_path / "backup").warnings
    assert said in warning
    with another_site(socket_dir, settings, tmp_path / "restored"):
        (warning,) = restore(tmp_path / "backup").warnings
        assert said in warning
        assert said in str(verify_chain())


@contextmanager
def one_role_for_all() -> Iterator[None]:
    """Connect as with `DATABASE_URL` alone."""
    connections.close_all()
    before = {alias: connections[alias].settings_dict["USER"] for alias in connections}
    for alias in connections:
        connections[alias].settings_dict["USER"] = "medrag_owner"
    try:
        yield
    finally:
        connections.close_all()
        for alias, user in before.items():
            connections[alias].settings_dict["USER"] = user


def test_with_one_role_for_all_it_is_as_it_was(
    tmp_path: Path,
    socket_dir: str,
    settings: Settings,
    django_db_setup: None,
    django_db_blocker: DjangoDbBlocker,
) -> None:
    with django_db_blocker.unblock(), one_role_for_all():
        with another_site(socket_dir, settings, tmp_path / "site"):
            call_command("migrate", verbosity=0)
            ingest()
            sign_head()
            made = make_backup(tmp_path / "backup").manifest
            assert len(made.unprotected) == 5  # PostgreSQL can't protect a log from its owner
            before = rows_state(), catalog_state()
        with another_site(socket_dir, settings, tmp_path / "restored"):
            restore(tmp_path / "backup")
            assert (rows_state(), catalog_state()) == before


def damage_file(folder: Path) -> None:
    with (folder / "database.dump").open("r+b") as stream:
        stream.seek(1000)
        stream.write(b"!!!!")


def lose_file(folder: Path) -> None:
    next(path for path in (folder / "documents").rglob("*") if path.is_file()).unlink()


def change_manifest(**fields: object) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        path = folder / "manifest.json"
        path.write_text(json.dumps(json.loads(path.read_text()) | fields))

    return change


@pytest.mark.parametrize(
    ("harm", "said"),
    [
        (damage_file, r"database\.dump was changed after the backup"),
        (lose_file, "is incomplete: documents/.* can't be read"),
        (lambda folder: (folder / "manifest.json").unlink(), "is not a complete backup"),
        (lambda folder: (folder / "manifest.json").write_text("{"), "is damaged"),
        (lambda folder: (folder / "manifest.json").write_text("[]"), "format that this version"),
        (change_manifest(format=2), "format that this version does not know"),
        (change_manifest(files=3), "is damaged"),
        (change_manifest(surplus=3), "is damaged"),
        (change_manifest(files={"../x": {"sha256": "", "size_bytes": 0}}), "is damaged"),
        (change_manifest(migrations=["chat.9999_later"]), "made by a newer version"),
        (change_manifest(roles={"default": "a"}), "those of a; here the roles are medrag_"),
        (change_manifest(schema="other"), "of the schema other"),
        (change_manifest(server_major=99, server="99.1"), "PostgreSQL 99.1; this server"),
        (change_manifest(pgvector="9.0.0"), "pgvector 9.0.0; here it is"),
        (change_manifest(tools_major=99), "pg_dump and pg_restore of that version are needed"),
    ],
)
def test_what_cannot_be_restored_is_refused_before_anything_is_done(
    backup: Backup, empty_site: str, settings: Settings, harm: Callable[[Path], None], said: str
) -> None:
    harm(backup.folder)
    before = catalog_state()
    with pytest.raises(BackupError, match=said) as error:
        restore(backup.folder)
    assert "Nothing was changed." in error.value.sentence
    assert catalog_state() == before
    assert not unfinished.is_unfinished()
    assert [path.name for path in settings.KEYS_DIR.parent.rglob("*") if path.is_file()] == [
        "secret_key"
    ]


def put(path: Path, content: str = "x") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content)


@pytest.mark.parametrize("what", ["table", "document", "key", "heads"])
def test_a_site_that_is_not_empty_is_refused(
    backup: Backup, empty_site: str, settings: Settings, what: str
) -> None:
    if what == "table":
        run_as_owner("CREATE TABLE precious (a int)", "INSERT INTO precious VALUES (1)")
    elif what == "document":
        put(document_path("ab" * 32))
    elif what == "key":
        put(settings.KEYS_DIR / "audit_heads_key")
    else:
        put(settings.AUDIT_HEADS_FILE)
    before = catalog_state()
    with pytest.raises(BackupError, match="This site is not empty"):
        restore(backup.folder)
    assert catalog_state() == before
    assert "made at the first start" in (settings.KEYS_DIR / "secret_key").read_text()


class Killed(BaseException):
    """Raised in place of SIGKILL: no code of ours catches it."""


@pytest.mark.parametrize("at", ["Restoring the database", "Comparing it with what the backup says"])
def test_one_that_was_cut_off_looks_like_none_and_can_be_run_again(
    backup: Backup, empty_site: str, settings: Settings, at: str
) -> None:
    def die(text: str) -> None:
        if text == at:
            raise Killed

    with pytest.raises(Killed):
        restore(backup.folder, die)
    for alias in ("default", "owner", "auditor"):
        connections[alias].close()
    with pytest.raises(CommandError, match="has not come to its end"):
        ensure_tables()
    found = {finding.name: finding for finding in doctor.examine()}["migrations"]
    assert (found.ok, found.detail) == (False, unfinished.SENTENCE)
    response = Client().get("/readyz")
    assert (response.status_code, response.json()["database"]) == (503, "restoring")
    restore(backup.folder)
    assert catalog_state() == backup.catalog
    assert rows_state() == backup.rows
    assert keys_and_files(places_of(settings)) == backup.files
    ensure_tables()


def test_another_backup_does_not_go_over_one_that_was_cut_off(
    backup: Backup, empty_site: str, tmp_path: Path
) -> None:
    def die(text: str) -> None:
        raise Killed

    with pytest.raises(Killed):
        restore(backup.folder, die)
    shutil.copytree(backup.folder, tmp_path / "other")
    change_manifest(version="other")(tmp_path / "other")
    with pytest.raises(BackupError, match="restore of another backup was begun here"):
        restore(tmp_path / "other")
    restore(backup.folder)


@pytest.mark.parametrize(("harm", "said"), rows(__file__, "came_back_otherwise.jsonl"))
def test_what_came_back_otherwise_is_not_called_done(
    backup: Backup, empty_site: str, harm: str, said: str
) -> None:
    """The data are changed between restoring and comparing, as if the dump were wrong."""

    def interfere(text: str) -> None:
        if text.startswith("Comparing"):
            run_as_owner(harm)

    with pytest.raises(BackupError, match=said) as error:
        restore(backup.folder, interfere)
    assert "must not be used" in error.value.sentence
    assert unfinished.is_unfinished()


def test_without_a_search_that_works_it_is_not_done(
    backup: Backup, empty_site: str, settings: Settings
) -> None:
    """As if the encoder's folder had not been copied to the new machine."""
    bundled, settings.EMBEDDER = settings.EMBEDDER, "/nowhere"
    with pytest.raises(BackupError, match="/nowhere") as error:
        restore(backup.folder)
    assert "run the same command again" in error.value.sentence
    assert unfinished.is_unfinished()
    settings.EMBEDDER = bundled
    assert restore(backup.folder).found == "Hyperkalaemia in adults"
    assert not unfinished.is_unfinished()


def test_programs_that_are_too_old_or_too_new_are_named(tmp_path: Path) -> None:
    bundled = folders()
    newest = choose(bundled, server_major=18)
    assert newest.major >= 18
    older = [folder for folder in bundled if folder != newest.folder]
    with pytest.raises(BackupError) as error:
        choose(older, server_major=18)
    assert "PostgreSQL 18" in error.value.sentence
    assert "postgresql-client-18" in error.value.sentence
    with pytest.raises(BackupError, match="none"):
        choose([tmp_path], server_major=18)
    # an older server can't restore a newer one's dump
    with pytest.raises(BackupError, match="PostgreSQL 15"):
        choose([newest.folder], server_major=15)


def test_the_commands_say_what_happened(
    backup: Backup, empty_site: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    call_command("restore", str(backup.folder))
    shown = capsys.readouterr()
    assert "Restored the backup of" in shown.out
    assert "withdrawn, replaced or stopped since then answer again" in shown.out
    call_command("backup", str(tmp_path / "again"))
    shown = capsys.readouterr()
    assert "is complete: 2 files of documents" in shown.out
    assert "keep it as safe as the site" in shown.out
    with pytest.raises(
        CommandError, match=r"not empty: there is the table account_emailaddress[.]"
    ):
        call_command("restore", str(backup.folder))
