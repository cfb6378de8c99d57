"""Calls that are skipped for a while where an endpoint has failed several times in a row. Pure.

Else each question would wait for the time-out of an endpoint that is away. (Circuit breaker:
Nygard, Release It!, 2007.) What is counted is of this process alone.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

from core.errors import MedragError

FAILURES = 3  # in a row; two may be a passing fault, and what calls tries again by itself
PAUSE_S = 30.0  # then one call is let through to find out
PUT_ASIDE_S = 600.0  # of an endpoint that takes no call: its key, address or model is wrong


class Breaker:
    """The last calls of one endpoint. Threads may share it."""

    def __init__(
        self,
        *,
        clock: Callable[[], float] = time.monotonic,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._clock, self._now = clock, now
        self._lock = threading.Lock()
        self._failed = 0  # in a row
        self._pause_ends = 0.0  # by the clock
        self._put_aside_ends = 0.0  # the same
        self._why = ""  # of the pause

    def refusal(self) -> str:
        """Return why no call is to be made now; empty where one may be, which is then to be
        `watched`.

        When the pause is over one caller is told to go on, and the others to wait for another.
        """
        with self._lock:
            if self._failed < FAILURES:
                return ""
            if (left_s := self._pause_ends - self._clock()) > 0:
                tried_again = self._now() + timedelta(seconds=left_s)
                return f"skipped: {self._why}; it is tried again at {tried_again:%H:%M:%S} UTC"
            self._pause(PAUSE_S)
            return ""

    @property
    def is_open(self) -> bool:
        """Whether `refusal` would give a reason now; unlike it, this lets nobody through."""
        with self._lock:
            return self._failed >= FAILURES and self._clock() < self._pause_ends

    def put_aside(self) -> None:
        """Skip the endpoint for `PUT_ASIDE_S`, since another call would fail like this one.

        Until then no call that was begun before it counts, however it ends.
        """
        with self._lock:
            self._failed = max(self._failed, FAILURES)
            self._pause(PUT_ASIDE_S)
            self._put_aside_ends = self._pause_ends
            self._why = "the endpoint is put aside, since it takes no call"

    @contextmanager
    def watched(self, is_down: Callable[[MedragError], bool]) -> Iterator[None]:
        """Count the call within: as failed where it raises what `is_down` says so of.

        One that returns, or raises another MedragError, has reached the endpoint. What else it may
        raise says nothing of the endpoint.
        """
        try:
            yield
        except MedragError as error:
            self._count(is_down=is_down(error))
            raise
        else:
            self._count(is_down=False)

    def _count(self, *, is_down: bool) -> None:
        with self._lock:
            if self._clock() < self._put_aside_ends:
                return
            self._failed = self._failed + 1 if is_down else 0
            if self._failed >= FAILURES:
                self._pause(PAUSE_S)
                self._why = f"the endpoint failed {self._failed} times in a row"

    def _pause(self, seconds: float) -> None:
        """From now on; one that lasts longer already is left as it is."""
        self._pause_ends = max(self._pause_ends, self._clock() + seconds)


_breakers: dict[tuple[str, str, str], Breaker] = {}


def breaker_of(use: str, url: str, model: str) -> Breaker:
    """Return the one of this endpoint and model in this process; each use has time-outs of
    its own.
    """
    return _breakers.setdefault((use, url, model), Breaker())


def forget_failures() -> None:
    """Begin anew with every endpoint: tests do."""
    _breakers.clear()
