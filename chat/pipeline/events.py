"""What a question tells of its way while it is answered. Pure.

Nothing of it is an answer: of a claim only that it was checked, of a passage only its title, and
only of those that whoever asks may read, since the search has no others.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Begun:
    """Its turn has come, among the questions that a process answers at once."""


@dataclass(frozen=True)
class Found:
    passages: int
    titles: tuple[str, ...]  # each once, that of the best passage first


@dataclass(frozen=True)
class Judged:
    """What the gate said of the passages. `reason` is empty where the way is open."""

    probability: float
    threshold: float
    reason: str


@dataclass(frozen=True)
class Checked:
    """How many of the statements were checked so far, whether they stand or not."""

    done: int
    of: int


Event = Begun | Found | Judged | Checked
Tell = Callable[[Event], None]


class AskerLeft(BaseException):
    """Nobody waits for the answer any more. Raised by who is told, it ends the question.

    No `Exception`, as `GeneratorExit` is none: what fails is a refusal that is stored, and this is
    neither. It comes at a step or not at all, so that a turn is stored whole or there is none.
    """


def untold(event: Event) -> None:
    """Tell nobody."""
