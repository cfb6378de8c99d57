"""Skip calls to an endpoint for a while after it has failed several times in a row. Pure.

Otherwise each question would wait for the time-out of an endpoint that is away. (Circuit breaker:
Nygard, Release It!, 2007.) Failures are counted by this process alone.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

from core.errors import MedragError

FAILURES = 3  # in a row; two may be a passing fault, and callers retry by themselves
PAUSE_S = 30.0  # then one call is let through to find out
PUT_ASIDE_S = 600.0  # for an endpoint that rejects every call: its key, address or model is wrong


class Breaker:
    """The recent failures of one endpoint. Threads may share it."""

    def __init__(
        self,
        *,
        clock: Callable[[], float] = time.monotonic,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._clock, self._now = clock, now
        self._lock = threading.Lock()
        self._failed = 0  # in a row
        self._pause_ends = 0.0  # on the clock
        self._put_aside_ends = 0.0  # on the clock
        self._why = ""  # of the pause

    def refusal(self) -> str:
        """Return why the endpoint may not be called now, or an empty string if it may.

        A caller who may go on makes the call within `watched`. When a pause is over, one caller may
        go on and a new pause begins for the others.
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
        """Whether `refusal` would give a reason now; unlike `refusal`, lets no caller through."""
        with self._lock:
            return self._failed >= FAILURES and self._clock() < self._pause_ends

    def put_aside(self) -> None:
        """Skip the endpoint for `PUT_ASIDE_S`, since another call would fail like the last one.

        Calls that end in that time change no count.
        """
        with self._lock:
            self._failed = max(self._failed, FAILURES)
            self._pause(PUT_ASIDE_S)
            self._put_aside_ends = self._pause_ends
            self._why = "the endpoint is put aside, since it takes no call"

    @contextmanager
    def watched(self, is_down: Callable[[MedragError], bool]) -> Iterator[None]:
        """Count the call made within as failed if it raises a MedragError and `is_down` says so.

        A call that returns, or raises another MedragError, has reached the endpoint and sets the
        count to 0. Other exceptions are not counted.
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
        """Pause for this long from now; a pause that ends later is kept."""
        self._pause_ends = max(self._pause_ends, self._clock() + seconds)


_breakers: dict[tuple[str, str, str], Breaker] = {}


def breaker_of(use: str, url: str, model: str) -> Breaker:
    """Return this process's breaker for an endpoint, model and use.

    Each use has time-outs of its own, so its failures are counted separately.
    """
    return _breakers.setdefault((use, url, model), Breaker())


def forget_failures() -> None:
    """Forget the failures of all endpoints, for tests."""
    _breakers.clear()
