"""Make sure that child processes never outlive their parent, however it ends (Linux).

The kernel sends a process a chosen signal when its parent dies. Each process has to ask for that
itself, since a fork does not inherit the request.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from collections.abc import Callable

PARENT_VARIABLE = "MEDRAG_PARENT_PID"
_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36


def die_with_parent(how: signal.Signals) -> None:
    """Have the signal `how` sent when the supervisor of this process dies, if it has one."""
    parent = os.environ.get(PARENT_VARIABLE, "")
    if parent:
        _die_with(int(parent), how)


def adopt_orphans() -> None:
    """Become the parent of descendants whose own parent dies, so that they can be found."""
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)


def forks_die_with_parent() -> None:
    """Have each fork of this process, and their forks, killed when its own parent dies."""
    parent: list[int] = []

    def remember() -> None:
        parent[:] = [os.getpid()]

    os.register_at_fork(
        before=remember, after_in_child=lambda: _die_with(parent[0], signal.SIGKILL)
    )


def killed_with_this_process() -> Callable[[], None]:
    """Return a `preexec_fn` that has the child killed when the thread that starts it dies."""
    parent = os.getpid()
    return lambda: _die_with(parent, signal.SIGKILL)


def _die_with(parent: int, how: signal.Signals) -> None:
    _prctl(_PR_SET_PDEATHSIG, int(how))
    if os.getppid() != parent:  # the parent died before the call above
        os._exit(1)


def _prctl(option: int, value: int) -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)
