"""Progress events of a question that is being answered. Pure.

They hold nothing of an answer: of a claim only that it was checked, of a passage only its title,
and only passages that the asker may read.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Begun:
    """The question has been admitted and is being worked on."""


@dataclass(frozen=True)
class Found:
    passages: int
    titles: tuple[str, ...]  # each once, that of the best passage first


@dataclass(frozen=True)
class Judged:
    """The gate's decision on the passages. `reason` is empty if it passed."""

    probability: float
    threshold: float
    reason: str


@dataclass(frozen=True)
class Checked:
    """How many statements have been checked so far, with whatever result."""

    done: int
    of: int


Event = Begun | Found | Judged | Checked
Tell = Callable[[Event], None]


class AskerLeft(BaseException):
    """Raised by a listener when nobody waits for the answer any more; ends the question.

    Like `GeneratorExit` it is no `Exception`: an exception in a step becomes a stored refusal, and
    this is none. It can only be raised at a step, so a turn is stored completely or not at all.
    """


def ignore_event(event: Event) -> None:
    """Ignore an event."""
