"""Test every way in which the embedded server can be away: restarted, or named in the error."""

import logging
import os
import pwd
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psutil
import psycopg
import pytest
from django.http import HttpRequest, HttpResponse
from django.test import Client, override_settings
from django.urls import path

from medrag_site.database import postmaster
from medrag_site.database.embedded import Watch, ensure_started
from medrag_site.database.faults import WithoutTraceback, sentence_of, server_error
from medrag_site.database.postmaster import DatabaseStartError, living
from tests.processes import ROOT, paused, wait_until

IS_ROOT = os.geteuid() == 0


@pytest.fixture(scope="module")
def made() -> Iterator[Path]:
    """Make a data folder whose server this process uses until the module ends."""
    folder = Path(tempfile.mkdtemp(prefix="medrag-", dir="/tmp"))
    folder.chmod(0o755)
    ensure_started(folder)
    yield folder
    postmaster.stop(folder / "postgres")
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def pgdata(made: Path) -> Path:
    ensure_started(made)
    return made / "postgres"


def server_of(pgdata: Path) -> psutil.Process:
    server = living(pgdata)
    assert server is not None
    return server


def kill(pgdata: Path) -> None:
    server_of(pgdata).kill()
    wait_until(lambda: living(pgdata) is None, "it is dead")


def answers(pgdata: Path) -> bool:
    with psycopg.connect(host=str(pgdata), user="postgres", dbname="medrag") as connection:
        return connection.execute("SELECT 1").fetchone() == (1,)


@pytest.mark.parametrize("written", [None, "", "no number", "{own}\n/elsewhere\n"])
def test_what_a_killed_server_leaves_keeps_no_other_from_starting(
    pgdata: Path, written: str | None
) -> None:
    """Its pid file, one cut off by a full disk, or one with another program's pid."""
    kill(pgdata)
    if written is not None:
        (pgdata / "postmaster.pid").write_text(written.format(own=os.getpid()))
    (pgdata / ".s.PGSQL.5432.lock").write_text(f"{os.getpid()}\n")
    Watch(pgdata.parent)()
    ensure_started(pgdata.parent)
    assert answers(pgdata)


ZOMBIE = """
import sys, time
from pathlib import Path
import psutil
from medrag_site.database.embedded import Watch, ensure_started
from medrag_site.database.postmaster import living
from medrag_site.processes.parent_death import adopt_orphans
adopt_orphans()
data = Path(sys.argv[1])
ensure_started(data)
server = living(data / "postgres")
assert server.ppid() == psutil.Process().pid
server.kill()
while server.status() != psutil.STATUS_ZOMBIE:
    time.sleep(0.05)
assert living(data / "postgres") is None
Watch(data)()
print(ensure_started(data), living(data / "postgres").pid != server.pid)
"""


def test_a_zombie_is_dead(pgdata: Path) -> None:
    postmaster.stop(pgdata)
    done = subprocess.run(
        [sys.executable, "-c", ZOMBIE, str(pgdata.parent)], cwd=ROOT, capture_output=True, text=True
    )
    assert done.stdout.split() == [str(pgdata), "True"], done.stderr


def test_processes_that_work_on_without_their_server_are_ended(pgdata: Path) -> None:
    with psycopg.connect(host=str(pgdata), user="postgres", dbname="medrag") as connection:
        backend = psutil.Process(connection.info.backend_pid)
        backend.suspend()  # like a busy one, it doesn't notice
        kill(pgdata)
        Watch(pgdata.parent)()
        assert not postmaster.is_server(backend)
    ensure_started(pgdata.parent)
    assert answers(pgdata)


def test_a_watch_leaves_a_server_alone_that_lives(pgdata: Path) -> None:
    before = server_of(pgdata).pid
    Watch(pgdata.parent)()
    assert server_of(pgdata).pid == before


