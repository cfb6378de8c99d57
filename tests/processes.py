"""Real processes of the project, started and ended by tests."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import psutil

ROOT = Path(__file__).resolve().parent.parent
_WORKER = "lease_s=4 stall_s=12"  # a busy machine starts a process in 5 s
FAST = {
    "MEDRAG_WORKER": _WORKER,
    "MEDRAG_PARSING": "timeout_s=5",
    "DJANGO_SETTINGS_MODULE": "tests.dying.poison_settings",
}


def in_processes(count: int) -> dict[str, str]:
    """The environment of a worker as fast, which takes so many documents at a time."""
    return {"MEDRAG_WORKER": f"{_WORKER} processes={count}"}


def start(*arguments: str, log: Path, **environment: str) -> subprocess.Popen[bytes]:
    """`manage.py ARGUMENTS` in a session of its own, its output appended to `log`."""
    with log.open("ab") as output:
        return subprocess.Popen(
            [sys.executable, "manage.py", *arguments],
            cwd=ROOT,
            env={**os.environ, **FAST, **environment},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )


@contextlib.contextmanager
def running(*arguments: str, log: Path, **environment: str) -> Iterator[subprocess.Popen[bytes]]:
    """The same for a block; it is stopped as by a service manager, and killed if that fails."""
    process = start(*arguments, log=log, **environment)
    family = []
    try:
        yield process
    finally:
        family = family_of(process.pid)
        process.terminate()
        process.send_signal(signal.SIGCONT)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(30)
        for member in family:
            with contextlib.suppress(psutil.NoSuchProcess):
                member.kill()
        process.wait()


def family_of(pid: int) -> list[psutil.Process]:
    """A process and all its descendants but the database server's."""
    try:
        process = psutil.Process(pid)
        found = [process, *process.children(recursive=True)]
        return [member for member in found if member.name() != "postgres"]
    except psutil.NoSuchProcess:
        return []


def kill_all(pid: int) -> None:
    """What `kill -9` does to a whole family; all are stopped first, so that none reacts."""
    family = family_of(pid)
    for number in (signal.SIGSTOP, signal.SIGKILL):
        for member in family:
            with contextlib.suppress(psutil.NoSuchProcess):
                member.send_signal(number)
    psutil.wait_procs(family, timeout=10)


@contextlib.contextmanager
def paused(family: Sequence[psutil.Process]) -> Iterator[None]:
    """Stop them for a block; one that has just ended is left out, and all others go on after it."""
    try:
        for member in family:
            with contextlib.suppress(psutil.NoSuchProcess):
                member.suspend()
        yield
    finally:
        for member in family:
            with contextlib.suppress(psutil.NoSuchProcess):
                member.resume()


def survivors(family: list[psutil.Process], timeout_s: float = 5.0) -> list[str]:
    """Command lines of those that still live after a while."""
    gone_by = time.monotonic() + timeout_s
    while time.monotonic() < gone_by and any(_lives(member) for member in family):
        time.sleep(0.05)
    return [" ".join(member.cmdline()) for member in family if _lives(member)]


def wait_until(condition: Callable[[], object], what: str, timeout_s: float = 60.0) -> None:
    deadline = time.monotonic() + timeout_s
    while not condition():
        if time.monotonic() > deadline:
            raise AssertionError(f"waited {timeout_s:.0f} s in vain until {what}")
        time.sleep(0.05)


def _lives(process: psutil.Process) -> bool:
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
