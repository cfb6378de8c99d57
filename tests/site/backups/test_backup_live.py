"""Test backups of a running site and killed restores, with real processes and both databases."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import urllib.request
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest
from django.core.management.utils import get_random_secret_key
from django.db import connections
from psycopg import sql
from pytest_django import Settings

from bench.connections import connected_to
from chat.audit.heads import sign_head
from core.openvino_runtime import COMPUTING
from medrag_site.backups.making import make_backup
from medrag_site.database.provisioning import provision
from tests.corpus.documents import guideline
from tests.databases import superuser
from tests.processes import wait_until
from tests.site.backups.test_backup import ask, fill
from tests.site.browsing.states import State, catalog_state, rows_state
from tests.site.test_demo import Demonstration, free_port

pytestmark = pytest.mark.exhaustive

ROOT = Path(__file__).resolve().parents[3]
QUESTION = "What gentamicin dosing interval should I use if the creatinine clearance is 45 mL/min?"
MODELS = ROOT / "var" / "test" / "models"
UNFINISHED = "has not come to its end"
DOCUMENTS = 30


def environment(**own: str) -> dict[str, str]:
    mine = ("MEDRAG_", "DJANGO_", "DATABASE_")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(mine)}
    return kept | {COMPUTING: "precision=f32"} | own  # as `demo` computes, whatever the processor


def command(*arguments: str, **own: str) -> str:
    """Run a command that succeeds, and return its output."""
    ended = _ended(arguments, own)
    assert ended.returncode == 0, ended.stderr + ended.stdout
    return ended.stdout


def refused(*arguments: str, **own: str) -> str:
    """Run a command that fails with status 1, and return its standard error."""
    ended = _ended(arguments, own)
    assert ended.returncode == 1, ended.stderr + ended.stdout
    return ended.stderr


def _ended(arguments: tuple[str, ...], own: dict[str, str]) -> subprocess.CompletedProcess[str]:
    ended = subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=ROOT,
        env=environment(**own),
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
    )
    assert "Traceback" not in ended.stderr
    return ended


def new_folder() -> Path:
    """Make a data folder, short for the database's socket, with converted models if any."""
    folder = Path(tempfile.mkdtemp(prefix="medrag-", dir="/tmp"))
    folder.chmod(0o755)
    if MODELS.is_dir():
        shutil.copytree(MODELS, folder / "models")
    return folder


@pytest.fixture
def places() -> Iterator[list[Path]]:
    """Make two data folders and one for backups."""
    folders = [new_folder(), new_folder(), Path(tempfile.mkdtemp(prefix="medrag-backups-"))]
    yield folders
    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)


class Questions:
    """Ask over the API in a thread until it is stopped."""

    def __init__(self, port: int, token: str) -> None:
        self._port, self._token = port, token
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self.asked = 0
        self.failed: list[str] = []

    def __enter__(self) -> Questions:
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._stop.set()
        self._thread.join()

    def _run(self) -> None:
        request = urllib.request.Request(
            f"http://127.0.0.1:{self._port}/api/v1/query",
            data=json.dumps({"question": QUESTION}).encode(),
            headers={"Authorization": f"Token {self._token}", "Content-Type": "application/json"},
        )
        while not self._stop.wait(1.1):  # 60 a minute are allowed
            try:
                with urllib.request.urlopen(request, timeout=120) as response:
                    assert b"36 hours" in response.read()
                self.asked += 1
            except Exception as error:  # noqa: BLE001  told by the test, in its own thread
                self.failed.append(repr(error))


def answered(data_dir: Path) -> dict[str, object]:
    """Return the answer as the API gives it, without the keys of its turn and citations."""
    shown = command("ask", QUESTION, "--json", MEDRAG_DATA_DIR=str(data_dir))
    turn = str(json.loads(shown)["turn"])
    alike = re.sub(r"citation([/=])\d+", r"citation\1N", shown.replace(turn, "the turn"))
    payload: dict[str, object] = json.loads(alike)
    return payload


