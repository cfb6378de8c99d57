"""Keep a store that does not answer from holding up everything else of a process.

A circuit breaker (Nygard, Release It!, 2007) and a bulkhead: of a web process' threads only a share
waits for files, and after some time-outs in a row nobody does until one try has gone well.
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


class StoreSilent(Exception):
    """The store was not asked: it did not answer just now."""


class StoreBusy(Exception):
    """The store was not asked: as many threads as may wait for it."""


class Breaker:
    """What a process knows of a store. Use `asked` around each use, in one thread each."""

    def __init__(self, places: int) -> None:
        self._places = threading.BoundedSemaphore(places)
        self._lock = threading.Lock()
        self._failures, self._shut_until = 0, 0.0

    @contextmanager
    def asked(self, silence: tuple[type[Exception], ...]) -> Iterator[None]:
        """Hold a place, and count errors of the types `silence`. Raises StoreSilent, StoreBusy."""
        if not self._places.acquire(timeout=QUEUE_S):
            raise StoreBusy
        try:
            self._refuse_silent()
            yield
        except StoreSilent:
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
        """Raise StoreSilent during a pause; after it, let one thread try and all others wait."""
        with self._lock:
            if self._failures < FAILURES:
                return
            if time.monotonic() < self._shut_until:
                raise StoreSilent
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


def breaker_of(store: str) -> Breaker:
    """Return what this process knows of the store with this name, the same in all threads."""
    with _knowing:  # threads may open the store at the same time, each for itself
        return _known.setdefault(store, Breaker(share_of_threads()))


def share_of_threads() -> int:
    """Return how many threads of a web process may wait for files: a quarter, two at least."""
    return max(2, settings.WEB_THREADS // 4)
