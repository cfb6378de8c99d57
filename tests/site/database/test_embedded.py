"""Test the embedded server: why it can't run, and how long it runs; and further databases."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path

import psutil
import psycopg
import pytest
from django.core.exceptions import ImproperlyConfigured
from psycopg import sql

from medrag_site.configuration.kinds import DatabaseName
from medrag_site.database import roles as databases
from medrag_site.database.embedded import ensure_started
from medrag_site.database.postmaster import DatabaseStartError, memory_bytes
from medrag_site.database.provisioning import LOCK, ensure_sibling
from tests.databases import superuser
from tests.declared import setting
from tests.processes import ROOT

AS_NOBODY = """
import os, sys
from pathlib import Path
from medrag_site.database.embedded import ensure_started
os.setgid(54321)
os.setuid(54321)
ensure_started(Path(sys.argv[1]))
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can run as a user without a name")
def test_a_user_without_a_name_is_told_why_it_does_not_start(data_dir: Path) -> None:
    """As OpenShift runs a container."""
    os.chown(data_dir, 54321, 54321)
    ended = subprocess.run(
        [sys.executable, "-c", AS_NOBODY, data_dir], cwd=ROOT, capture_output=True, text=True
    )
    assert "DatabaseStartError: The embedded database can't be made or started" in ended.stderr
    assert "user id 54321, which has no entry in /etc/passwd" in ended.stderr


def test_a_path_that_is_too_long_for_a_socket_is_refused(tmp_path: Path) -> None:
    deep = tmp_path / ("d" * 100)
    deep.mkdir()
    with pytest.raises(DatabaseStartError, match=r"too long.*MEDRAG_DATA_DIR"):
        ensure_started(deep)
    assert not (deep / "postgres").exists()


USE = """
import os, sys
from pathlib import Path
from medrag_site.database.embedded import ensure_started
ensure_started(Path(sys.argv[1]))
{then}
"""
WAIT = "print('started', flush=True); sys.stdin.read()"


@pytest.fixture
def data_dir() -> Iterator[Path]:
    """Yield a folder with a path short enough for a socket; kill its server afterwards."""
    with tempfile.TemporaryDirectory(prefix="medrag-", dir="/tmp") as folder:
        yield Path(folder)
        pid = server_pid(Path(folder))
        if pid:
            psutil.Process(pid).kill()


def server_pid(data_dir: Path) -> int | None:
    pid_file = data_dir / "postgres" / "postmaster.pid"
    return int(pid_file.read_text().split()[0]) if pid_file.exists() else None


