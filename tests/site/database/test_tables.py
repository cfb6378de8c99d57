"""Test commands on a database without tables, or with those of an older version."""

import os
import subprocess
import sys
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.management import get_commands
from psycopg import sql

from medrag_site.database.provisioning import provision
from medrag_site.database.tables import Commands, ensure_tables
from tests.databases import superuser

ROOT = Path(__file__).resolve().parents[3]
APPS = {"bench", "corpus", "retrieval", "chat", "evaluation", "webhooks", "medrag_site"}


@pytest.fixture
def empty_database(socket_dir: str) -> Iterator[str]:
    name = f"test_empty_{uuid.uuid4().hex[:8]}"
    provision(socket_dir, name)
    yield name
    with superuser(socket_dir) as c:
        c.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


def begin(*arguments: str, **environment: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "manage.py", *arguments],
        cwd=ROOT,
        env={**os.environ, "MEDRAG_TEST_DATABASE": "", **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def shown(*arguments: str, **environment: str) -> tuple[int, str]:
    process = begin(*arguments, **environment)
    output, _ = process.communicate()
    return process.returncode, output


def test_every_command_finds_its_tables_but_those_that_need_none() -> None:
    ours = {name for name, app in get_commands().items() if app in APPS}
    assert {"ask", "ingest", "search", "serve", "worker", "evaluate", "calibrate"} < ours
    without = {
        name
        for name in ours
        if Commands(["manage.py", name]).fetch_command(name).check_migrations is not ensure_tables
    }
    assert without == {"migrate", "doctor", "demo", "check_spans", "restore", "train"}
    for name in ("createsuperuser", "changepassword"):
        assert Commands(["manage.py", name]).fetch_command(name).requires_migrations_checks
    for name in ("check", "makemigrations", "showmigrations"):
        assert not Commands(["manage.py", name]).fetch_command(name).requires_migrations_checks


def test_the_process_that_makes_its_own_tables_is_left_to_it() -> None:
    for what, is_checked in (("work", False), ("retrieval", True)):
        command = Commands(["manage.py", "evaluate", what]).fetch_command("evaluate")
        assert command.requires_migrations_checks is is_checked


@pytest.mark.slow
def test_the_embedded_database_is_made_ready_once_by_whoever_comes_first(
    empty_database: str,
) -> None:
    here = {"MEDRAG_TEST_DATABASE": empty_database}
    at_once = [begin("index_statistics", **here) for _ in range(2)]
    outputs = [process.communicate()[0] for process in at_once]
    assert [process.returncode for process in at_once] == [0, 0], outputs
    assert "has no tables yet: it is made ready first." in "".join(outputs)
    assert all("The statistics agree with the index." in output for output in outputs)
    assert shown("index_statistics", **here) == (0, "The statistics agree with the index.\n")

    assert shown("migrate", "webhooks", "zero", "-v0", **here)[0] == 0
    status, output = shown("collection", **here)
    assert status == 0
    assert "is not up to date: it is made ready first." in output


@pytest.mark.slow
def test_a_database_of_your_own_is_left_to_migrate(empty_database: str, socket_dir: str) -> None:
    url = f"postgresql://medrag_app@/{empty_database}?host={socket_dir}"
    status, output = shown("ask", "What dose?", DATABASE_URL=url)
    assert status == 1
    assert output == (
        f"CommandError: The database {empty_database} has no tables yet: "
        "run manage.py migrate first.\n"
    )
    status, output = shown("migrate", DATABASE_URL=url)
    assert status == 1
    assert output.startswith("CommandError: The role medrag_app may not make tables, so nothing")
    assert "Set DATABASE_OWNER_URL" in output


@pytest.mark.slow
def test_a_database_that_is_away_is_one_sentence(tmp_path: Path) -> None:
    url = f"postgresql://medrag_app@/medrag?host={tmp_path}"
    for command in ("summarise", "migrate"):
        status, output = shown(command, DATABASE_URL=url)
        assert status == 1
        assert output.startswith("CommandError: The database does not answer: ")
        assert "What was committed is kept." in output
        assert len(output.splitlines()) == 1


def test_help_starts_no_database(tmp_path: Path) -> None:
    status, output = shown("ask", "--help", MEDRAG_DATA_DIR=str(tmp_path))
    assert status == 0
    assert "usage: manage.py ask" in output
    assert not (tmp_path / "postgres").exists()


ENDS = """
import sys
from medrag_site.processes.start import ended_politely
with ended_politely():
    {what}
"""

EARLY = """
import builtins, os, runpy, signal, sys
own = builtins.__import__
signal.signal(signal.SIGINT, signal.default_int_handler)  # a background job ignores it
def interrupted(name, *rest, **named):
    if name == "medrag_site.processes.start":
        os.kill(os.getpid(), signal.SIGINT)
    return own(name, *rest, **named)
builtins.__import__ = interrupted
sys.argv = ["manage.py", "ingest", "."]
runpy.run_path("manage.py", run_name="__main__")
"""


def test_an_interrupt_while_libraries_are_loaded_is_a_sentence() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", EARLY], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 130
    assert ended.stderr == "\nInterrupted before anything was done.\n"


INTERRUPTED = "\nInterrupted. What was finished until then stays as it is.\n"


@pytest.mark.parametrize(
    ("what", "status", "said"),
    [
        (
            "raise KeyboardInterrupt",
            130,
            "\nInterrupted. What was finished until then stays as it is.\n",
        ),
        ("print('1\\n' * 100_000)", 0, ""),
        ("print('short')", 0, ""),
    ],
)
def test_an_end_that_a_person_wants_is_no_error(what: str, status: int, said: str) -> None:
    reader, program = os.pipe()
    os.close(reader)  # as `head` does
    ended = subprocess.run(
        [sys.executable, "-c", ENDS.format(what=what)],
        cwd=ROOT,
        stdout=program,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    os.close(program)
    assert (ended.returncode, ended.stderr) == (status, said)
