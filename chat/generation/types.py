"""Define the `Generator` protocol, its task and its result. Pure."""

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

    question: str  # self-contained; without identifiers that the guard finds
    passages: tuple[Hit, ...]  # best first
    options: tuple[Option, ...] = ()  # of a multiple-choice question, whose stem is `question`
    statements: tuple[Read, ...] = ()  # of the passages, as the reader scored them, best first
    deadline_s: float = 30.0  # seconds from now; a generator that takes longer raises


@dataclass(frozen=True)
class Generation:
    """Unverified claims, with the model, prompt and reply behind them."""

    claims: tuple[DraftClaim, ...]
    option: str = ""  # the letter of the chosen option of `Task.options`
    raw: str = ""  # a language model's reply, unchanged; empty where none was asked
    keys: Mapping[str, str] = field(
        default_factory=dict
    )  # chunk key by the opaque key that the model was shown
    prompt: str = ""  # name and hash of the prompt's file, such as `answer_v1:0123456789abcdef`
    model: str = ""  # the model that replied
    usage: Usage = field(default_factory=Usage)
    notes: tuple[str, ...] = ()  # deviations from the configuration, such as a skipped endpoint


class Generator(Protocol):
    """Writes claims from evidence that has passed the gate."""

    @property
    def fingerprint(self) -> str:
        """Identifies the generator and all of its settings that affect claims."""

    def generate(self, task: Task) -> Generation:
        """Return claims, best first; none if nothing in the passages answers the question.

        Raises `GeneratorUnavailable`; any other error is a refusal too.
        """

    def again(self, task: Task, stored: Generation) -> Generation:
        """Return the claims of an earlier generation, from its `raw` and `keys`. Asks no model.

        A generator without a model generates again.
        """
