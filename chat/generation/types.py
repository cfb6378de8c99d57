"""What a generator is given, and what it gives. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from chat.reader.types import Read
from chat.types import DraftClaim, Option
from core.llm.usage import Usage
from retrieval.types import Hit


@dataclass(frozen=True)
class Task:
    """A question whose evidence has passed the gate."""

    question: str  # stands by itself; holds no identifier that the guard knows
    passages: tuple[Hit, ...]  # best first
    options: tuple[Option, ...] = ()  # of a multiple-choice question, whose stem is `question`
    statements: tuple[Read, ...] = ()  # of the passages, as they were read, best first
    deadline_s: float = 30.0  # from now; a generator that can't keep it raises


@dataclass(frozen=True)
class Generation:
    """Claims, none of them verified, and how they came about."""

    claims: tuple[DraftClaim, ...]
    option: str = ""  # the letter of the chosen one of `Task.options`
    raw: str = ""  # a language model's answer as it came; empty where none was asked
    keys: Mapping[str, str] = field(
        default_factory=dict
    )  # chunk key by the opaque key it was shown
    prompt: str = ""  # name and hash of the prompt's file, such as `answer_v1:0123456789abcdef`
    model: str = ""  # that answered
    usage: Usage = field(default_factory=Usage)
    notes: tuple[str, ...] = ()  # what did not go as configured, such as an endpoint passed over


class Generator(Protocol):
    """Makes claims from evidence that has passed the gate."""

    @property
    def fingerprint(self) -> str:
        """Names the generator and all of its settings that decide."""

    def generate(self, task: Task) -> Generation:
        """Return claims, the best first; none if nothing in the passages answers the question.

        Raises `GeneratorUnavailable`; whatever else it raises is a refusal too.
        """

    def again(self, task: Task, stored: Generation) -> Generation:
        """Return the same from a model's earlier answer (`raw` and `keys` of `stored`).

        Asks no model. Without one it generates anew.
        """
