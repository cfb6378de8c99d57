"""Words that are printed so that nobody sees them, told by the picture of their page.

White words are a heading on a dark bar, or an order to a language model on white paper. What
PDFium paints decides: where all of a word's box is of one colour, nothing is seen there.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

import pypdfium2.raw as raw

from corpus.parsing.types import Box, Doubt

UNSEEN = Doubt(
    "text_unseen",
    "Words that nobody sees, as white ones on white are, were left out of this page. Ask who wrote "
    "the file what they are for.",
)
_FILLED = (0, 4)  # PDF 32000-1, table 106: by filling alone
_LIGHT = 220  # of 255
_FAINT = 16  # of 255, opaque
_SAME = 8  # of 255; what differs by less nobody sees
_LONGEST = 2_000  # pixels


def may_be_unseen(text: Any) -> bool:
    """Tell a text object in a light or transparent colour, which may be that of its ground."""
    if raw.FPDFTextObj_GetTextRenderMode(text) not in _FILLED:
        return False
    parts = [ctypes.c_uint() for _ in range(4)]
    if not raw.FPDFPageObj_GetFillColor(text, *parts):
        return False
    *colour, alpha = (part.value for part in parts)
    return alpha < _FAINT or min(colour) >= _LIGHT


def are_unseen(page: Any, boxes: Sequence[Box]) -> list[bool]:
    """Tell for each box on the displayed page whether all of it is of one colour."""
    scale = min(1.0, _LONGEST / max(page.get_size()))
    picture = page.render(scale=scale).to_numpy()
    found = []
    for left, top, right, bottom in boxes:
        rows = slice(max(0, int(top * scale)), max(0, int(bottom * scale)) + 1)
        columns = slice(max(0, int(left * scale)), max(0, int(right * scale)) + 1)
        part = picture[rows, columns].reshape(-1, picture.shape[2]).astype(int)
        found.append(bool(part.size) and bool((part.max(axis=0) - part.min(axis=0)).max() < _SAME))
    return found
