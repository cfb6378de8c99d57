"""Start and end real processes of the project."""

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
_STALL = "stall_s=40"  # a busy machine takes 20 s to start all
LEASE_S = 15  # and 6 s to load a model
FAST = {
    "MEDRAG_WORKER": f"lease_s={LEASE_S} {_STALL}",
    "MEDRAG_PARSING": "timeout_s=10",
    "DJANGO_SETTINGS_MODULE": "tests.dying.poison_settings",
}


def in_processes(count: int, lease_s: int = LEASE_S) -> dict[str, str]:
    """Return the environment of a fast worker with `count` processes.

    With a longer lease, a busy machine takes no job from a process that lives. None of the files
    hangs, so that a parser may take its time.
    """
    worker = f"lease_s={lease_s} {_STALL} processes={count}"
    return {"MEDRAG_WORKER": worker, "MEDRAG_PARSING": "timeout_s=60"}


def start(*arguments: str, log: Path, **environment: str) -> subprocess.Popen[bytes]:
    """Start `manage.py ARGUMENTS` in a session of its own, its output appended to `log`."""
    return start_as(None, *arguments, log=log, environment=environment)


def start_as(
    account: tuple[int, int] | None, *arguments: str, log: Path, environment: dict[str, str]
) -> subprocess.Popen[bytes]:
    """Start it as another system user, in a group beside its own; None: as the test's user."""
    user, group = account or (None, None)
    with log.open("ab") as output:
        return subprocess.Popen(
            [sys.executable, "manage.py", *arguments],
            cwd=ROOT,
            env={**os.environ, **FAST, **environment},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
            user=user,
            group=user,
            extra_groups=None if group is None else [group],
        )


@contextlib.contextmanager
def running(*arguments: str, log: Path, **environment: str) -> Iterator[subprocess.Popen[bytes]]:
    """Run `manage.py ARGUMENTS` within the block; end it by SIGTERM, and kill what is left."""
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
    """Return the process and all its descendants except the database server's."""
    try:
        process = psutil.Process(pid)
        found = [process, *process.children(recursive=True)]
        return [member for member in found if member.name() != "postgres"]
    except psutil.NoSuchProcess:
        return []


def words_of(process: psutil.Process) -> list[str]:
    """Return the words of its command line; none of a process that has ended meanwhile."""
    with contextlib.suppress(psutil.NoSuchProcess):  # a zombie is one of these
        return process.cmdline()
    return []


def kill_all(pid: int) -> None:
    """Kill a process and all its descendants; all are stopped first, so that none reacts."""
    family = family_of(pid)
    for number in (signal.SIGSTOP, signal.SIGKILL):
        for member in family:
            with contextlib.suppress(psutil.NoSuchProcess):
                member.send_signal(number)
    psutil.wait_procs(family, timeout=10)


@contextlib.contextmanager
def paused(family: Sequence[psutil.Process]) -> Iterator[None]:
    """Suspend the processes within the block; those that have ended are skipped."""
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
    """Return the command lines of the processes that still live after `timeout_s`."""
    gone_by = time.monotonic() + timeout_s
    while time.monotonic() < gone_by and any(_lives(member) for member in family):
        time.sleep(0.05)
    return [" ".join(words_of(member)) for member in family if _lives(member)]


def wait_until(condition: Callable[[], object], what: str, timeout_s: float = 240.0) -> None:
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
