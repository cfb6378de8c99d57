"""Define a check, how one is switched off, and how it is noted that one acted. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from enum import StrEnum
from typing import Generic, ParamSpec, TypeVar

Given = ParamSpec("Given")
Found = TypeVar("Found")

_OFF: ContextVar[str] = ContextVar("check_switched_off", default="")
_ACTED: ContextVar[set[str] | None] = ContextVar("checks_that_acted", default=None)


class Acts(StrEnum):
    """Where a check acts."""

    LEAVE_OUT = "leave out"  # a statement, before it is read
    CLAIM = "claim"  # a claim of an answer, before it is shown
    ORDER = "order"  # what stands first, or beside an answer
    CAUTION = "caution"  # a sentence above an answer
    REFUSE = "refuse"


@dataclass(frozen=True)
class Check(Generic[Given, Found]):
    """One row of the table: called, it compares and notes whether that changes anything."""

    name: str
    acts: Acts
    says: str  # why, in a sentence
    compare: Callable[Given, Found]  # pure
    nothing: Found  # what it finds where nothing is wrong, and while it is switched off

    def __call__(self, *args: Given.args, **kwargs: Given.kwargs) -> Found:
        """Compare; what it finds is its stage's: whether a statement is kept, a finding, claims."""
        if _OFF.get() == self.name:
            return self.nothing
        found = self.compare(*args, **kwargs)
        acted = _ACTED.get()
        if acted is not None and found != self.nothing:
            acted.add(self.name)
        return found


@contextmanager
def switched_off(name: str) -> Iterator[None]:
    """Answer without one check, to measure what it is worth. No door of the site leads here."""
    token = _OFF.set(name)
    try:
        yield
    finally:
        _OFF.reset(token)


@contextmanager
def noting() -> Iterator[set[str]]:
    """Yield the set of the names of checks that change something inside the context."""
    acted: set[str] = set()
    token = _ACTED.set(acted)
    try:
        yield acted
    finally:
        _ACTED.reset(token)
