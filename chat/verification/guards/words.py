"""Each word of a claim stands in its quotes."""

from __future__ import annotations

import re

from chat.verification.texts import normalised
from chat.verification.types import Cited, Finding, Label

NAME = "words"
_WORD = re.compile(r"[^\W\d_]{2,}")


def check(claim: str, cited: Cited) -> Finding | None:
    if _words(claim) <= _words(cited.text):
        return None
    return Finding(NAME, Label.NOT_FOUND, "word not in the quote")


def _words(text: str) -> set[str]:
    return set(_WORD.findall(normalised(text).lower()))