def user_of(data_dir: Path, then: str) -> subprocess.Popen[str]:
    """Start a process that starts or finds the server, and then runs `then`."""
    process = subprocess.Popen(
        [sys.executable, "-c", USE.format(then=then), str(data_dir)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    if then == WAIT:
        assert process.stdout and process.stdout.readline() == "started\n"
    return process


@pytest.mark.slow
def test_the_server_runs_while_anybody_uses_it_and_no_longer(data_dir: Path) -> None:
    first = user_of(data_dir, WAIT)
    pid = server_pid(data_dir)
    assert pid
    killed = user_of(data_dir, WAIT)
    killed.kill()
    killed.wait()
    # As left by a process that was killed while it wrote the package's list of processes.
    (data_dir / "postgres" / ".handle_pids.json").write_text("")
    for then in ("", "os.fork() or sys.exit()", "sys.exit(3)"):
        user_of(data_dir, then).wait()
        assert server_pid(data_dir) == pid
    (data_dir / "postgres" / ".handle_pids.json").write_text("[12, 3")
    last = user_of(data_dir, WAIT)
    first.communicate("")
    assert server_pid(data_dir) == pid
    last.communicate("")
    assert server_pid(data_dir) is None


@pytest.mark.slow
def test_a_fork_of_the_last_user_that_ends_does_not_stop_the_server(data_dir: Path) -> None:
    forking = "os.fork() or sys.exit(); os.wait(); " + WAIT
    process = subprocess.Popen(
        [sys.executable, "-c", USE.format(then=forking), str(data_dir)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout and process.stdout.readline() == "started\n"
    assert server_pid(data_dir)
    process.communicate("")
    assert server_pid(data_dir) is None


@pytest.mark.slow
def test_a_fork_that_outlives_the_last_user_keeps_nobody_waiting(data_dir: Path) -> None:
    then = "os.fork() or (os.close(1), sys.stdin.read(), os._exit(0))"
    parent = user_of(data_dir, then)
    assert parent.wait(30) == 0
    assert server_pid(data_dir) is None
    try:
        assert user_of(data_dir, "").wait(30) == 0
    finally:
        assert parent.stdin
        parent.stdin.close()  # the fork ends


def test_the_server_gets_a_share_of_the_memory_that_there_is(socket_dir: str) -> None:
    with psycopg.connect(host=socket_dir, user="postgres", dbname="postgres") as c:
        row = c.execute(
            "SELECT setting::bigint * 8192 FROM pg_settings WHERE name = 'shared_buffers'"
        ).fetchone()
        assert c.execute("SHOW io_method").fetchone() == ("sync",)
    assert row
    share = row[0] / memory_bytes()
    assert 0.1 < share <= 0.126 or row[0] in (128 * 1024**2, 8192 * 1024**2)


NAME = "beside_test"


@pytest.fixture
def address(socket_dir: str) -> Iterator[str]:
    """Yield the address of a server, with `{role}` to fill in; drop the database afterwards."""
    yield f"postgresql://{{role}}@/postgres?host={socket_dir}"
    with superuser(socket_dir) as connection:
        connection.execute(sql.SQL("DROP DATABASE IF EXISTS {}").format(sql.Identifier(NAME)))


def aliases(address: str, owner: str) -> dict[str, dict[str, object]]:
    of_app = address.format(role=databases.APPLICATION)
    return databases.external(of_app, address.format(role=owner), of_app, NAME)


def test_it_is_made_once_and_the_application_may_use_what_the_owner_makes(
    address: str, socket_dir: str
) -> None:
    for _ in range(2):
        ensure(address)
    assert_in_order(address, socket_dir)


def test_an_address_without_a_user_is_that_of_the_account(
    address: str, socket_dir: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PGUSER", "postgres")
    of_app, owner = address.format(role=databases.APPLICATION), address.format(role="")
    ensure_sibling(databases.external(of_app, owner, of_app, NAME), owner)
    assert_in_order(address, socket_dir)


def ensure(address: str) -> None:
    ensure_sibling(aliases(address, "postgres"), address.format(role="postgres"))


def make_bare(socket_dir: str) -> None:
    """Leave the database as a process does that was killed right after CREATE DATABASE."""
    with superuser(socket_dir) as connection:
        connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(NAME)))


def assert_in_order(address: str, socket_dir: str) -> None:
    """Check that the application may read and write the owner's tables, and create none."""
    with superuser(socket_dir, NAME) as owner:
        owner.execute("CREATE TABLE t (v vector(3), n serial)")
    with psycopg.connect(address.format(role=databases.APPLICATION), dbname=NAME) as app:
        app.execute("INSERT INTO t (v) VALUES ('[1,2,3]')")
        assert app.execute("SELECT count(*) FROM t").fetchone() == (1,)
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            app.execute("CREATE TABLE u (n int)")


def test_what_a_killed_process_left_out_is_made_up_for(address: str, socket_dir: str) -> None:
    make_bare(socket_dir)
    ensure(address)
    assert_in_order(address, socket_dir)


def test_nobody_goes_on_while_another_makes_it(address: str, socket_dir: str) -> None:
    key = [LOCK, NAME]
    with ThreadPoolExecutor(2) as pool, superuser(socket_dir) as other:
        other.execute("SELECT pg_advisory_lock(%s, hashtext(%s))", key)
        make_bare(socket_dir)
        waiting = [pool.submit(ensure, address) for _ in range(2)]
        assert not wait(waiting, timeout=0.5).done
        other.execute("SELECT pg_advisory_unlock(%s, hashtext(%s))", key)
        for one in waiting:
            one.result(timeout=30)
    assert_in_order(address, socket_dir)


def test_many_may_start_at_once(address: str, socket_dir: str) -> None:
    with ThreadPoolExecutor(6) as pool:
        for one in [pool.submit(ensure, address) for _ in range(6)]:
            one.result(timeout=30)
    assert_in_order(address, socket_dir)


def test_a_role_without_the_right_is_told_which(address: str, socket_dir: str) -> None:
    with pytest.raises(DatabaseStartError, match="CREATEDB"):
        ensure_sibling(aliases(address, databases.OWNER), address.format(role=databases.OWNER))
    with superuser(socket_dir) as connection:
        query = "SELECT 1 FROM pg_database WHERE datname = %s"
        assert connection.execute(query, [NAME]).fetchone() is None


def test_the_name_takes_the_place_of_the_addresses(address: str) -> None:
    assert {a["NAME"] for a in aliases(address, "postgres").values()} == {NAME}
    assert {a["NAME"] for a in databases.embedded("/s").values()} == {databases.NAME}
    assert {a["NAME"] for a in databases.embedded("/s", NAME).values()} == {NAME}


@pytest.mark.parametrize("name", ["Medrag", "a b", "1a", "a;b", 'a"', "ä", "a" * 64, "a-b"])
def test_a_name_that_would_have_to_be_quoted_stops_the_start(name: str) -> None:
    with pytest.raises(ImproperlyConfigured, match="MEDRAG_DATABASE_NAME must be"):
        setting(DatabaseName, name, name="MEDRAG_DATABASE_NAME")


@pytest.mark.parametrize("name", ["", "evaluation_0a1b2c3d", "a" * 63])
def test_a_name_that_is_right(name: str) -> None:
    assert setting(DatabaseName, name, name="MEDRAG_DATABASE_NAME") == name
