"""What a prompt shows to a language model: read as a model reads it, from the prompt alone.

A question and passages stand each between two marks, as `label: <mark> text <mark>`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

QUESTION = "Question"
_BLOCK = re.compile(
    r"^(?P<label>[^\n:<>]{1,40}):\s*(?P<mark><[0-9a-f]{8,}>)\s(?P<text>.*?)\s(?P=mark)",
    re.DOTALL | re.MULTILINE,
)


@dataclass(frozen=True)
class Shown:
    """One prompt. `passages` are texts by the opaque key that they are shown under."""

    prompt: str
    question: str = ""
    passages: dict[str, str] = field(default_factory=dict)

    @property
    def instructions(self) -> str:
        """The first line of the prompt, which nobody but the model is to read."""
        return self.prompt.strip().splitlines()[0]

    def key_of(self, words: str) -> str:
        """Of the first passage that holds the words; else of the first one."""
        for key, text in self.passages.items():
            if one_line(words) in one_line(text):
                return key
        return next(iter(self.passages), "0")


def shown_in(request: dict[str, Any]) -> Shown:
    """What the messages of one request show."""
    prompt = "\n".join(str(message["content"]) for message in request["messages"])
    blocks = {found["label"]: found["text"] for found in _BLOCK.finditer(prompt)}
    return Shown(prompt, blocks.pop(QUESTION, ""), blocks)


def one_line(text: str) -> str:
    return " ".join(text.split())
