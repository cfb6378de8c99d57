"""What a follow-up took from the question before it, part by part. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from chat.question.follow_up.mentions import mentions
from core.text.words import words

_BEFORE_MARK = re.compile(r"\s+(?=[?.,;:])")
_DANGLING = re.compile(r"^[\s,;:.]+|[\s,;:]+(?=[?.]*$)")
_JOINING = re.compile(r"[\s,:;]+(?:(?:of|for|in|with|to|on|the|an?)\b)?\s*$")


@dataclass(frozen=True)
class Carried:
    """A part, and the whole question without it."""

    text: str
    without: str


def carried(question: str, standalone: str) -> tuple[Carried, ...]:
    """Return the parts of `standalone` that the question itself does not say, in their order.

    What is asked, where that was taken over, then what it is asked of. Empty for a question that
    stands by itself, and for a part without which nothing is left to ask.
    """
    return tuple(part for part in _parts(question, standalone) if len(words(part.without)) > 1)


def _parts(question: str, standalone: str) -> Iterator[Carried]:
    named = mentions(standalone)
    if not standalone or not named:
        return
    said = {(mention.slot, mention.name, mention.text.lower()) for mention in mentions(question)}
    first = named[0].phrase_start
    asked = _JOINING.sub("", standalone[:first])
    if asked and asked.lower() not in question.lower():
        yield Carried(asked, _tidy(standalone[named[0].start :]))
    for mention in named:
        if (mention.slot, mention.name, mention.text.lower()) not in said:
            rest = standalone[: mention.phrase_start] + standalone[mention.end :]
            yield Carried(mention.text, _tidy(rest))


def _tidy(text: str) -> str:
    text = _DANGLING.sub("", _BEFORE_MARK.sub("", " ".join(text.split())))
    return text[:1].upper() + text[1:]
