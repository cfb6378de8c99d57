"""Questions of a conversation, and what they mean by themselves. Pure."""

from __future__ import annotations

from dataclasses import dataclass


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
