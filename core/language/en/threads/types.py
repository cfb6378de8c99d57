"""Define earlier questions and completed follow-ups. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Asked:
    """An earlier question, as typed and as a self-contained question."""

    question: str
    standalone: str
    was_answered: bool


@dataclass(frozen=True)
class Standalone:
    """A question that can be searched by itself, and how it was completed."""

    text: str
    is_follow_up: bool = False  # whether it depends on the turns before, completed or not
    by: str = ""  # `rules`, or `llm:` and the model; empty if the question is unchanged
    notes: tuple[str, ...] = ()  # why it was left unchanged, without quoting any question
    before: str = ""  # of an unclear question: with the questions it may refer to
    in_thread: str = ""  # of a question that stands by itself: for the thread's patient
    is_within: bool = False  # whether that is searched in the documents of the thread only
    is_about: bool = False  # whether it may be meant about the thread: not to be answered elsewhere

    @property
    def is_unclear(self) -> bool:
        """Whether the question leaves out something unresolved: it must not be answered."""
        return self.is_follow_up and not self.by

    @property
    def searched(self) -> str:
        """The text to search for: of an unclear question with the questions before it."""
        return self.before or self.text

    def spelled(self, meant: Mapping[str, str]) -> Standalone:
        """Return a copy with these words corrected, in any case."""
        text, before, in_thread = self.text, self.before, self.in_thread
        for typed, word in meant.items():
            pattern = re.compile(rf"\b{re.escape(typed)}\b", re.IGNORECASE)
            text, before, in_thread = (pattern.sub(word, t) for t in (text, before, in_thread))
        return replace(self, text=text, before=before, in_thread=in_thread)
