"""Keep the fork servers of this process: each forks one child at a time, file after file.

The program is `fork_server`. One that has died is replaced for the next file; its child counts as
killed.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from typing import IO

from corpus.sandbox.child_process import PROJECT_ROOT, Running, environment, kill_group

ENDING_S = 5.0  # a fork server that has not answered by then is killed
_NOWHERE = "/nonexistent"  # its home: what a child leaves behind must not reach the next
_LINE_BYTES = 64 * 1024

_idle: list[ForkServer] = []


def fork_child(arguments: Sequence[str], home: str) -> Running:
    """Start the parser's child in the folder `home`. Any thread may call it."""
    server = _taken() or ForkServer()
    try:
        return ForkedChild(server, arguments, home)
    except BrokenPipeError:  # it died a moment ago
        server.close()
        return ForkedChild(ForkServer(), arguments, home)


def start_early() -> None:
    """Start a fork server before the first file comes.

    Call it in a thread that lives on: a fork server ends with the thread that started it.
    """
    if not _idle:
        _idle.append(ForkServer())


class ForkServer:
    """A fork server's process, and our end of its socket."""

    def __init__(self) -> None:
        ours, theirs = socket.socketpair()
        with theirs:
            program = [sys.executable, "-m", "corpus.sandbox.fork_server"]
            self.process = subprocess.Popen(
                [*program, str(theirs.fileno()), str(os.getpid())],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env=environment(_NOWHERE),
                cwd=PROJECT_ROOT,
                pass_fds=[theirs.fileno()],
                start_new_session=True,
            )
        self.socket = ours

    def close(self) -> None:
        """Kill the fork server, and its child with it."""
        self.socket.close()
        self.process.kill()
        self.process.wait()


class ForkedChild:
    """A `Running` child of a fork server, which alone may wait for it and reports its end."""

    def __init__(self, server: ForkServer, arguments: Sequence[str], home: str) -> None:
        self._server = server
        self._told: dict[str, int] = {}
        self._rest = b""
        pipes = [os.pipe(), os.pipe()]
        line = json.dumps({"arguments": list(arguments), "home": home}).encode() + b"\n"
        try:
            socket.send_fds(server.socket, [line], [write for _, write in pipes])
        except BaseException:
            for read, _ in pipes:
                os.close(read)
            raise
        finally:
            for _, write in pipes:
                os.close(write)
        ends: list[IO[bytes]] = [os.fdopen(read, "rb", buffering=0) for read, _ in pipes]
        self.stdout, self.stderr = ends

    def poll(self) -> int | None:
        self._listen(0)
        return self._told.get("status")

    def end(self) -> None:
        with contextlib.suppress(OSError):
            self._server.socket.send(b"\n")
        deadline = time.monotonic() + ENDING_S
        while "ended" not in self._told and time.monotonic() < deadline:
            if not self._listen(max(deadline - time.monotonic(), 0)):
                break
        if "ended" in self._told:
            _idle.append(self._server)
            return
        self._server.close()  # kills the child too, but not the processes that it started
        if "pid" in self._told:
            kill_group(self._told["pid"])

    def _listen(self, timeout_s: float) -> bool:
        """Read what the fork server reports, for at most `timeout_s`; False if it has died."""
        if not select.select([self._server.socket], [], [], timeout_s)[0]:
            return True
        try:
            part = self._server.socket.recv(_LINE_BYTES)
        except ConnectionError:
            part = b""
        if not part:
            self._told.setdefault("status", -signal.SIGKILL)
            return False
        *lines, self._rest = (self._rest + part).split(b"\n")
        for line in lines:
            self._told.update(json.loads(line))
        return True


def _taken() -> ForkServer | None:
    """Take an idle fork server that is alive; None if there is none."""
    while _idle:
        server = _idle.pop()
        if server.process.poll() is None:
            return server
        server.close()
    return None


def _close_all() -> None:
    while _idle:
        _idle.pop().close()


def _forget() -> None:
    """Close the sockets in a forked process: the fork servers belong to its parent."""
    while _idle:
        _idle.pop().socket.close()


atexit.register(_close_all)
os.register_at_fork(after_in_child=_forget)
