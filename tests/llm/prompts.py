"""Read a prompt as a language model does, from its text alone.

A prompt names its marks, and puts all data between two of them:

    Question: <mark> text <mark>
    Offered answers: <mark> A. text ... <mark>
    Passage KEY, about: <mark> title and section <mark>
    <mark>
    text
    <mark>
"""

import re
from dataclasses import dataclass, field
from typing import Any

_MARK = r"(?P<mark><[0-9a-f]{8,}>)"
_QUESTION = re.compile(rf"^Question: {_MARK} (?P<text>.*?) (?P=mark)$", re.DOTALL | re.MULTILINE)
_OPTIONS = re.compile(
    rf"^Offered answers: {_MARK} (?P<text>.*?) (?P=mark)$", re.DOTALL | re.MULTILINE
)
_PASSAGE = re.compile(
    rf"^Passage (?P<key>[0-9a-f]+), about: {_MARK} (?P<about>.*?) (?P=mark)\n"
    r"(?P=mark)\n(?P<text>.*?)\n(?P=mark)$",
    re.DOTALL | re.MULTILINE,
)
_OPTION = re.compile(r"^([A-E])\. (.*)$", re.MULTILINE)


@dataclass(frozen=True)
class Shown:
    """One prompt. `passages` are texts by the opaque key that they are shown under, best first."""

    prompt: str
    question: str = ""
    passages: dict[str, str] = field(default_factory=dict)
    about: dict[str, str] = field(default_factory=dict)  # title and section, by the same key
    options: dict[str, str] = field(default_factory=dict)  # by letter

    def key_of(self, words: str) -> str:
        """Return the key of the first passage that holds the words, else of the first one."""
        for key, text in self.passages.items():
            if one_line(words) in one_line(text):
                return key
        return next(iter(self.passages), "0")


def shown_in(request: dict[str, Any]) -> Shown:
    """Parse the messages of one request."""
    prompt = "\n".join(str(message["content"]) for message in request.get("messages", ()))
    found = list(_PASSAGE.finditer(prompt))
    return Shown(
        prompt,
        question=_text(_QUESTION, prompt),
        passages={one["key"]: one["text"] for one in found},
        about={one["key"]: one["about"] for one in found},
        options=dict(_OPTION.findall(_text(_OPTIONS, prompt))),
    )


def one_line(text: str) -> str:
    return " ".join(text.split())


def _text(pattern: re.Pattern[str], prompt: str) -> str:
    found = pattern.search(prompt)
    return found["text"] if found else ""
