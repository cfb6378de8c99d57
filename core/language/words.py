"""Split questions into words and sentences. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable

WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
# A sentence ends at its mark before a space; not after a title, an initial or a number's point.
_END = re.compile(
    r"(?<!\bDr)(?<!\bMr)(?<!\bMs)(?<!\bMrs)(?<!\bSt)(?<!\bNo)(?<!\be\.g)(?<!\bi\.e)(?<!\bvs)"
    r"(?<!\b[A-Z])[.!?]+[\"')\]]*(?=\s|$)|[\r\n]+"
)

CELLS = " | "  # between the cells of a table's row, in the text of a page
UNREADABLE = "[…]"  # in the place of a sign or of words that could not be read
OVERSTRUCK = "\u0335\u0336"  # strokes through the sign before them
STRUCK = f"{UNREADABLE}\u0336"  # in the place of words that are struck through or covered
# What the rules look at, five pages; a longer question is analysed by its beginning.
MAX_CHARS = 10_000


def words(text: str) -> list[str]:
    return WORD.findall(text)


def sentences(text: str) -> list[str]:
    """Return the non-empty sentences with their punctuation, in order."""
    parts, start = [], 0
    for end in _END.finditer(text):
        parts.append(text[start : end.end()])
        start = end.end()
    parts.append(text[start:])
    return [stripped for part in parts if WORD.search(stripped := part.strip())]


def distinct(words: Iterable[str]) -> tuple[str, ...]:
    """Return each word once regardless of case, in order."""
    kept: dict[str, str] = {}
    for word in words:
        kept.setdefault(word.casefold(), word)
    return tuple(kept.values())
