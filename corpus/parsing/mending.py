"""Mend blocks that were read without geometry: numbers and words that a run's end broke. Pure.

What the layout engine does to the lines of a PDF, done to the text of all other formats.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from corpus.parsing.drafts import Draft, Drafted
from corpus.parsing.layout.doubts import WORD_PARTED
from corpus.parsing.layout.joining import mend_numbers
from corpus.parsing.layout.ligatures import is_parted, mend_ligatures

_WORD = re.compile(r"[^\W\d_]+")


def mended(drafts: Iterable[Drafted]) -> list[Drafted]:
    """Return blocks with `30– 60`, `1, 000` and `fl uconazole` joined, and doubts on other words.

    All blocks of a document are wanted at once: what it prints whole elsewhere is a word.
    """
    drafts = list(drafts)
    words = {
        word.lower() for draft in drafts for text in _texts(draft) for word in _WORD.findall(text)
    }

    def mend(text: str) -> str:
        return mend_ligatures(mend_numbers(text), words.__contains__)

    return [_mended(draft.reworded(mend)) for draft in drafts]


def _mended(draft: Drafted) -> Drafted:
    doubts = (WORD_PARTED,) if any(map(is_parted, _texts(draft))) else ()
    return replace(draft, doubts=(*draft.doubts, *doubts)) if doubts else draft


def _texts(draft: Drafted) -> list[str]:
    if isinstance(draft, Draft):
        return [piece.text for piece in draft.pieces]
    return [cell.text for cell in draft.cells]
