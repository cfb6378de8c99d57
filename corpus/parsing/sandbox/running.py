"""A child that runs: a program of its own, with the environment that every child has."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Protocol

PROJECT_ROOT = Path(__file__).resolve().parents[3]


class Running(Protocol):
    """A child that was started, and leads a group of processes of its own."""

    stdout: IO[bytes]
    stderr: IO[bytes]

    def poll(self) -> int | None:
        """Return the exit status, minus the signal that ended it; None while it runs."""

    def end(self) -> None:
        """Kill it with all that it started. Nothing where it has ended and left nothing."""


class Program:
    """`command` in a new session, its folder `home`."""

    def __init__(self, command: Sequence[str], home: str) -> None:
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment(home),
            cwd=home,
            start_new_session=True,
        )
        if self._process.stdout is None or self._process.stderr is None:
            raise ValueError("the child needs pipes for stdout and stderr")
        self.stdout, self.stderr = self._process.stdout, self._process.stderr

    def poll(self) -> int | None:
        return self._process.poll()

    def end(self) -> None:
        kill_group(self._process.pid)
        self._process.wait()


def kill_group(leader: int) -> None:
    """Kill a child and all that it started. Its group lives as long as one of them does."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(leader, signal.SIGKILL)


def environment(home: str) -> dict[str, str]:
    """Return a child's whole environment: nothing of ours but the path to programs."""
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": home,
        "TMPDIR": home,
        "LANG": "C.UTF-8",
        "PYTHONPATH": str(PROJECT_ROOT),
        "PYTHONHASHSEED": "0",
        "PYTHONUTF8": "1",
        "HF_HUB_OFFLINE": "1",
        "TRANSFORMERS_OFFLINE": "1",
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "MKL_NUM_THREADS": "1",
    }
