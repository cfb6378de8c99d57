"""Keep a store or a scanner that does not answer from holding up the rest of a process.

A circuit breaker (Nygard, Release It!, 2007) and a bulkhead: of a web process' threads only a share
waits for it, and after some time-outs in a row nobody does until one try has gone well.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from django.conf import settings

FAILURES = 2  # in a row, after which nothing is asked for a while
PAUSE_S = 15.0
QUEUE_S = 1.0  # that a thread waits for a place


class NotAsked(Exception):
    """It was not asked, for the reason that the text says."""


_SILENT = "it did not answer just now, and is asked again in some seconds"
_BUSY = "it is slow, and others are waiting for it already"


class Breaker:
    """What a process knows of one. Use `asked` around each use, in one thread each."""

    def __init__(self, places: int) -> None:
        self._places = threading.BoundedSemaphore(places)
        self._lock = threading.Lock()
        self._failures, self._shut_until = 0, 0.0

    @contextmanager
    def asked(self, silence: tuple[type[Exception], ...]) -> Iterator[None]:
        """Hold a place, and count errors of the types `silence`. Raises NotAsked."""
        if not self._places.acquire(timeout=QUEUE_S):
            raise NotAsked(_BUSY)
        try:
            self._refuse_silent()
            yield
        except NotAsked:
            raise
        except silence:
            self._count()
            raise
        except Exception:  # such as that there is no such file: it answered
            self._answered()
            raise
        else:
            self._answered()
        finally:
            self._places.release()

    def _refuse_silent(self) -> None:
        """Raise NotAsked during a pause; after it, let one thread try and all others wait."""
        with self._lock:
            if self._failures < FAILURES:
                return
            if time.monotonic() < self._shut_until:
                raise NotAsked(_SILENT)
            self._shut_until = time.monotonic() + PAUSE_S

    def _answered(self) -> None:
        with self._lock:
            self._failures = 0

    def _count(self) -> None:
        with self._lock:
            self._failures += 1
            if self._failures >= FAILURES:
                self._shut_until = time.monotonic() + PAUSE_S


_known: dict[str, Breaker] = {}
_knowing = threading.Lock()


def breaker_of(asked: str) -> Breaker:
    """Return what this process knows of what has this name, the same in all threads."""
    with _knowing:  # threads may open a store at the same time, each for itself
        return _known.setdefault(asked, Breaker(share_of_threads()))


def share_of_threads() -> int:
    """Return how many threads of a web process may wait for one: a quarter, two at least."""
    return max(2, settings.WEB_THREADS // 4)
