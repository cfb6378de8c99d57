"""Find the short forms that a text defines: `pulmonary embolism (PE)`, or `PE (embolism)`. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator

_SHORT = r"[A-Z][A-Za-z]{1,5}"
_WORD = re.compile(r"[A-Za-z]+")
_MOST_WORDS = 8  # of what a short form stands for
_BEHIND = re.compile(rf" \(({_SHORT}?)s?\)")
_REACH = 120  # characters before a short form that may say what it stands for
_LINKED = re.compile(r"[\w’' ,/-]*\Z")  # no sentence ends between them
_BEFORE = re.compile(rf"\b({_SHORT}?)s? \(([A-Za-z][A-Za-z’' -]{{4,80}})\)")
_JOINING = frozenset("of the and for in to or a an with on by from".split())


def defined_in(text: str) -> dict[str, str]:
    """Return what each short form of a text stands for, in lower case: its first definition.

    The initials of the words spell the short form, with or without those of joining words.
    """
    found: dict[str, str] = {}
    for short, meant in _definitions(text):
        found.setdefault(short, meant.casefold())
    return found


def mean_the_same(one: str, other: str) -> bool:
    """Tell whether two definitions of a short form are wordings of one: `emboli`, `embolism`.

    Each word begins as the other's does, in British or American spelling.
    """
    pairs = zip(_WORD.findall(_folded(one)), _WORD.findall(_folded(other)), strict=False)
    return all(a[:2] == b[:2] for a, b in pairs)


def _folded(text: str) -> str:
    return re.sub("(?:ae|oe)", "e", text.casefold())


def _definitions(text: str) -> Iterator[tuple[str, str]]:
    for match in _BEHIND.finditer(text):
        before = text[max(0, match.start() - _REACH) : match.start()]
        linked = _LINKED.search(before)
        if linked and (meant := _spelling(linked.group(), match[1])):
            yield match[1], meant
    for match in _BEFORE.finditer(text):
        if _spells(_WORD.findall(match[2]), match[1]):
            yield match[1], match[2]


def _spelling(text: str, short: str) -> str:
    """Return the last words of a text whose initials spell a short form; empty if none do."""
    words = list(_WORD.finditer(text))
    for first in reversed(words[-_MOST_WORDS:]):
        taken = [word.group() for word in words if word.start() >= first.start()]
        if first.group()[0].casefold() == short[0].casefold() and _spells(taken, short):
            return text[first.start() :]
    return ""


def _spells(words: list[str], short: str) -> bool:
    telling = [word for word in words if word.casefold() not in _JOINING]
    return any(
        len(each) > 1 and "".join(word[0] for word in each).casefold() == short.casefold()
        for each in (words, telling)
    )
