"""Test searches on a standby that streams from the tests' server, and is paused and killed."""

import json
import logging
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import OperationalError, connections, transaction
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from chat.models import TurnStatus
from core.replica import REPLICA, connection, forget_standing, read_from_replica, standing_measured
from corpus.models import Document
from corpus.services.lifecycle import document_withdraw
from medrag_site import doctor
from medrag_site.database import roles
from medrag_site.database.postmaster import SYSTEM_USER, living
from tests.chat.api.api_calls import SEARCH, post, signed_in
from tests.chat.guidelines import DOSE, QUESTION, ask, publish_guideline
from tests.databases import superuser
from tests.people import client_of, narrow, person
from tests.processes import ROOT, wait_until

pytestmark = pytest.mark.slow

AS_USER = SYSTEM_USER if os.geteuid() == 0 else None  # PostgreSQL refuses to run as root
OPTIONS = "-h '' -k {folder} -c max_standby_streaming_delay=0"


@dataclass
class Standby:
    """A standby, with its socket and its files in a folder."""

    folder: Path
    programs: Path

    @property
    def files(self) -> Path:
        return self.folder / "files"

    def run(self, program: str, *arguments: object) -> None:
        subprocess.run(
            [self.programs / program, *map(str, arguments)],
            user=AS_USER,
            cwd="/",
            check=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def start(self) -> None:
        log, options = self.folder / "log", OPTIONS.format(folder=self.folder)
        self.run("pg_ctl", "-w", "-D", self.files, "-l", log, "-o", options, "start")

    def kill(self) -> None:
        self.run("pg_ctl", "-w", "-D", self.files, "-m", "immediate", "stop")

    def say(self, statement: str) -> Any:
        with superuser(str(self.folder)) as on_standby:
            return on_standby.execute(statement).fetchone()

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Let it replay nothing within the block."""
        self.say("SELECT pg_wal_replay_pause()")
        wait_until(lambda: self.say("SELECT pg_get_wal_replay_pause_state()") == ("paused",), "it")
        try:
            yield
        finally:
            self.say("SELECT pg_wal_replay_resume()")


@pytest.fixture(scope="module")
def standby(django_db_setup: None, socket_dir: str) -> Iterator[Standby]:
    server = living(Path(socket_dir))
    assert server is not None
    folder = Path(tempfile.mkdtemp(prefix="medrag-", dir="/tmp"))
    if AS_USER:
        shutil.chown(folder, AS_USER)
    made = Standby(folder, Path(server.exe()).parent)
    try:
        made.run(
            "pg_basebackup", "-h", socket_dir, "-U", "postgres", "-D", made.files, "-R", "-cfast"
        )
        made.start()
        yield made
        made.kill()
    finally:
        shutil.rmtree(folder)


@pytest.fixture
def replica(own_database: str, standby: Standby) -> Iterator[Standby]:
    """Let searches read the standby, which has all of the database by now."""
    default = connections.settings["default"]
    connections.settings[REPLICA] = {**default, "HOST": str(standby.folder)}
    try:
        catch_up()
        yield standby
    finally:
        connections[REPLICA].close()
        del connections[REPLICA], connections.settings[REPLICA]
        forget_standing()


def catch_up() -> None:
    wait_until(lambda: not (found := standing_measured()).fault and not found.behind_s, "it is")
    forget_standing()


@pytest.fixture
def client(replica: Standby) -> Client:
    return signed_in(person("reader"))


@pytest.fixture
def guideline(replica: Standby) -> Document:
    document = publish_guideline(picture=False)
    catch_up()
    return document


def found(client: Client) -> bool:
    return DOSE in json.dumps(post(client, SEARCH, {"query": QUESTION}).json())


@contextmanager
def statements_of(alias: str) -> Iterator[list[str]]:
    seen: list[str] = []

    def see(execute: Callable[..., Any], sql: str, *more: Any) -> Any:
        seen.append(sql)
        return execute(sql, *more)

    with connections[alias].execute_wrapper(see):
        yield seen


def test_a_search_reads_the_standby_and_nothing_is_written_there(
    client: Client, guideline: Document
) -> None:
    with statements_of(REPLICA) as there, statements_of("default") as here:
        assert found(client)
    assert [sql for sql in there if "corpus_chunk" in sql]
    (confirmed,) = [sql for sql in here if "corpus_chunk" in sql]
    assert "c.key = ANY" in confirmed
    assert not [sql for sql in there if sql.lstrip().startswith(("INSERT", "UPDATE", "DELETE"))]


def test_what_is_published_is_found_once_it_is_replayed(client: Client, replica: Standby) -> None:
    catch_up()
    with replica.paused():
        publish_guideline(picture=False)
        assert not found(client)
    wait_until(lambda: found(client), "it is replayed", 30)


def test_a_standby_that_is_behind_is_not_read(
    client: Client, replica: Standby, settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    settings.REPLICA_MAX_LAG_S = 1
    catch_up()
    with replica.paused():
        publish_guideline(picture=False)
        wait_until(lambda: standing_measured().behind_s > 1, "it is too old", 30)
        forget_standing()
        with statements_of(REPLICA) as there:
            assert found(client)
        assert not [sql for sql in there if "corpus_chunk" in sql]
        ok, said = doctor._LOOKS["replica"]()
        assert ok is None
        assert "more than 1 s. Searches go to the primary" in said
    assert "The replica is not read: it is " in caplog.text
    catch_up()
    assert doctor._LOOKS["replica"]() == (True, "read by searches, 0 s behind")


def test_an_old_last_transaction_is_no_lag(replica: Standby, settings: Settings) -> None:
    """Nothing is written for as long as nobody asks."""
    catch_up()
    settings.REPLICA_MAX_LAG_S = 0
    age = "SELECT extract(epoch FROM clock_timestamp() - pg_last_xact_replay_timestamp()) > 0"
    assert replica.say(age) == (True,)
    assert standing_measured().is_usable


def test_without_the_standby_the_primary_is_searched(
    client: Client, guideline: Document, replica: Standby, caplog: pytest.LogCaptureFixture
) -> None:
    assert found(client)
    replica.kill()
    try:
        with caplog.at_level(logging.WARNING, logger="core.replica"):
            assert found(client)
            assert found(client)  # and it is not asked again for a while
        assert len(caplog.records) == 1
        forget_standing()
        assert found(client)
        ok, said = doctor._LOOKS["replica"]()
        assert ok is False
        assert "does not answer" in said
    finally:
        replica.start()
    catch_up()
    with statements_of(REPLICA) as there:
        assert found(client)
    assert there


def test_a_read_that_its_replay_cancels_is_made_on_the_primary(guideline: Document) -> None:
    asked = []

    def read() -> int:
        asked.append(connection.alias)
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT count(*), count(CASE WHEN pg_is_in_recovery() THEN pg_sleep(20) END) "
                "FROM corpus_document"
            )
            return int(cursor.fetchone()[0])

    def be_in_the_way() -> None:
        wait_until(lambda: asked == [REPLICA], "it reads")
        try:
            with transaction.atomic(using="owner"), connections["owner"].cursor() as cursor:
                cursor.execute("LOCK TABLE corpus_document IN ACCESS EXCLUSIVE MODE")
        finally:
            connections.close_all()

    with ThreadPoolExecutor(1) as pool:
        done = pool.submit(be_in_the_way)
        assert read_from_replica(read, still_holds=lambda rows: True) == 1
        done.result()
    assert asked == [REPLICA, "default"]


def test_an_error_of_the_statement_itself_is_not_retried(guideline: Document) -> None:
    asked = []

    def read() -> None:
        asked.append(connection.alias)
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL statement_timeout = 1; SELECT pg_sleep(5)")

    with pytest.raises(OperationalError, match="statement timeout"):
        read_from_replica(read, still_holds=lambda rows: True)
    assert asked == [REPLICA]


def test_a_standby_that_hangs_in_a_statement_is_cut_off(
    guideline: Document, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As if its processes were stopped: it takes the statement, and never answers."""
    monkeypatch.setattr("core.replica.READ_S", 0.5)
    asked = []

    def read() -> str:
        asked.append(connection.alias)
        with connection.cursor() as cursor:
            cursor.execute("SELECT CASE WHEN pg_is_in_recovery() THEN pg_sleep(60) END")
        return connection.alias

    assert read_from_replica(read, still_holds=bool) == "default"
    assert read_from_replica(read, still_holds=bool) == "default"  # not asked again for a while
    assert asked == [REPLICA, "default", "default"]
    forget_standing()
    assert read_from_replica(lambda: connection.alias, still_holds=bool) == REPLICA


def test_a_standby_without_a_new_column_is_not_read(
    client: Client, guideline: Document, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def read() -> str:
        asked.append(connection.alias)
        with connection.cursor() as cursor:
            name = "no_such_column" if connection.alias == REPLICA else "title"
            cursor.execute(f"SELECT {name} FROM corpus_document")
        return connection.alias

    assert read_from_replica(read, still_holds=bool) == "default"
    assert asked == [REPLICA, "default"]
    forget_standing()
    assert doctor._LOOKS["replica"]()[0]
    monkeypatch.setattr("medrag_site.doctor_database.columns_missing", lambda: ["document.new"])
    ok, said = doctor._LOOKS["replica"]()
    assert ok is False
    assert "(document.new missing). Searches go to the primary" in said


def test_a_withdrawal_holds_at_once_though_the_standby_does_not_know_it(
    client: Client, guideline: Document, replica: Standby
) -> None:
    reader = User.objects.get(username="reader")
    assert ask(reader).status == TurnStatus.ANSWERED
    with replica.paused():
        document_withdraw(guideline, by=None, reason="Wrong dose")
        assert ask(reader).status == TurnStatus.ABSTAINED
        assert not found(client)
        assert Document.objects.using(REPLICA).get().lifecycle == "PUBLISHED"


def test_headings_are_suggested_from_the_standby_with_the_rights_of_the_primary(
    guideline: Document, replica: Standby
) -> None:
    browser = client_of(person("asker"))
    catch_up()

    def suggested() -> bool:
        shown = browser.post(reverse("chat:suggest"), {"question": "pneumonia"})
        return guideline.title in shown.content.decode()

    with statements_of(REPLICA) as there:
        assert suggested()
    assert [sql for sql in there if "corpus_chunk" in sql]
    with replica.paused():
        narrow(guideline.collection, "searchers", "Board")
        assert not suggested()


def test_a_right_that_is_lost_is_lost_at_once(
    client: Client, guideline: Document, replica: Standby
) -> None:
    assert found(client)
    with replica.paused():
        narrow(guideline.collection, "searchers", "Board")
        assert not found(client)


def test_rows_read_there_are_written_on_the_primary(guideline: Document) -> None:
    def read() -> Document:
        return Document.objects.get()

    document = read_from_replica(read, still_holds=lambda rows: True)
    assert document._state.db == REPLICA
    document.title = "Changed"
    document.save()
    assert Document.objects.get().title == "Changed"
    assert document.chunks.get()._state.db == "default"
    copied = document.pages.create(number=2, text="", blocks=[], width=0, height=0)
    assert copied._state.db == "default"


def test_a_transaction_reads_the_primary(guideline: Document) -> None:
    def read() -> Any:
        with transaction.atomic():
            return Document.objects.get()._state.db, connection.alias

    with transaction.atomic():
        Document.objects.update(title="Changed")
        inside = read_from_replica(lambda: Document.objects.get().title, still_holds=bool)
    assert inside == "Changed"
    assert read_from_replica(read, still_holds=bool) == ("default", "default")


def test_a_primary_named_as_standby_is_not_read(replica: Standby, socket_dir: str) -> None:
    connections[REPLICA].close()
    connections.settings[REPLICA]["HOST"] = socket_dir
    ok, said = doctor._LOOKS["replica"]()
    assert ok is False
    assert "it is no standby" in said
    assert read_from_replica(lambda: connection.alias, still_holds=bool) == "default"


def test_the_address_is_a_setting(replica: Standby, own_database: str, socket_dir: str) -> None:
    address = f"postgresql://{roles.APPLICATION}@/{own_database}?host="
    environment = {
        "DATABASE_URL": f"{address}{socket_dir}",
        "DATABASE_REPLICA_URL": f"{address}{replica.folder}",
        "MEDRAG_REPLICA_MAX_LAG_S": "3600",  # starting a process takes long
        "DJANGO_SETTINGS_MODULE": "tests.settings",
    }

    def search() -> str:
        return subprocess.run(
            [sys.executable, "manage.py", "search", QUESTION],
            cwd=ROOT,
            env=os.environ | environment,
            capture_output=True,
            text=True,
            check=True,
        ).stdout

    catch_up()
    with replica.paused():
        publish_guideline(picture=False)
        assert search() == ""
    catch_up()
    assert DOSE[:50] in search()
