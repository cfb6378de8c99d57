"""Join printed lines to running text, and mend words that were divided at a line's end."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

_DIVIDED = re.compile(r"([^\W\d_]+)-$")
_HEAD = re.compile(r"[^\W\d_]+")
_COMPOUND = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)+")
_WORD = re.compile(r"[^\W\d_]+")


class Vocabulary:
    """The words of a document, to tell a divided word (algo-rithm) from a compound (X-ray)."""

    def __init__(self, texts: Collection[str] = ()) -> None:
        self.words: set[str] = set()
        self.compounds: set[str] = set()
        for text in texts:
            lowered = text.lower()
            self.words.update(_WORD.findall(lowered))
            self.compounds.update(_COMPOUND.findall(lowered))

    def is_divided(self, before: str, after: str) -> bool:
        """Tell whether the hyphen at the end of `before` only divides a word that `after` ends."""
        end, head = _DIVIDED.search(before), _HEAD.match(after)
        if end is None or head is None or not head.group()[0].islower():
            return False
        first, second = end.group(1).lower(), head.group().lower()
        if f"{first}-{second}" in self.compounds:
            return False
        return first + second in self.words or (len(first) > 1 and not end.group(1).isupper())


_NOTHING_KNOWN = Vocabulary()


def glue_between(
    before: str, after: str, vocabulary: Vocabulary = _NOTHING_KNOWN
) -> tuple[str, str]:
    """Return how much of `before` stays and what stands between it and `after`."""
    if vocabulary.is_divided(before, after):
        return before[:-1], ""
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
