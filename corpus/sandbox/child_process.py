"""Run a child process: start a program in the environment of all children, read its output."""

from __future__ import annotations

import contextlib
import os
import re
import selectors
import signal
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO, Protocol

from core.openvino_runtime import COMPUTING

PROJECT_ROOT = Path(__file__).resolve().parents[2]


class Running(Protocol):
    """A child process that was started, and leads a process group of its own."""

    stdout: IO[bytes]
    stderr: IO[bytes]

    def poll(self) -> int | None:
        """Return the exit status, or minus the signal that ended the child; None while it runs."""

    def end(self) -> None:
        """Kill the child and all that it started; do nothing if nothing is left of them."""


class Program:
    """A child process that runs `command` in a new session, in the folder `home`."""

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
    """Kill a child and all that it started: the group exists as long as one of them lives."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(leader, signal.SIGKILL)


def environment(home: str) -> dict[str, str]:
    """Return the whole environment of a child; only PATH and the precision are inherited."""
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
        COMPUTING: os.environ.get(COMPUTING, ""),
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "MKL_NUM_THREADS": "1",
    }


MAX_KEPT_BYTES = 64 * 1024
_CHUNK_BYTES = 64 * 1024
_PROGRESS = re.compile(rb"^page (\d{1,7})/(\d{1,7})$")


class PipeReader:
    """Reads a child's progress from stdout (`page 3/10`), and keeps the end of its stderr.

    The first line on stdout, whatever it says, means that the child has started.
    """

    def __init__(self, child: Running, on_start: Callable[[], None] = lambda: None) -> None:
        self.progress = (0, 0)
        self._on_start: Callable[[], None] | None = on_start
        self.errors = b""
        self._pending = b""
        self._pipes = (child.stdout, child.stderr)
        self._selector = selectors.DefaultSelector()
        for pipe, name in zip(self._pipes, ("out", "err"), strict=True):
            os.set_blocking(pipe.fileno(), False)
            self._selector.register(pipe, selectors.EVENT_READ, name)

    def read(self, *, timeout_s: float) -> bool:
        """Wait for output at most `timeout_s`; return whether the progress changed."""
        before = self.progress
        if not self._selector.get_map():  # both ends closed: the child is about to end
            return False
        for key, _ in self._selector.select(timeout_s):
            chunk = os.read(key.fd, _CHUNK_BYTES)
            if not chunk:
                self._selector.unregister(key.fileobj)
            elif key.data == "out":
                self._take(chunk)
            else:
                self.errors = (self.errors + chunk)[-MAX_KEPT_BYTES:]
        return self.progress != before

    def close(self) -> None:
        self._selector.close()
        for pipe in self._pipes:
            pipe.close()

    def _take(self, chunk: bytes) -> None:
        *lines, rest = (self._pending + chunk).split(b"\n")
        self._pending = rest[-MAX_KEPT_BYTES:]
        if lines and self._on_start:
            self._on_start()
            self._on_start = None
        for line in lines:
            match = _PROGRESS.match(line.strip())
            if match:
                self.progress = (int(match.group(1)), int(match.group(2)))
