"""A text as terms: each word that says something under one key, however it is written. Pure."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from chat.verification.texts import normalised
from chat.verification.wording.names import Form, by_form, by_name, longest_form
from chat.verification.wording.short_forms import written_out
from chat.verification.wording.stems import stem
from chat.verification.wording.vocabulary import COUNTED, FUNCTION, meaning

_TOKEN = re.compile(r"\d+(?:[.,]\d+)*|[^\W\d_]+(?:['’][^\W\d_]+)*")
_POSSESSIVE = re.compile(r"['’]s?$")
# Behind these a single letter or a number is a part of the name: hepatitis B, type 2, vitamin K.
_NUMBERED = frozenset(
    "hepatitis vitamin group type class factor stage grade category influenza haemophilia phase "
    "schedule table step protein t p b level hormone child pugh bag section".split()
)
_ROMAN = re.compile(r"[ivx]{1,4}|[a-z]|\d{1,2}")


@dataclass(frozen=True)
class Term:
    """A word or name of several words. `start` and `end` are places in the normalised text."""

    key: str  # what it means; `=...` a name of the lexicon, `#...` a number
    text: str
    start: int
    end: int
    is_content: bool  # whether it says something that a quote has to bear out

    @property
    def is_number(self) -> bool:
        return self.key.startswith("#")


@lru_cache(maxsize=4096)
def terms(text: str) -> tuple[Term, ...]:
    """All words and numbers of a text in order; of names that begin at one word the longest."""
    text = normalised(text)
    tokens = list(_TOKEN.finditer(text))
    found: list[Term] = []
    place = 0
    while place < len(tokens):
        name, size = _name_at(text, tokens, place)
        if size == 0:
            found.append(_single(tokens, place))
            place += 1
            continue
        start, end = tokens[place].start(), tokens[place + size - 1].end()
        found.append(Term(name, text[start:end], start, end, is_content=True))
        place += size
    return tuple(found)


def content_keys(text: str) -> frozenset[str]:
    """What the text speaks of."""
    return frozenset(term.key for term in terms(written_out(text)) if term.is_content)


@lru_cache(maxsize=4096)
def borne_out(text: str) -> frozenset[str]:
    """Keys and stems that a text stands for: a name stands for the words of its other forms."""
    found: set[str] = set()
    for term in terms(written_out(text)):
        found.add(term.key)
        found.update(_inner_names(term))
        if term.is_number:
            continue
        found.update(stem(word) for word in _TOKEN.findall(term.text))
        found.update(meaning(word) for word in _TOKEN.findall(term.text))
        for form in by_name().get(term.key, ()):
            found.update(stem(word) for word in form.words)
            found.update(meaning(word) for word in form.words)
    return frozenset(found)


def _inner_names(term: Term) -> Iterator[str]:
    """Names inside a name: `blood pressure` of `high blood pressure`."""
    tokens = list(_TOKEN.finditer(term.text))
    for place in range(len(tokens) if len(tokens) > 1 else 0):
        name, size = _name_at(term.text, tokens[: len(tokens) - (place == 0)], place)
        if size:
            yield name


def _single(tokens: list[re.Match[str]], place: int) -> Term:
    token = tokens[place]
    word = token.group()
    before = tokens[place - 1].group().casefold() if place else ""
    close = place > 0 and token.start() - tokens[place - 1].end() <= 1
    if close and before in _NUMBERED and _ROMAN.fullmatch(word.casefold()):
        small = len(word) == 1 and word.isalpha() and word.islower()
        if not small:
            key = f"{stem(before)} {word.casefold()}"
            return Term(key, word, token.start(), token.end(), is_content=True)
    if word[0].isdigit():
        return Term(f"#{_plain(word)}", word, token.start(), token.end(), is_content=False)
    small_word = _POSSESSIVE.sub("", word.casefold())
    empty = small_word in FUNCTION or small_word in COUNTED or "n't" in word.replace("’", "'")
    return Term(meaning(word), word, token.start(), token.end(), is_content=not empty)


def _plain(number: str) -> str:
    """`1,000` and `1000`, `5.0` and `5` are one number."""
    whole = re.sub(r",(?=\d{3}(?:\D|$))", "", number).replace(",", ".")
    return whole.rstrip("0").rstrip(".") if "." in whole else whole


def _name_at(text: str, tokens: list[re.Match[str]], place: int) -> tuple[str, int]:
    known = by_form()
    for size in range(min(longest_form(), len(tokens) - place), 0, -1):
        part = tokens[place : place + size]
        if not _joined(text, part):
            continue
        typed = [token.group() for token in part]
        for words in (typed, [*typed[:-1], re.sub(r"(?<=\w\w)['’]?s$", "", typed[-1])]):
            form = Form(tuple(words), exact=True)
            if form in known:
                return known[form], size
        if (form := Form(tuple(stem(word) for word in typed))) in known and _typical(typed):
            return known[form], size
    return "", 0


def _joined(text: str, part: list[re.Match[str]]) -> bool:
    return all(
        re.fullmatch(r"[\s\-\u2010\u2011]+", text[a.end() : b.start()])
        for a, b in itertools.pairwise(part)
    )


def _typical(typed: list[str]) -> bool:
    """Not a word of one letter, and not a function word alone."""
    return not (len(typed) == 1 and (len(typed[0]) < 2 or typed[0].casefold() in FUNCTION))