@contextmanager
def database_of(data_dir: Path) -> Iterator[psycopg.Connection]:
    """Connect to the embedded server of a data folder, held running by a shell."""
    holder = subprocess.Popen(
        [sys.executable, "manage.py", "shell", "-c", "import sys; print('up'); sys.stdin.read()"],
        cwd=ROOT,
        env=environment(MEDRAG_DATA_DIR=str(data_dir), PYTHONUNBUFFERED="1"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert holder.stdout
    wait_until(lambda: "up" in (holder.stdout.readline() if holder.stdout else ""), "it is up")
    try:
        socket_dir = str(data_dir / "postgres")
        with psycopg.connect(host=socket_dir, user="postgres", dbname="medrag") as connection:
            yield connection
    finally:
        holder.communicate("")


def rows_of(data_dir: Path) -> dict[str, list[tuple[object, ...]]]:
    found = {}
    with database_of(data_dir) as c:
        names = c.execute(
            "SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1"
        ).fetchall()
        for (name,) in names:
            query = sql.SQL("SELECT t::text FROM {} t ORDER BY 1").format(sql.Identifier(name))
            found[name] = c.execute(query).fetchall()
    return found


def files_of(data_dir: Path) -> dict[str, bytes]:
    parts = ("files/documents", "keys", "audit")
    return {
        str(path.relative_to(data_dir)): path.read_bytes()
        for part in parts
        for path in sorted((data_dir / part).rglob("*"))
        if path.is_file()
    }


def unindexed(data_dir: Path) -> int:
    with database_of(data_dir) as c:
        row = c.execute("SELECT count(*) FROM corpus_document WHERE indexed_at IS NULL").fetchone()
    assert row
    return int(row[0])


def test_a_site_at_work_is_backed_up_wiped_and_restored(places: list[Path], tmp_path: Path) -> None:
    source, other, backups = places
    upload = tmp_path / "upload"
    upload.mkdir()
    for number in range(DOCUMENTS):
        text = guideline(f"# Gentamicin on ward {number}", sections=12)
        (upload / f"{number}.md").write_text(text)

    site = Demonstration(source, free_port())
    try:
        site.wait_until_served()
        token = command("api_token", "clinician", MEDRAG_DATA_DIR=str(source)).split()[-1]
        command("ingest", str(upload), MEDRAG_DATA_DIR=str(source))
        with Questions(site.port, token) as questions:
            wait_until(lambda: questions.asked or questions.failed, "it is asked", 120)
            for name in ("first", "second"):
                command("backup", str(backups / name), MEDRAG_DATA_DIR=str(source))
        assert questions.failed == []
        assert questions.asked > 1
        command("ingest", str(upload), "--wait", MEDRAG_DATA_DIR=str(source))
        answer = answered(source)
        assert site.stop() == 0
    finally:
        site.process.kill()
    command("audit", "sign", MEDRAG_DATA_DIR=str(source))
    log = command("audit", "export", MEDRAG_DATA_DIR=str(source))  # first, since it is logged
    command("backup", str(backups / "last"), MEDRAG_DATA_DIR=str(source))
    rows, kept = rows_of(source), files_of(source)

    # data written during the backup are whole, and interrupted jobs resume
    shown = command("restore", str(backups / "first"), MEDRAG_DATA_DIR=str(other))
    assert "Restored the backup of" in shown
    assert command("audit", "verify", MEDRAG_DATA_DIR=str(other)).startswith("OK")
    early = command("audit", "export", MEDRAG_DATA_DIR=str(other))
    assert log.startswith(early)
    assert len(early) < len(log)
    assert unindexed(other) > 0
    worker = subprocess.Popen(
        [sys.executable, "manage.py", "worker"],
        cwd=ROOT,
        env=environment(MEDRAG_DATA_DIR=str(other)),
        stdin=subprocess.DEVNULL,
        stderr=(tmp_path / "worker.log").open("wb"),
    )
    try:
        command("ingest", str(upload), "--wait", MEDRAG_DATA_DIR=str(other))
    finally:
        worker.terminate()
        worker.wait(60)
    assert unindexed(other) == 0
    assert answered(other) == answer

    # delete the site, and restore at the same place
    models = tmp_path / "models"
    shutil.move(source / "models", models)
    shutil.rmtree(source)
    source.mkdir(mode=0o755)
    shutil.move(models, source / "models")
    command("restore", str(backups / "last"), MEDRAG_DATA_DIR=str(source))
    assert files_of(source) == kept
    assert rows_of(source) == rows
    restored = command("audit", "export", MEDRAG_DATA_DIR=str(source))
    assert restored.startswith(log)
    (exported,) = restored[len(log) :].splitlines()
    assert json.loads(exported)["action"] == "audit.exported"
    assert answered(source) == answer
    assert (
        "FAIL  audit"
        not in subprocess.run(
            [sys.executable, "manage.py", "doctor"],
            cwd=ROOT,
            env=environment(MEDRAG_DATA_DIR=str(source)),
            capture_output=True,
            text=True,
        ).stdout
    )


class Own:
    """A site on a server of its own: a database by its address, and a data folder."""

    def __init__(self, socket_dir: str, folder: Path) -> None:
        self.name = f"own_{uuid.uuid4().hex[:8]}"
        self.folder = folder
        self._socket_dir = socket_dir
        provision(socket_dir, self.name)
        roles = {"": "medrag_app", "OWNER_": "medrag_owner", "AUDITOR_": "medrag_auditor"}
        self.environment = {
            f"DATABASE_{part}URL": f"postgresql://{role}@/{self.name}?host={socket_dir}"
            for part, role in roles.items()
        } | {"MEDRAG_DATA_DIR": str(folder)}

    def drop(self) -> None:
        with superuser(self._socket_dir) as c:
            c.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(self.name)))

    def state(self) -> tuple[State, State, dict[str, bytes]]:
        with connected_to(self.name):
            return rows_state(), catalog_state(), files_of(self.folder)


