"""A hard limit on the time that somebody waits for a network. Pure.

A client's own time-outs hold for each wait for bytes, so that a server that drips holds it for as
long as it likes, and looking up a name has none. The thread that is left behind ends at its next
wait: what runs in it must look at its own clock, and must bound each of its waits.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class _Outcome(Generic[T]):
    result: T
    error: Exception | None = None


def within(timeout_s: float, work: Callable[[], T]) -> T:
    """What `work` returns or raises; raises TimeoutError when that takes longer."""
    outcome: _Outcome[T] = _Outcome()

    def run() -> None:
        try:
            outcome.result = work()
        except Exception as error:  # noqa: BLE001  raised again where it is waited for
            outcome.error = error

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(timeout_s)
    if thread.is_alive():
        raise TimeoutError
    if outcome.error is not None:
        raise outcome.error
    return outcome.result
