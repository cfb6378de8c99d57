"""The fork server: a program that has imported what children need, and forks them.

`fork_server SOCKET PARENT`: for each file it receives a line of JSON over the socket (the
`arguments` of `child`, and the child's home folder), with the ends of two pipes. It answers
`{"pid": 7}`, and `{"status": 0}` when the child has ended; then it waits for a line, kills what the
child started, frees the child's process id and answers `{"ended": 7}`. It waits so that the id
belongs to the child as long as somebody may want to kill it. The fork server opens no file, and has
one thread and no state: a child handles one file, and its changes to memory end with it. The fork
server ends with its parent, and its children with it.
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
_MOST_FILES = 256  # open files of the fork server: a socket, two pipes, and those of libraries
_ANEW = (sys.executable, "-m", child.__name__)
_TASKS = Path("/proc/self/task")


def main() -> None:
    """Serve until the parent closes its end of the socket or dies."""
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
    """Wait for the next file's request and pipes; None if the parent has closed the socket."""
    line, pipes = b"", list[int]()
    while not line.endswith(b"\n"):
        part, descriptors, _, _ = socket.recv_fds(control, _LINE_BYTES, 2)
        pipes += descriptors
        if not part:
            return None
        line += part
    return json.loads(line), pipes


def _serve(
    arguments: list[str], home: str, pipes: list[int], control: socket.socket, woken: int
) -> None:
    """Fork a child for one file, report how it ends, and clean up after it when told to."""
    _load(libraries_for(media_type=arguments[1]))
    server, is_safe = os.getpid(), _threads() == 1
    pid = os.fork()
    if pid == 0:
        _become_child(server, pipes, home)
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
    """Import modules that children need, each once; leave missing ones to the child to report."""
    for name in libraries:
        if name not in sys.modules:
            with suppress(ImportError):
                import_module(name)
            gc.freeze()  # so that a child's collections do not write into shared pages


def _become_child(server: int, pipes: list[int], home: str) -> None:
    """Drop the fork server's signals, files, folder and session, and keep only its modules."""
    try:
        child.die_with(server)
        os.setsid()
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        for file, standard in zip(
            (os.open(os.devnull, os.O_RDONLY), *pipes), range(3), strict=True
        ):
            os.dup2(file, standard)
        os.closerange(3, _MOST_FILES)
        os.environ.update(HOME=home, TMPDIR=home)
        tempfile.tempdir = None  # else the fork server's
        os.chdir(home)
    except BaseException:  # noqa: BLE001  nothing may return into the fork server's loop
        os._exit(1)


def _work(arguments: list[str], *, is_safe: bool) -> None:
    """Handle the file and exit; never return into the fork server's loop.

    If the fork server had other threads (not `is_safe`), a lock that one of them held would never
    be released, so the child is started anew as a program.
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
    """Return the number of threads of this process, on Linux with those of native libraries."""
    return len(list(_TASKS.iterdir())) if _TASKS.exists() else threading.active_count()


if __name__ == "__main__":
    main()
