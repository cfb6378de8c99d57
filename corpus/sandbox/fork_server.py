"""The program that children are forked from: it has imported what they need, and opens no file.

`nursery SOCKET PARENT`: over the socket come a line of JSON for each file (`arguments` of `child`,
the folder that is its home) with the ends of two pipes. It answers `{"pid": 7}`, and
`{"status": 0}` when the child has ended; then it waits for a line, kills what the child started
and frees its number. Not before, so that the number stays the child's as long as somebody may
want to kill it. One thread and no state: a child handles one file, and what it does to its memory
ends with it. This process ends with its parent, and its children with it.
"""

from __future__ import annotations

import gc
import json
import os
import select
import signal
import socket
import sys
import tempfile
import threading
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

from corpus.parsing.registry import ALWAYS_LOADED, libraries_for
from corpus.sandbox import child
from corpus.sandbox.child_process import kill_group

_LINE_BYTES = 64 * 1024
_MOST_FILES = 256  # open in here: a socket, two pipes, and what libraries keep
_ANEW = (sys.executable, "-m", child.__name__)
_TASKS = Path("/proc/self/task")


def main() -> None:
    """Serve until the parent closes its end or dies."""
    control = socket.socket(fileno=int(sys.argv[1]))
    child.die_with(int(sys.argv[2]))
    child.allow_no_tracing()
    _load(ALWAYS_LOADED)
    woken, wakes = os.pipe()
    os.set_blocking(wakes, False)
    os.set_blocking(woken, False)
    signal.signal(signal.SIGCHLD, lambda number, frame: None)
    signal.set_wakeup_fd(wakes)
    while job := _receive(control):
        request, pipes = job
        _serve(request["arguments"], request["home"], pipes, control, woken)


def _receive(control: socket.socket) -> tuple[dict[str, Any], list[int]] | None:
    """Wait for the next file; None when there will be none."""
    line, pipes = b"", list[int]()
    while not line.endswith(b"\n"):
        part, found, _, _ = socket.recv_fds(control, _LINE_BYTES, 2)
        pipes += found
        if not part:
            return None
        line += part
    return json.loads(line), pipes


def _serve(
    arguments: list[str], home: str, pipes: list[int], control: socket.socket, woken: int
) -> None:
    """Fork a child for one file, tell how it ends, and clear up after it when asked to."""
    _load(libraries_for(media_type=arguments[1]))
    nursery, is_safe = os.getpid(), _threads() == 1
    pid = os.fork()
    if pid == 0:
        _become_child(nursery, pipes, home)
        _work(arguments, is_safe=is_safe)
    for pipe in pipes:
        os.close(pipe)
    _tell(control, "pid", pid)
    while control.fileno() not in select.select([control.fileno(), woken], [], [])[0]:
        with suppress(BlockingIOError):
            os.read(woken, _LINE_BYTES)
        ended = os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT | os.WNOHANG)
        if ended is not None:
            is_signal = ended.si_code != os.CLD_EXITED
            _tell(control, "status", -ended.si_status if is_signal else ended.si_status)
            break
    control.recv(_LINE_BYTES)  # or nothing: the parent is gone
    kill_group(pid)
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)  # it may not lead its group yet
    os.waitpid(pid, 0)
    _tell(control, "ended", pid)


def _tell(control: socket.socket, what: str, number: int) -> None:
    with suppress(BrokenPipeError):  # the parent is gone, which `recv` tells next
        control.sendall(json.dumps({what: number}).encode() + b"\n")


def _load(libraries: Sequence[str]) -> None:
    """Import what the children of this type need, once; what is missing the child will tell."""
    for name in libraries:
        if name not in sys.modules:
            with suppress(ImportError):
                import_module(name)
            gc.freeze()  # so that a child's collections do not write into shared pages


def _become_child(nursery: int, pipes: list[int], home: str) -> None:
    """Leave all of the nursery behind but its modules: its signals, files, folder and session."""
    try:
        child.die_with(nursery)
        os.setsid()
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        for file, standard in zip(
            (os.open(os.devnull, os.O_RDONLY), *pipes), range(3), strict=True
        ):
            os.dup2(file, standard)
        os.closerange(3, _MOST_FILES)
        os.environ.update(HOME=home, TMPDIR=home)
        tempfile.tempdir = None  # else what the nursery found
        os.chdir(home)
    except BaseException:  # noqa: BLE001  nothing may return into the nursery's loop
        os._exit(1)


def _work(arguments: list[str], *, is_safe: bool) -> None:
    """Handle the file and exit, in no case return into the nursery's loop.

    Not `is_safe` is a fork beside threads: a lock that one of them held is held for ever. Then the
    child begins anew.
    """
    status = 1
    try:
        if not is_safe:
            os.execv(sys.executable, [*_ANEW, *arguments])  # noqa: S606  our own program
        status = child.main(arguments)
    except SystemExit as error:
        status = error.code if isinstance(error.code, int) else 1
    finally:
        os._exit(status)


def _threads() -> int:
    """Return how many threads this process has, those of native libraries too where it is told."""
    return len(list(_TASKS.iterdir())) if _TASKS.exists() else threading.active_count()


if __name__ == "__main__":
    main()
