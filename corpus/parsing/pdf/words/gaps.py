"""Find the signs that a file names as blanks.

A font may name one of its digits as a blank. PDFium then gives one blank for the two, and `6, 9,
12` is read as `6, , 12`: the digit is told only by the ink in a gap that should be empty.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from corpus.parsing.clean import UNREADABLE
from corpus.parsing.geometry import contains, middle, width
from corpus.parsing.pdf.characters import PRINTED, Character, displayed
from corpus.parsing.pdf.signs import MIN_INK, picture_of
from corpus.parsing.types import Box

# Font heights. A blank has 0.2 to 0.3, in justified text often more; a digit has 0.5 beside it.
_GAP, _WIDEST = 0.4, 2.0
_EDGE = 0.06  # beside a letter, where it may reach out of its box
_ABOVE, _BELOW = 0.85, 0.12  # the baseline, where a sign is looked for
_HIGH, _WIDE = 0.3, 0.12  # the least ink of a sign; rules and underlines are lower
_TOUCHING = 0.15  # between a sign and the letter that it belongs to


@dataclass(frozen=True)
class _Gap:
    """A gap with a printed blank within one text object; `at` is the index of what follows it."""

    at: int
    before: Character
    after: Character

    @property
    def size(self) -> float:
        return self.after.font.size

    def sign(self, left: float, right: float) -> Character:
        """Return a sign that can't be read, between these edges."""
        base = self.after.base
        box = (left, base - _ABOVE * self.size, right, base + _BELOW * self.size)
        return replace(self.after, text=UNREADABLE, box=box, is_mapped=False, ink=None)


def with_unnamed(
    page: Any, given: Sequence[Character | str], size: tuple[float, float]
) -> list[Character | str]:
    """Return characters and blanks, with a mark for each sign that is read as a blank."""
    found = list(given)
    signs = dict(_signs(page, found, list(_gaps(found)), size))
    read: list[Character | str] = []
    for at, each in enumerate(found):
        if at in signs:
            gap, sign = signs[at]
            while read and isinstance(read[-1], str):
                read.pop()
            edge = _TOUCHING * gap.size
            read += [PRINTED] if sign.box[0] - gap.before.box[2] > edge else []
            read.append(sign)
            read += [PRINTED] if gap.after.box[0] - sign.box[2] > edge else []
        read.append(each)
    return read


def _gaps(found: Sequence[Character | str]) -> Iterator[_Gap]:
    """Yield the wide gaps that hold a blank of the file, between characters of one text object."""
    places = [at for at, each in enumerate(found) if not isinstance(each, str)]
    for first, at in pairwise(places):
        before, after = found[first], found[at]
        if isinstance(before, str) or isinstance(after, str) or PRINTED not in found[first:at]:
            continue
        share = (after.box[0] - before.box[2]) / after.font.size
        if before.font is after.font and after.font.turn >= 0 and _GAP < share < _WIDEST:
            yield _Gap(at, before, after)


def _signs(
    page: Any, found: Sequence[Character | str], gaps: Sequence[_Gap], size: tuple[float, float]
) -> Iterator[tuple[int, tuple[_Gap, Character]]]:
    """Yield the gaps with ink of their own, each with the sign there, by their places."""
    import numpy  # heavy, so late

    if not gaps:
        return
    inner = []
    for gap in gaps:
        edge = _EDGE * gap.size
        inner.append(gap.sign(gap.before.box[2] + edge, gap.after.box[0] - edge))
    boxes = [displayed([char], size) for char in inner]
    picture, place = picture_of(page, boxes, around=0)
    for gap, char, box in zip(gaps, inner, boxes, strict=True):
        pixels = numpy.rot90(picture[place(box)], char.font.turn // 90).astype("float32")
        if not pixels.size:
            continue
        marked = numpy.abs(pixels - numpy.median(pixels)) > MIN_INK
        sides = [numpy.flatnonzero(marked.any(side)) for side in (1, 0)]
        if not sides[0].size or any(map(_is_full, sides, marked.shape)):
            continue
        left, dot = char.box[0], width(char.box) / marked.shape[1]
        high, wide = (dot * float(ends[-1] + 1 - ends[0]) / gap.size for ends in sides)
        if high >= _HIGH and wide >= _WIDE and not _is_read(found, box, size):
            first, last = (float(sides[1][at]) for at in (0, -1))
            yield gap.at, (gap, gap.sign(left + dot * first, left + dot * (last + 1)))


def _is_full(inked: Any, pixels: int) -> bool:
    """Tell whether ink goes from edge to edge, as that of a rule or a picture does."""
    return bool(inked[0] == 0 and inked[-1] == pixels - 1)


def _is_read(found: Sequence[Character | str], box: Box, size: tuple[float, float]) -> bool:
    """Tell whether another character stands in a gap: it was printed there by another text."""
    chars = (each for each in found if not isinstance(each, str))
    return any(contains(box, middle(displayed([char], size))) for char in chars)
