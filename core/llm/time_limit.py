"""A hard limit on the time that somebody waits. Pure.

The thread that is left behind must bound each of its own waits.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

T = TypeVar("T")


def within(timeout_s: float, work: Callable[[], T]) -> T:
    """Return what `work` returns or raises; raises TimeoutError when that takes longer."""
    outcome: Future[T] = Future()

    def run() -> None:
        try:
            outcome.set_result(work())
        except Exception as error:  # noqa: BLE001  raised again where it is waited for
            outcome.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    return outcome.result(timeout_s)
