"""Test processes under the supervisor, and the site with its worker as `serve` runs them."""

import signal
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path

import psutil
import pytest
from django.core.management.base import CommandError

from corpus import selectors
from medrag_site.processes.serve import refuse_taken_port
from tests.processes import ROOT, family_of, running, survivors, wait_until

SUPERVISE = """
import sys
from pathlib import Path
from medrag_site.processes.supervisor import Service, Supervisor
command = [sys.executable, "-c", sys.argv[1]]
Supervisor([Service("it", command, Path("."), grace_s=1.0)], tick_s=0.2).run()
"""


def supervise(code: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", SUPERVISE, code],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )


def next_line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


@pytest.fixture
def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    return int(port)


def test_what_dies_is_started_again() -> None:
    with supervise("print('started', flush=True)") as process:
        assert [next_line(process) for _ in range(3)] == ["started"] * 3
        process.terminate()
        assert process.wait(10) == 0


def test_what_does_not_stop_is_killed_with_all_it_started() -> None:
    stubborn = (
        "import signal, subprocess, sys, time\n"
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(99)'],"
        " start_new_session=True)\n"
        "print('started', flush=True); time.sleep(99)"
    )
    with supervise(stubborn) as process:
        assert next_line(process) == "started"
        family = family_of(process.pid)
        assert len(family) == 3
        process.send_signal(signal.SIGINT)
        assert process.wait(10) == 0
    assert survivors(family) == []


def test_orphans_come_to_the_supervisor_and_are_killed() -> None:
    leaves_one_behind = (
        "import os, subprocess, sys, time\n"
        'orphan = \'import subprocess, sys; print(subprocess.Popen([sys.executable, "-c",'
        ' "import time; time.sleep(99)"], start_new_session=True,'
        " stdout=subprocess.DEVNULL).pid, flush=True)'\n"
        "subprocess.run([sys.executable, '-c', orphan])\n"
        "time.sleep(99)"
    )
    with supervise(leaves_one_behind) as process:
        orphan = int(next_line(process))
        wait_until(lambda: not psutil.pid_exists(orphan), "the orphan is gone", 10)
        process.terminate()
        process.wait(10)


def test_a_taken_port_is_named_with_what_to_do(free_port: int) -> None:
    refuse_taken_port("127.0.0.1", free_port)
    with socket.create_server(("127.0.0.1", free_port)), pytest.raises(CommandError) as caught:
        refuse_taken_port("127.0.0.1", free_port)
    assert f"Port {free_port} on 127.0.0.1 can't be used" in str(caught.value)
    assert f"PORT={free_port + 1}" in str(caught.value)


def answers(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=5) as response:
            return bool(response.status == 200)
    except OSError:
        return False


@pytest.mark.slow
def test_serve_runs_site_and_worker_and_leaves_nothing(
    own_database: str, tmp_path: Path, free_port: int
) -> None:
    log = tmp_path / "serve.log"
    port = str(free_port)
    with running("serve", "--port", port, log=log) as site:
        wait_until(lambda: answers(free_port), "the site answers")
        wait_until(selectors.worker_is_alive, "the worker says that it is well")
        with running("serve", "--port", port, log=log) as second:
            assert second.wait(30) == 1
        family = family_of(site.pid)
        assert len(family) >= 6  # itself, two of the web server, the worker with two processes
        site.send_signal(signal.SIGINT)
        assert site.wait(30) == 0
        assert survivors(family) == []
    said = log.read_text()
    assert f"Port {port} on 127.0.0.1 can't be used: another program listens there." in said
    assert "Traceback" not in said


@pytest.mark.slow
def test_nothing_outlives_a_serve_that_is_killed(
    own_database: str, tmp_path: Path, free_port: int
) -> None:
    with running("serve", "--port", str(free_port), log=tmp_path / "serve.log") as site:
        wait_until(lambda: answers(free_port), "the site answers")
        wait_until(selectors.worker_is_alive, "the worker says that it is well")
        family = family_of(site.pid)
        site.kill()
        assert survivors(family, timeout_s=20) == []