@pytest.fixture
def own(socket_dir: str, places: list[Path]) -> Iterator[list[Own]]:
    sites = [Own(socket_dir, folder) for folder in places[:2]]
    yield sites
    for site in sites:
        site.drop()


def web_process(site: Own) -> str:
    """Return the error of a gunicorn worker that starts without a command of ours."""
    ended = subprocess.run(
        [sys.executable, "-c", "import medrag_site.wsgi"],
        cwd=ROOT,
        env=environment(**site.environment),
        capture_output=True,
        text=True,
    )
    assert ended.returncode == 1
    return ended.stderr


def killed_at(stage: str, *arguments: str, **own: str) -> None:
    """Kill only the command, as soon as it prints the stage."""
    process = subprocess.Popen(
        [sys.executable, "manage.py", *arguments],
        cwd=ROOT,
        env=environment(**own),
        stdin=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr
    for line in process.stderr:
        if line.startswith(stage):
            break
    process.send_signal(signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL


def test_kills_leave_nothing_that_looks_done_on_a_server_of_your_own(
    own_database: str, own: list[Own], settings: Settings, places: list[Path]
) -> None:
    fill()
    answer = ask()
    sign_head()
    (settings.KEYS_DIR / "secret_key").write_text(get_random_secret_key())
    backups = places[2]
    make_backup(backups / "of_tests")
    rows, catalog = rows_state(), catalog_state()
    connections.close_all()
    first, second = own

    for stage in ("Restoring the database", "Comparing it"):
        killed_at(stage, "restore", str(backups / "of_tests"), **first.environment)
        for arguments in (("ask", "Anything?"), ("migrate",), ("serve", "--port", "1")):
            said = refused(*arguments, **first.environment)
            assert UNFINISHED in said
        assert UNFINISHED in web_process(first)
        refused("backup", str(backups / "of_ruins"), **first.environment)
        assert not (backups / "of_ruins").exists()
    command("restore", str(backups / "of_tests"), **first.environment)
    assert first.state()[:2] == (rows, catalog)
    assert command("audit", "verify", **first.environment).startswith("OK")

    for stage in ("Writing the database", "Verifying the audit log"):
        killed_at(stage, "backup", str(backups / "by_address"), **first.environment)
        assert not (backups / "by_address").exists()
        left = str(backups / "by_address.partial")
        assert "is not a complete backup" in refused("restore", left, **second.environment)
    command("backup", str(backups / "by_address"), **first.environment)
    assert not (backups / "by_address.partial").exists()
    command("restore", str(backups / "by_address"), **second.environment)
    assert second.state() == first.state()
    with connected_to(second.name):
        settings.FILES_DIR, settings.KEYS_DIR = second.folder / "files", second.folder / "keys"
        assert ask() == answer
