"""Limit how many questions a process answers at once and how long others wait.

Answering is computing: more questions at once take longer and more memory without finishing more.
So a few are answered at once, others wait in order of arrival, and one whose wait would be too long
is refused at once.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, wraps
from typing import ParamSpec, TypeVar

from django.conf import settings
from django.db import connections
from django.utils.translation import gettext

from core.errors import MedragError

COMPUTING = 2  # at once: while one waits for the database another computes
CALLING = 16  # where a language model elsewhere does the work
_FIRST_S = 1.0  # taken for a question's duration until one was answered
_NEWEST = 0.2  # weight of the latest duration in the mean

P = ParamSpec("P")
T = TypeVar("T")


class Busy(MedragError):
    """Too many questions are waiting. Nothing was stored or searched."""

    retryable = True
    code = "busy"

    def __init__(self, wait_s: float) -> None:
        self.wait_s = max(1, round(wait_s))
        super().__init__(
            gettext(
                "Many questions are being answered just now: yours would wait about %(seconds)s s."
            )
            % {"seconds": self.wait_s},
            hint=gettext("Nothing was stored. Please ask it again in a moment."),
        )


class Admission:
    """Admits `at_once` holders in order of arrival.

    Raises `Busy` where the expected wait, by the exponentially weighted mean duration, exceeds
    `longest_s`.
    """

    def __init__(
        self,
        at_once: int,
        longest_s: float,
        *,
        on_wait: Callable[[], None] = lambda: None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Call `on_wait` before each wait, to release what isn't needed meanwhile."""
        self._at_once, self._longest_s = at_once, longest_s
        self._on_wait, self._clock = on_wait, clock
        self._changed = threading.Condition()
        self._waiting: deque[object] = deque()
        self._admitted = 0
        self._mean_s = _FIRST_S

    @contextmanager
    def admitted(self) -> Iterator[None]:
        """Wait for a slot and hold it. Raises Busy."""
        self._enter()
        began = self._clock()
        try:
            yield
        finally:
            with self._changed:
                self._admitted -= 1
                self._mean_s += _NEWEST * (self._clock() - began - self._mean_s)
                self._changed.notify_all()

    def _enter(self) -> None:
        with self._changed:
            before_us = len(self._waiting) + self._admitted - self._at_once + 1
            wait_s = max(0, before_us) * self._mean_s / self._at_once
            if wait_s > self._longest_s:
                raise Busy(wait_s)
        if before_us > 0:
            self._on_wait()
        ticket = object()
        with self._changed:
            self._waiting.append(ticket)
            try:
                self._changed.wait_for(lambda: self._is_next(ticket))
            finally:  # whoever gives up must not keep the others waiting
                self._waiting.remove(ticket)
                self._changed.notify_all()
            self._admitted += 1

    def _is_next(self, ticket: object) -> bool:
        return self._waiting[0] is ticket and self._admitted < self._at_once


@cache
def process_admission() -> Admission:
    """Return this process's admission, shared by its threads."""
    calls = settings.GENERATOR == "llm" or settings.VERIFIER == "llm"
    at_once = CALLING if calls else COMPUTING
    return Admission(at_once, settings.ANSWER_TIMEOUT_S, on_wait=connections.close_all)


def admitted(function: Callable[P, T]) -> Callable[P, T]:
    """Decorate a function to run only while it holds a slot of this process; it may raise Busy."""

    @wraps(function)
    def waiting(*args: P.args, **kwargs: P.kwargs) -> T:
        with process_admission().admitted():
            return function(*args, **kwargs)

    return waiting
