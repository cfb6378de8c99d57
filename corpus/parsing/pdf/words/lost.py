"""Find the texts of a page of which PDFium gives no character.

A file may not say which characters it paints. What is lost is marked, so that `≤ 50` does not
vanish between its neighbours; a comparison that stands alone is read by its print.
"""

from __future__ import annotations

import ctypes
import itertools
from collections.abc import Container, Sequence
from typing import Any

import pypdfium2.raw as raw

from corpus.parsing.clean import UNREADABLE
from corpus.parsing.geometry import Word, height, width
from corpus.parsing.pdf.characters import UNPAINTED
from corpus.parsing.pdf.drawings import Frame, Painted, bounds
from corpus.parsing.pdf.misnamed import is_other_comparison, printed_sign
from corpus.parsing.pdf.signs import Prints, ink_of, picture_of
from corpus.parsing.types import Box

_MIN_PAINTED = 0.1  # points; a blank has no height, and the dash of the smallest print has 0.4
_STRIP = 12.0  # points; wider than a text is from its copy
_SHADOW = 0.1  # font heights from a sign to a copy that PDFium leaves out
_SURE = frozenset("≤≥±")  # `<` may be the head of an arrow, and `>` a bullet
_LEVEL = 0.01  # of a matrix: what is turned or mirrored by more may be another sign


def lost_signs(
    page: Any, painted: Sequence[Painted], frame: Frame, read: Container[int]
) -> list[Word]:
    """Return a word for each painted text object of which PDFium gave no character.

    It is a comparison where its print can be nothing else, and a mark elsewhere. A text painted
    twice, for weight or a shadow, is given once by PDFium and gets none. `read` are the addresses
    of the objects with characters.
    """
    lost = list(_lost(painted, frame, read))
    if not lost:
        return []
    picture, place = picture_of(page, [box for _, box in lost])
    words = []
    for text, box in lost:
        ink = ink_of(picture[place(box)]) if picture.size and _is_level(text, frame) else None
        words.append(Word(_comparison(ink) or UNREADABLE, box, height(box)))
    return words


def count_read(prints: Prints, number: int, words: Sequence[Word]) -> None:
    """Count the lost signs of a page that were read by their print, once all pages were seen."""
    for word in (word for word in words if word.text != UNREADABLE):
        if prints.is_known:
            prints.mended[UNREADABLE, word.text] += 1
        else:
            prints.pages.add(number)


def _comparison(ink: Any) -> str:
    """Return the comparison that a print is by both ways to tell it; empty if there is doubt."""
    sign = printed_sign(ink) if ink is not None else ""
    return sign if sign in _SURE and not is_other_comparison(sign, ink) else ""


def _lost(
    painted: Sequence[Painted], frame: Frame, read: Container[int]
) -> list[tuple[Painted, Box]]:
    texts = [text for text in painted if text.kind == raw.FPDF_PAGEOBJ_TEXT]
    lost = [text for text in texts if text.address not in read and _is_painted(text)]
    if not lost:
        return []
    known: dict[int, list[Box]] = {}
    for text in texts:
        if text.address in read and (box := bounds(text.handle, text.place, frame)):
            known.setdefault(int(box[0] // _STRIP), []).append(box)
    found = []
    for text in lost:
        box = bounds(text.handle, text.place, frame)
        if not box or min(width(box), height(box)) < _MIN_PAINTED:
            continue
        strip = int(box[0] // _STRIP)
        near = itertools.chain(*(known.get(strip + step, ()) for step in (-1, 0, 1)))
        least = _SHADOW * _font_size(text)
        if not any(_is_twice(box, other, least) for other in near):
            found.append((text, box))
    return found


def _is_painted(text: Painted) -> bool:
    return raw.FPDFTextObj_GetTextRenderMode(text.handle) not in UNPAINTED


def _is_level(text: Painted, frame: Frame) -> bool:
    """Tell whether a text object stands upright on the displayed page."""
    own = raw.FS_MATRIX()
    raw.FPDFPageObj_GetMatrix(text.handle, own)
    return frame.turn == 0 and all(
        m.a > 0 and m.d > 0 and max(abs(m.b), abs(m.c)) <= _LEVEL * m.a for m in (own, text.place)
    )


def _font_size(text: Painted) -> float:
    """Return the height of a text object's font on the page; 0 if PDFium gives none."""
    size, matrix = ctypes.c_float(), raw.FS_MATRIX()
    if not raw.FPDFTextObj_GetFontSize(text.handle, size):
        return 0.0
    raw.FPDFPageObj_GetMatrix(text.handle, matrix)
    own, outer = (abs(m.a * m.d - m.b * m.c) ** 0.5 for m in (matrix, text.place))
    return float(size.value * own * outer)


def _is_twice(box: Box, other: Box, least: float) -> bool:
    """Tell whether two boxes are those of one text painted twice, hardly apart.

    The boxes of small signs may always be `least` apart: PDFium leaves out no sign that is further
    from its copy.
    """
    alike = abs(width(box) - width(other)) < 0.1 and abs(height(box) - height(other)) < 0.1
    near = max(0.3 * min(width(box), height(box)), least)
    return alike and max(abs(box[0] - other[0]), abs(box[1] - other[1])) <= near
