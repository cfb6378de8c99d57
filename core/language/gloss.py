"""Put the words that rules read into English, whatever language a text is in. Pure.

The rules on medicines, patients, doses, limits and negation read English (`core.language.en`). A
language has a table, the files `core/language/{code}/*.toml`, that says these words in English,
word for word: a gloss, which is read by rules and models and never shown. Of a text in a language
without a table nothing is known: rules find nothing in it, and only its own words may be shown.
A table that lacks what rules need (`_NEEDED`, or patterns for numbers) counts as none.

A table has `[words]`: phrases in lower case, each with its English; `stem*` stands for every word
that begins so. Of several phrases the longest counts; other spellings (`dia` for `día`) are other
phrases. In every language, a compound of two of its words is read as both: `Penicillinallergie`.
`[patterns]` are regular expressions with replacements, whatever the case, applied first, in order,
for what has digits or signs: `2x tgl.`, `1-0-1`, a decimal comma. `[words]` then reads what they
wrote, too: with `once = "eleven"` of Spanish, a pattern must not write `once daily`.
`[english_too]` has words that tell nothing of a question's language. Each part may be in several
files, but no entry in two.
"""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections import Counter, defaultdict
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from pathlib import Path

from core.language.detection import function_words, language

ENGLISH = "en"
_FOLDER = Path(__file__).parent
_TABLES = sorted({file.parent.name for file in _FOLDER.glob("*/*.toml")})
_WORD = re.compile(r"[^\W\d_]+")
# What a whole table says somewhere: patients, negations, limits, how often, how much, how long.
_NEEDED = frozenset(
    """
    adults children infants pregnant pregnancy breastfeeding renal hepatic impairment not no never
    without avoid contraindicated only unless except allergic allergy daily twice every hours days
    weeks months years maximum least most under over orally intravenous severe mild
    """.split()
)
_GAP = re.compile(r"[\s.\-]+")  # between the words of a phrase
_LEAST_STEM = 3
_LEAST_PART = 4  # letters of each part of a compound
_ENDING = 3  # letters at most that bend a word, rather than begin another
_LINKS = ("", "s", "n", "es", "en")  # between the parts of a compound
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

    def knows(self, word: str) -> bool:
        """Tell whether a word in lower case is one of the table's, or is made of them."""
        return bool(self._whole(word) or self._word(word))

    def _found(self, text: str, words: list[re.Match[str]], place: int) -> tuple[str, int]:
        """Return the English of what begins at a word, and its length in words; 0 for nothing."""
        first = words[place].group().casefold()
        for phrase, english in self.phrases.get(first, ()):
            those = words[place : place + len(phrase)]
            if tuple(word.group().casefold() for word in those) == phrase and all(
                _GAP.fullmatch(text[earlier.end() : later.start()])
                for earlier, later in pairwise(those)
            ):
                return english, len(phrase)
        english = self._word(first)
        return english, int(bool(english))

    def _word(self, word: str) -> str:
        """Return the English of a word by its stem or, of a compound, by its parts; else empty."""
        stem = self._stem(word)
        if stem and len(word) - len(stem) <= _ENDING:
            return self.stems[stem]
        return self._compound(word) or self.stems.get(stem, "")

    def _stem(self, word: str) -> str:
        cuts = (word[:length] for length in range(len(word), _LEAST_STEM - 1, -1))
        return next((cut for cut in cuts if cut in self.stems), "")

    def _compound(self, word: str) -> str:
        """Return the English of the longest known beginning and of what follows, if both are."""
        for cut in range(len(word) - _LEAST_PART, _LEAST_PART - 1, -1):
            if not (first := self._whole(word[:cut])):
                continue
            for link in _LINKS:
                rest = word[cut:].removeprefix(link)
                if len(rest) < _LEAST_PART or not word[cut:].startswith(link):
                    continue
                if second := self._whole(rest) or self._bent(rest):
                    return f"{first} {second}"
        return ""

    def _whole(self, word: str) -> str:
        alone = (english for phrase, english in self.phrases.get(word, ()) if len(phrase) == 1)
        return next(alone, self.stems.get(word, ""))

    def _bent(self, word: str) -> str:
        stem = self._stem(word)
        return self.stems[stem] if stem and len(word) - len(stem) <= _ENDING else ""


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

    By its stop words, else the first language, by code, whose table has more than half of its
    words; else English.
    """
    if (code := language(question)) != ENGLISH:
        return code
    typed = {word.casefold() for word in _WORD.findall(question)} - function_words(ENGLISH)
    words = {word for word in typed if len(word) > 1}
    for code in _TABLES:
        english = {word: gloss(word, code).casefold() for word in words}
        strange = {word for word in words if word not in english[word]}
        # What is called alike in both tells nothing: `amoxicillin`, `morphin` for morphine.
        alike = {word for word in words - strange if _knows(word, code)}
        if strange - _english_too(code) and len(strange) * 2 > len(words - alike):
            return code
    return ENGLISH


def question_in_english(question: str) -> str:
    """Return a question with the words that rules read in English."""
    return gloss(question, spoken_in(question))


@lru_cache(maxsize=32)
def _english_too(code: str) -> frozenset[str]:
    """Return the words of a language that English has with another meaning: `die`, `was`."""
    return frozenset(word for _, words in _read(code, "english_too") for word in words.split())


def _knows(word: str, code: str) -> bool:
    table = table_of(code)
    return table is not None and table.knows(word)


def tables() -> dict[str, str]:
    """Return the digest of each whole table, by language: another table reads texts otherwise."""
    return {code: _digest(code) for code in _TABLES if table_of(code)}


@lru_cache(maxsize=32)
def _digest(code: str) -> str:
    files = sorted((_FOLDER / code).glob("*.toml"))
    return hashlib.sha256(b"\0".join(file.read_bytes() for file in files)).hexdigest()[:16]


@lru_cache(maxsize=32)
def table_of(code: str) -> Table | None:
    """Return the table of a language; None without one, or where it lacks what rules need.

    Half a table would have the language taken for read. Raises ValueError for a faulty one.
    """
    if code not in _TABLES:
        return None
    vocabulary = {word for _, english in _read(code, "words") for word in english.split()}
    if not vocabulary >= _NEEDED or not _read(code, "patterns"):
        return None
    phrases: dict[str, list[tuple[tuple[str, ...], str]]] = defaultdict(list)
    stems: dict[str, str] = {}
    for written, english in _read(code, "words"):
        if written.endswith("*"):
            stems[written.removesuffix("*").casefold()] = english
            continue
        phrase = tuple(_WORD.findall(written.casefold()))
        if not phrase:
            raise ValueError(f"The table of {code!r}: {written!r} has no word.")
        phrases[phrase[0]].append((phrase, english))
    for known in phrases.values():
        known.sort(key=lambda each: -len(each[0]))
    patterns = tuple(
        (re.compile(pattern, re.IGNORECASE), english)
        for pattern, english in _read(code, "patterns")
    )
    return Table(patterns, dict(phrases), stems)


def _read(code: str, part: str) -> list[tuple[str, str]]:
    """Return a part of all files of a table. Raises ValueError for what two of them define."""
    files = [
        tomllib.loads(file.read_text(encoding="utf-8"))
        for file in sorted((_FOLDER / code).glob("*.toml"))
    ]
    entries = [entry for file in files for entry in file.get(part, {}).items()]
    most = Counter(name for name, _ in entries).most_common(1)
    if most and most[0][1] > 1:
        raise ValueError(f"The table of {code!r} has {most[0][0]!r} twice.")
    return entries
