"""Questions of a conversation, and what they mean by themselves. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Asked:
    """A turn before: what was typed, and what that meant where it was a follow-up."""

    question: str
    standalone: str
    was_answered: bool


@dataclass(frozen=True)
class Standalone:
    """A question that can be searched by itself, and how it came about."""

    text: str
    is_follow_up: bool = False  # whether it leans on the turns before, put right or not
    by: str = ""  # `rules`, or `llm:` and the model; empty where it is as it was asked
    notes: tuple[str, ...] = ()  # why it was left so; none of them quotes anything
    before: str = ""  # with what it may go on from, where what it means could not be told

    @property
    def is_unclear(self) -> bool:
        """Whether it leaves something out that could not be told: it must not be answered."""
        return self.is_follow_up and not self.by

    @property
    def searched(self) -> str:
        """What to look for: of an unclear question what went before, for the passages near it."""
        return self.before or self.text

    def spelled(self, meant: Mapping[str, str]) -> Standalone:
        """Return the same with each of these words put right, however it is written."""
        text, before = self.text, self.before
        for typed, word in meant.items():
            pattern = re.compile(rf"\b{re.escape(typed)}\b", re.IGNORECASE)
            text, before = (pattern.sub(word, each) for each in (text, before))
        return replace(self, text=text, before=before)
