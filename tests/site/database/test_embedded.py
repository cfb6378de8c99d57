"""Test the embedded server: why it can't run, how long it runs, and what it may use."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psutil
import psycopg
import pytest

from medrag_site.database.embedded import ensure_started
from medrag_site.database.postmaster import DatabaseStartError
from medrag_site.database.server_settings import memory_bytes
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
