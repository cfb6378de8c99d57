"""Join printed lines to running text, and words that were divided at a line's end."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise

from core.language.en.compounds import keeps_hyphen
from corpus.parsing.broken import goes_on
from corpus.parsing.layout.ligatures import mend_ligatures

# A match begins at the beginning of a word only. If it could begin at each letter, a page whose
# words are printed over each other, and so read as one, would take minutes.
_BEGINS = r"(?<![^\W\d_])(?<![^\W\d_]-)"
_DIVIDED = re.compile(_BEGINS + r"((?:[^\W\d_]++-)*)([^\W\d_]++)-$")
_HEAD = re.compile(r"([^\W\d_]+)((?:-[^\W\d_]+)*)")
_COMPOUND = re.compile(r"(?<![^\W\d_])[^\W\d_]++(?:-[^\W\d_]++)+")
_WORD = re.compile(r"[^\W\d_]+")
_ADDRESS = re.compile(r"(?:://|\bwww\.|\.[a-z]+/)\S*$")  # a hyphen in it is mostly its own
_SUSPENDED = frozenset(("and", "or", "to", "nor", "but"))  # after the hyphen of `first- and`
_MIN_PART = 3  # letters of each part of a compound that is known by its parts alone
_RANGE = re.compile(r"(?<=\d[–—]) (?=\d)")
# The next number of a list can't begin with a zero; `100, 500 mg` may be two doses.
_THOUSANDS = re.compile(r"(?<![\d.,])(\d{1,3}(?:,\d{3})*,) (?=0\d\d(?!\d))")
UNDECIDED = "\u00ad"  # a hyphen at a line's end, until the words of the document are known


class Vocabulary:
    """The words of a document, to tell a divided word (algo-rithm) from a compound (X-ray).

    Made from words or lines in order; the fragments on both sides of a hyphen at a line's end are
    not counted as words. Most programs divide no words: where more of the hyphens at line ends
    belong to compounds that the document also prints within a line than to divided words, an
    undecided hyphen is taken for that of a compound. So is one that English usage keeps
    (`core.language.en.compounds`).
    """

    def __init__(self, texts: Sequence[str] = ()) -> None:
        whole = list(_without_fragments(texts))
        self._exact = {word for text in whole for word in _WORD.findall(text)}
        self._words = Counter(word for text in whole for word in _WORD.findall(text.lower()))
        self._compounds = Counter(
            form
            for text in whole
            for compound in _COMPOUND.findall(text.lower())
            for form in (f"{first}-{second}" for first, second in pairwise(compound.split("-")))
        )
        ends = [two for pair in pairwise(texts) if (two := _parts(*pair)) is not None]
        divided = sum(self._stands(*two) == (True, False) for two in ends)
        self._has_whole = sum(self._stands(*two)[1] for two in ends) > divided

    def is_divided(self, before: str, after: str) -> bool:
        """Tell whether the hyphen at the end of `before` divides a word that `after` completes."""
        two = _parts(before, after)
        if two is None:
            return False
        first, second = two
        if first + second in self._exact and not (first + second).isupper():
            return not self._is_usual(first, second)
        if not second[0].islower() or len(first) == 1 or first[-1].isupper():
            return False
        joined, hyphenated = self._stands(first, second)
        if joined or hyphenated:
            return joined and not self._is_usual(first, second)
        whole = self._has_whole or _ADDRESS.search(before) is not None
        parts = (first.lower(), second.lower())
        are_words = all(len(part) >= _MIN_PART and part in self._words for part in parts)
        return not whole and not are_words and not keeps_hyphen(first, second)

    def mended(self, text: str) -> str:
        """Join words parted at a ligature, where the document prints them whole elsewhere."""
        return mend_ligatures(text, self._words.__contains__)

    def _stands(self, first: str, second: str) -> tuple[bool, bool]:
        """Tell whether the document prints two parts as one word, and whether with a hyphen."""
        first, second = first.lower(), second.lower()
        return first + second in self._words, f"{first}-{second}" in self._compounds

    def _is_usual(self, first: str, second: str) -> bool:
        """Tell whether the document usually prints two parts with a hyphen.

        That is at least as often as without one; or once, where most hyphens at line ends are those
        of compounds.
        """
        first, second = first.lower(), second.lower()
        count = self._compounds[f"{first}-{second}"]
        return count > 0 and (self._has_whole or count >= self._words[first + second])


def _parts(before: str, after: str) -> tuple[str, str] | None:
    """Return the letters before and after a hyphen that may divide a word, else None."""
    if not before.endswith("-"):
        return None
    end, head = _DIVIDED.search(before[before.rfind(" ") + 1 :]), _HEAD.match(after)
    if end is None or head is None or head.group() in _SUSPENDED:
        return None
    return end.group(2), head.group(1)


def _without_fragments(texts: Sequence[str]) -> Iterator[str]:
    cut = False
    for text in texts:
        words = text.split()[1 if cut else 0 :]
        cut = text.endswith("-")
        yield " ".join(words[:-1] if cut else words)


def glue_between(before: str, after: str, vocabulary: Vocabulary | None) -> tuple[str, str]:
    """Return the part of `before` to keep, and what joins it to `after`: a blank or nothing.

    Without a vocabulary a hyphen that may divide a word becomes `UNDECIDED`.
    """
    if goes_on(before, after):
        return before, ""
    if vocabulary is None and _parts(before, after) is not None:
        return before[:-1], UNDECIDED
    if vocabulary is not None and vocabulary.is_divided(before, after):
        return before[:-1], ""
    head = _HEAD.match(after)
    if before.endswith("-") and head is not None and head.group() in _SUSPENDED:
        return before, " "  # `first- and second-line`
    if before.endswith(("-", "\u2010", "/")) and len(before) > 1 and not before[-2].isspace():
        return before, ""
    end, begin = before[before.rfind(" ") + 1 :], after.partition(" ")[0]
    return before, "" if mend_numbers(f"{end} {begin}") == end + begin else " "


def mend_numbers(text: str) -> str:
    """Close the blank in a range or behind the thousands of one number: `30– 60`, `1, 000`."""
    return _THOUSANDS.sub(r"\1", _RANGE.sub("", text))


def decide(text: str, vocabulary: Vocabulary) -> str:
    """Replace each `UNDECIDED` hyphen by a hyphen in a compound, by nothing in a divided word."""
    first, *rest = text.split(UNDECIDED)
    for part in rest:
        kept, glue = glue_between(f"{first}-", part, vocabulary)
        first = f"{kept}{glue}{part}"
    return vocabulary.mended(first)


def join_lines(lines: Sequence[str]) -> str:
    """Join lines to one text, with `UNDECIDED` for hyphens that may divide a word.

    Empty for no lines.
    """
    text = ""
    for line in lines:
        kept, glue = glue_between(text, line, None) if text else ("", "")
        text = kept + glue + line
    return text
