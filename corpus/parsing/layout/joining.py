"""Join printed lines to running text, and mend words that were divided at a line's end."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

# A word is looked at from its beginning only: from each of its letters, a page whose words were
# printed over each other until they are one would take minutes.
_BEGINS = r"(?<![^\W\d_])(?<![^\W\d_]-)"
_DIVIDED = re.compile(_BEGINS + r"((?:[^\W\d_]++-)*)([^\W\d_]++)-$")
_HEAD = re.compile(r"([^\W\d_]+)((?:-[^\W\d_]+)*)")
_COMPOUND = re.compile(r"(?<![^\W\d_])[^\W\d_]++(?:-[^\W\d_]++)+")
_WORD = re.compile(r"[^\W\d_]+")
_SUSPENDED = frozenset(("and", "or", "to", "nor", "but"))  # after the hyphen of `first- and`
_MIN_PART = 3  # letters of both parts of a compound that is told by its parts alone


class Vocabulary:
    """The words of a document, to tell a divided word (algo-rithm) from a compound (X-ray).

    Made of its lines in order; what a hyphen at a line's end leaves of a word is no word.
    """

    def __init__(self, lines: Sequence[str] = ()) -> None:
        whole = list(_without_fragments(lines))
        self._exact = {word for line in whole for word in _WORD.findall(line)}
        self._words = {word.lower() for word in self._exact}
        self._compounds = {word for line in whole for word in _COMPOUND.findall(line.lower())}
        parts = [compound.split("-") for compound in sorted(self._compounds)]
        self._heads = {first for first, *_ in parts}  # words that begin a compound (`self-`) ...
        self._tails = {last for *_, last in parts}  # ... and that end one (`-based`)

    def is_divided(self, before: str, after: str) -> bool:
        """Tell whether the hyphen at the end of `before` only divides a word that `after` ends."""
        if not before.endswith("-"):
            return False
        end, head = _DIVIDED.search(before[before.rfind(" ") + 1 :]), _HEAD.match(after)
        if end is None or head is None or head.group() in _SUSPENDED:
            return False
        if end.group(2) + head.group(1) in self._exact:
            return True
        first, second = end.group(2).lower(), head.group(1).lower()
        if not head.group(1)[0].islower() or len(first) == 1 or end.group(2)[-1].isupper():
            return False
        return first + second in self._words or not self._is_compound(end.group(), head.group())

    def _is_compound(self, before: str, after: str) -> bool:
        """Tell a compound that the document prints elsewhere, or one of two words of which another
        compound begins or ends with one."""
        first, second = before.lower().rstrip("-").split("-")[-1], after.lower().split("-")[0]
        if {f"{first}-{second}", f"{before}{after}".lower()} & self._compounds:
            return True
        known = {first, second} <= self._words and min(len(first), len(second)) >= _MIN_PART
        return known and (first in self._heads or second in self._tails)


def _without_fragments(lines: Sequence[str]) -> Iterator[str]:
    cut = False
    for line in lines:
        words = line.split()[1 if cut else 0 :]
        cut = line.endswith("-")
        yield " ".join(words[:-1] if cut else words)


_NOTHING_KNOWN = Vocabulary()


def glue_between(
    before: str, after: str, vocabulary: Vocabulary = _NOTHING_KNOWN
) -> tuple[str, str]:
    """Return how much of `before` stays and what stands between it and `after`."""
    if vocabulary.is_divided(before, after):
        return before[:-1], ""
    head = _HEAD.match(after)
    if before.endswith("-") and head is not None and head.group() in _SUSPENDED:
        return before, " "  # `first- and second-line`
    if before.endswith(("-", "\u2010", "/")) and len(before) > 1 and not before[-2].isspace():
        return before, ""
    return before, " "


def join_lines(lines: Sequence[str], vocabulary: Vocabulary = _NOTHING_KNOWN) -> str:
    """Return lines as one text; the empty string for none."""
    text = ""
    for line in lines:
        if text:
            kept, glue = glue_between(text, line, vocabulary)
            text = kept + glue + line
        else:
            text = line
    return text