def test_a_watch_says_once_what_keeps_it_from_starting(
    pgdata: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    kill(pgdata)
    monkeypatch.setattr(postmaster, "MIN_FREE_TO_START_BYTES", 2**60)
    monkeypatch.setattr("medrag_site.database.embedded.RETRY_S", 0.0)
    watch = Watch(pgdata.parent)
    for _ in range(3):
        watch()
    assert living(pgdata) is None
    assert [record.getMessage().startswith("The disk is full") for record in caplog.records] == [
        True
    ]
    monkeypatch.undo()
    watch()
    ensure_started(pgdata.parent)
    assert answers(pgdata)


def test_a_full_disk_is_told_with_what_is_needed(
    pgdata: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postmaster, "MIN_FREE_TO_START_BYTES", 2**60)
    ensure_started(pgdata.parent)  # uses the running server
    postmaster.stop(pgdata)
    with pytest.raises(DatabaseStartError, match=r"The disk is full: only \d+ MiB are free in .*"):
        ensure_started(pgdata.parent)


def test_a_server_that_was_paused_is_told_by_its_number(pgdata: Path) -> None:
    server = server_of(pgdata)
    told = f"does not answer.*kill -CONT {server.pid}"
    with paused([server]), pytest.raises(DatabaseStartError, match=told):
        ensure_started(pgdata.parent)
    assert answers(pgdata)


def test_another_server_on_the_socket_is_told_and_left_alone(pgdata: Path, tmp_path: Path) -> None:
    postmaster.stop(pgdata)
    other = Path(tempfile.mkdtemp(prefix="medrag-", dir="/tmp"))
    other.chmod(0o755)
    try:
        ensure_started(other)
        its_own = server_of(other / "postgres")
        program = its_own.exe()
        postmaster.stop(other / "postgres")
        arguments = ["-D", str(other / "postgres"), "-h", "", "-k", str(pgdata)]
        as_user = postmaster.SYSTEM_USER if IS_ROOT else None
        foreign = subprocess.Popen([program, *arguments], user=as_user, cwd="/")
        try:
            wait_until((pgdata / ".s.PGSQL.5432.lock").exists, "it listens")
            with pytest.raises(DatabaseStartError, match=rf"process {foreign.pid}\). Stop that"):
                ensure_started(pgdata.parent)
            assert foreign.poll() is None
        finally:
            foreign.terminate()
            foreign.wait()
    finally:
        shutil.rmtree(other, ignore_errors=True)
    ensure_started(pgdata.parent)
    assert answers(pgdata)


@pytest.mark.skipif(not IS_ROOT, reason="only root gives files away")
def test_a_folder_of_somebody_else_is_told_and_not_touched(pgdata: Path) -> None:
    postmaster.stop(pgdata)
    version, owner = pgdata / "PG_VERSION", pgdata.stat().st_uid
    os.chown(version, pwd.getpwnam("nobody").pw_uid, -1)
    try:
        with pytest.raises(DatabaseStartError, match="made by the user nobody, and root can't"):
            ensure_started(pgdata.parent)
    finally:
        os.chown(version, owner, -1)


def test_the_copy_of_a_folder_that_is_in_use_gets_a_server_of_its_own(pgdata: Path) -> None:
    """Its files name the original's server, which must not be used for the copy."""
    copy = Path(tempfile.mkdtemp(prefix="medrag-", dir="/tmp"))
    (copy / "postgres").mkdir()
    for file in (postmaster.PID, postmaster.SOCKET_LOCK):
        shutil.copy(pgdata / file, copy / "postgres")
    try:
        assert living(copy / "postgres") is None
        assert living(pgdata) is not None
    finally:
        shutil.rmtree(copy)


def manage(*arguments: str, **environment: str) -> tuple[int, str]:
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("MEDRAG_", "DJANGO_"))}
    done = subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=ROOT,
        env=kept | environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    return done.returncode, done.stdout


COMMANDS = [("audit", "verify"), ("worker",)]
FURTHER_COMMANDS = [
    ("shell", "-v0", "-c", "from corpus.models import Job; Job.objects.count()"),
    ("showmigrations",),
]


@pytest.mark.slow
@pytest.mark.parametrize(
    "command",
    [*COMMANDS, *(pytest.param(each, marks=pytest.mark.exhaustive) for each in FURTHER_COMMANDS)],
    ids=" ".join,
)
def test_no_command_shows_a_traceback_of_a_server_of_your_own_that_is_away(
    command: tuple[str, ...], tmp_path: Path
) -> None:
    url = "postgresql://medrag_app:secret@127.0.0.1:1/medrag"
    status, said = manage(*command, DATABASE_URL=url, MEDRAG_DATA_DIR=str(tmp_path))
    assert status in (1, 2)
    assert len(said.splitlines()) == 1
    assert "The database does not answer: " in said
    assert "DATABASE_URL" in said
    assert "secret" not in said


@pytest.mark.slow
def test_doctor_says_why_it_is_away_and_looks_at_the_rest(pgdata: Path) -> None:
    server = server_of(pgdata)
    with paused([server]):
        status, said = manage("doctor", MEDRAG_DATA_DIR=str(pgdata.parent))
        other_status, other_said = manage("audit", "verify", MEDRAG_DATA_DIR=str(pgdata.parent))
    assert status == 1
    found = {line[6:18].strip(): line for line in said.splitlines()}
    rest = ["checks", "scanner", "authorities", "parser", "disk", "files"]
    assert list(found) == ["release", "database", *rest]
    assert found["database"].startswith("FAIL  database    The database does not answer: ")
    assert f"kill -CONT {server.pid}" in found["database"]
    assert other_status == 2
    assert other_said.startswith("medrag can't start. The database does not answer: ")
    assert len(other_said.splitlines()) == 1


def view(request: HttpRequest) -> HttpResponse:
    psycopg.connect(host=request.GET["host"])
    return HttpResponse()


urlpatterns = [path("page", view)]
handler500 = server_error


@override_settings(ROOT_URLCONF=__name__)
def test_a_page_says_that_it_passes(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.handler.addFilter(WithoutTraceback())
    response = Client(raise_request_exception=False).get("/page", {"host": str(tmp_path)})
    assert response.status_code == 503
    assert response["Retry-After"]
    assert "The database does not answer just now" in response.content.decode()
    assert "Traceback" not in caplog.text
    assert "(the database is away: OperationalError)" in caplog.text


def test_the_log_keeps_the_traceback_of_anything_else() -> None:
    record = logging.LogRecord("x", logging.ERROR, __file__, 1, "It broke.", (), None)
    record.exc_info = (ValueError, ValueError("x"), None)
    assert WithoutTraceback().filter(record)
    assert record.exc_info is not None


@pytest.mark.django_db
def test_what_the_database_answers_is_not_taken_for_its_absence(socket_dir: str) -> None:
    with psycopg.connect(host=socket_dir, user="postgres", dbname="postgres") as connection:
        with pytest.raises(psycopg.OperationalError) as refused:
            connection.execute("SET LOCAL statement_timeout = 1; SELECT pg_sleep(5)")
        with pytest.raises(psycopg.OperationalError) as lost:
            connection.rollback()
            connection.execute("SELECT pg_terminate_backend(pg_backend_pid())")
    assert sentence_of(refused.value).startswith("The database can't be used: canceling")
    assert sentence_of(lost.value).startswith("The database does not answer: ")
