"""What turns a statement round or bounds it stands in quote and claim alike."""

from __future__ import annotations

import re
from collections import Counter

from chat.verification.texts import normalised
from chat.verification.types import Cited, Finding, Label

NAME = "polarity"
_NEGATION = re.compile(
    r"\b(?:not|no|never|nor|neither|none|without|avoid\w*|unless|except\w*|contraindicat\w*|stop\w*"
    r"|withh\w+|cannot|\w+n['’]t|only|until|less|more|below|above|under|over)\b"
)


def check(claim: str, cited: Cited) -> Finding | None:
    said = negations(claim)
    if negations(cited.quotes[0]) - said or said - negations(cited.text):
        return Finding(NAME, Label.CONTRADICTED, "polarity differs from the quote")
    return None


def negations(text: str) -> Counter[str]:
    """The words that turn a statement round or bound it, each as often as it stands there."""
    return Counter(_NEGATION.findall(normalised(text).lower()))
