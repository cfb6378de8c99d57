"""Words for comparing readings: without case, punctuation, hyphens or bullets. Pure."""

from __future__ import annotations

import re
import unicodedata

Words = tuple[str, ...]

_SOFT_HYPHEN = "\u00ad"
_LETTER_BULLET = re.compile(r"(?<!\S)o(?=\s)")  # Word prints its hollow bullet as this letter
_HYPHEN = re.compile(r"(?<=[^\W\d_])[-‐‑‒–−](?=[^\W\d_])")
_DASHES = re.compile(r"[-‐‑‒–—−]+")
_BULLETS = re.compile(r"[•·∙●○◦▪■□►✓✔]")
_WORD = re.compile(r"\d+(?:[.,]\d+)*|[^\W\d_]+")


def words_of(text: str) -> Words:
    """Return the words of `text` after NFKC and casefold; empty if it has none.

    A number with its point or comma is a word of its own (`0.5`, `1.2.4`), so that `10mg` and `10
    mg` are equal. A hyphen is removed only between letters: `5-10` is two words.
    """
    text = _LETTER_BULLET.sub(" ", text.replace(_SOFT_HYPHEN, ""))
    folded = unicodedata.normalize("NFKC", text).casefold()
    return tuple(_WORD.findall(_HYPHEN.sub("", folded)))


def cell_words_of(text: str) -> Words:
    """Return a cell's words; for a cell that is only a sign, the sign, since a dot there means yes.

    All dashes are one sign, and so are all bullets and ticks.
    """
    signs = "".join(unicodedata.normalize("NFKC", text).split())
    marks = _BULLETS.sub("•", _DASHES.sub("-", signs))
    return words_of(text) or ((marks,) if marks else ())
