"""Put the words that rules read into English, whatever language a text is in. Pure.

The rules on medicines, patients, doses, limits and negation read English (`core.language.en`). A
language has a table, `core/language/{code}/words.toml`, that says these words in English, word for
word: a gloss, which is read by rules and models and never shown. Of a text in a language without a
table nothing is known: rules find nothing in it, and only its own words may be shown.

A table has `[words]`: phrases in lower case, each with its English; `stem*` stands for every word
that begins so. `[patterns]` are regular expressions with replacements, applied first, in order, for
what is no word: `2x tgl.`, `1-0-1`, a decimal comma.
"""

from __future__ import annotations

import re
import tomllib
from collections import defaultdict
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from pathlib import Path

from core.language.detection import function_words, language

ENGLISH = "en"
_FOLDER = Path(__file__).parent
_TABLES = sorted(file.parent.name for file in _FOLDER.glob("*/words.toml"))
_WORD = re.compile(r"[^\W\d_]+")
_GAP = re.compile(r"[\s.\-]+")  # between the words of a phrase
_LEAST_STEM = 3
# What is left of a text that can't be read: where its cells, lines and sentences end.
_UNREADABLE = re.compile(r"[^\s|;:.,]+")


@dataclass(frozen=True)
class Table:
    """The words of one language in English."""

    patterns: tuple[tuple[re.Pattern[str], str], ...]
    phrases: dict[str, list[tuple[tuple[str, ...], str]]]  # by first word, the longest first
    stems: dict[str, str]

    def gloss(self, text: str) -> str:
        for pattern, english in self.patterns:
            text = pattern.sub(english, text)
        words = list(_WORD.finditer(text))
        parts, at, place = [], 0, 0
        while place < len(words):
            english, length = self._found(text, words, place)
            if length:
                parts += [text[at : words[place].start()], english]
                at = words[place + length - 1].end()
            place += max(1, length)
        return "".join([*parts, text[at:]])

    def _found(self, text: str, words: list[re.Match[str]], place: int) -> tuple[str, int]:
        """Return the English of what begins at a word, and its length in words; 0 for nothing."""
        first = words[place].group().casefold()
        for phrase, english in self.phrases.get(first, ()):
            those = words[place : place + len(phrase)]
            if tuple(word.group().casefold() for word in those) == phrase and all(
                _GAP.fullmatch(text[one.end() : other.start()]) for one, other in pairwise(those)
            ):
                return english, len(phrase)
        for length in range(len(first), _LEAST_STEM - 1, -1):
            if first[:length] in self.stems:
                return self.stems[first[:length]], 1
        return "", 0


def has_table(code: str) -> bool:
    """Tell whether rules can read a language."""
    return code == ENGLISH or table_of(code) is not None


@lru_cache(maxsize=16384)
def gloss(text: str, code: str) -> str:
    """Return a text with the words that rules read in English; only its signs without a table."""
    if code == ENGLISH or not text:
        return text
    table = table_of(code)
    return table.gloss(text) if table else _UNREADABLE.sub("", text)


@lru_cache(maxsize=1024)
def spoken_in(question: str) -> str:
    """Return the language of a question, which may be a few words without grammar.

    By its stop words, else the language whose table has most of its words; else English.
    """
    if (code := language(question)) != ENGLISH:
        return code
    words = {word.casefold() for word in _WORD.findall(question)} - function_words(ENGLISH)
    for code in _TABLES:
        strange = {word for word in words if word not in gloss(word, code).casefold()}
        if len(strange) * 2 > len(words):
            return code
    return ENGLISH


def question_in_english(question: str) -> str:
    """Return a question with the words that rules read in English."""
    return gloss(question, spoken_in(question))


@lru_cache(maxsize=32)
def table_of(code: str) -> Table | None:
    """Return the table of a language; None without one. Raises ValueError for a faulty table."""
    file = _FOLDER / code / "words.toml"
    if not code.isalpha() or not file.is_file():
        return None
    read = tomllib.loads(file.read_text(encoding="utf-8"))
    phrases: dict[str, list[tuple[tuple[str, ...], str]]] = defaultdict(list)
    stems: dict[str, str] = {}
    for written, english in read["words"].items():
        if written.endswith("*"):
            stems[written.removesuffix("*").casefold()] = english
            continue
        phrase = tuple(_WORD.findall(written.casefold()))
        if not phrase:
            raise ValueError(f"{file}: {written!r} has no word.")
        phrases[phrase[0]].append((phrase, english))
    for known in phrases.values():
        known.sort(key=lambda each: -len(each[0]))
    patterns = tuple(
        (re.compile(pattern, re.IGNORECASE), english)
        for pattern, english in read.get("patterns", {}).items()
    )
    return Table(patterns, dict(phrases), stems)
