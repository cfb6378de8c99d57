"""Whether a claim is its quotes word for word. Pure."""

from __future__ import annotations

import re
from functools import lru_cache

from chat.evidence.leads import must_be_said
from chat.verification.texts import normalised
from chat.verification.types import Cited
from core.text.sentences import sentence_spans

_WORD = re.compile(r"\w+|[<>≤≥%±]")
# What opens such a sentence limits the one before it.
_BOUND = re.compile(
    r"(?:however|but|unless|except|otherwise|exceptions?|only|do not|never|not|avoid|caution"
    r"|contraindicat\w+|stop|withhold|this|these|it|they)\b",
    re.IGNORECASE,
)

Words = tuple[str, ...]


@lru_cache(maxsize=4096)
def word_for_word(claim: str, cited: Cited) -> bool:
    """Whether the claim is the whole of the first quote, or a whole sentence of it.

    Other quotes may stand around it, whole, and the line above a list has to; of a row's header
    each label only in front of its own cell. Marks and white space do not count, signs such as
    `<` do, and no word may be left over.
    """
    said = _words(claim)
    leads = [_words(quote) for quote in cited.quotes[1:] if is_introduction(quote)]
    if not said or not all(_stands_in(lead, said) for lead in leads):
        return False
    return _is_sentence(said, cited.quotes[0]) or _is_assembled(said, cited.quotes)


def is_introduction(quote: str) -> bool:
    """Whether a quote behind the first stands above it or limits it, and is no header or note."""
    return must_be_said(quote)


def _stands_in(part: Words, said: Words) -> bool:
    return any(said[place : place + len(part)] == part for place in range(len(said)))


def _words(text: str) -> Words:
    return tuple(_WORD.findall(normalised(text).casefold()))


def _is_sentence(said: Words, quote: str) -> bool:
    """A run of whole sentences of the quote, none of which the next one limits."""
    spans = sentence_spans(quote)
    for first in range(len(spans)):
        for last in range(first, len(spans)):
            is_bound = last + 1 < len(spans) and _BOUND.match(quote, spans[last + 1][0])
            if not is_bound and _words(quote[spans[first][0] : spans[last][1]]) == said:
                return True
    return False


def _is_assembled(said: Words, quotes: tuple[str, ...]) -> bool:
    cells = _cells(quotes[0])
    whole = {_words(quote) for quote in quotes[1:]} - {()}
    headers = [_cells(quote) for quote in quotes[1:]]
    headers = [header for header in headers if len(header) == len(cells) > 1]
    steps = [(0, 0)]
    seen = set(steps)
    while steps:
        place, cell = steps.pop()
        if place == len(said) and cell == len(cells):
            return True
        following = [(place + len(part), cell) for part in whole if _at(said, place, part)]
        if cell < len(cells):
            if _at(said, place, cells[cell]):
                following.append((place + len(cells[cell]), cell + 1))
            labels = {header[cell] for header in headers} - {()}
            following += [(place + len(part), cell) for part in labels if _at(said, place, part)]
        for step in following:
            if step not in seen:
                seen.add(step)
                steps.append(step)
    return False


def _cells(quote: str) -> list[Words]:
    """Of a row, empty ones too: a merged cell is cited behind it, and stands in front of it."""
    return [_words(cell) for cell in f" {quote} ".split(" | ")]


def _at(said: Words, place: int, part: Words) -> bool:
    return said[place : place + len(part)] == part
