"""Mark the words of a question in a text."""

from __future__ import annotations

import re
from collections.abc import Iterator

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from core.language.words import WORD

_TOKEN = re.compile(rf"\d+\.\d+|{WORD.pattern}")  # 6.8 is neither 6 nor 8
_ROOT = 5  # words that share this many first letters are forms of one word
_SHORTEST = 3
# Words that only ask or join.
_PLAIN = frozenset(
    "about after also and any are before being can could does during for from give given has have"
    " how into long many much must need not often should that the their them then there this use"
    " used was were what when where which while who will with would you your".split()
)


def marked(text: str, question: str) -> SafeString:
    """Return the text as safe HTML, with `<mark>` around the words that the question has too."""
    roots = {_root(word) for word in _TOKEN.findall(question) if counts(word)}
    return mark_safe("".join(_parts(text, roots)))  # noqa: S308  each part is escaped


def _parts(text: str, roots: set[str]) -> Iterator[str]:
    end = 0
    for match in _TOKEN.finditer(text):
        yield escape(text[end : match.start()])
        word = escape(match.group())
        yield f"<mark>{word}</mark>" if _root(match.group()) in roots else word
        end = match.end()
    yield escape(text[end:])


def counts(word: str) -> bool:
    """Tell whether a word is a number or a content word."""
    return _is_number(word) or (len(word) >= _SHORTEST and word.casefold() not in _PLAIN)


def _root(word: str) -> str:
    folded = word.casefold()
    return folded if _is_number(word) else folded.rstrip("s")[:_ROOT]


def _is_number(word: str) -> bool:
    return word.replace(".", "", 1).isdigit()
