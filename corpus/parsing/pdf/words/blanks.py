"""Tell blanks from the gaps between letters, where a font prints none. Pure.

Some programs print no blanks, and set each word where it belongs. The gaps of a font's text are
then of two kinds: nearly none within words, and wide ones between them. They are told apart by the
widest step between the two, and not at all where there is no clear one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from statistics import median

import numpy as np

from corpus.parsing.geometry import height, overlap
from corpus.parsing.layout.runs import TOUCHING
from corpus.parsing.pdf.characters import ADDED, PRINTED, Character

Font = tuple[str, float]
_LINE = 1.0  # font heights: a wider gap is one between cells or columns
_MIN_GAPS = 30  # of a font, to know its kinds of gaps
_NARROW, _WIDE = 0.03, 0.28  # font heights above the usual gap between which the step must lie
_MIN_STEP = 0.04  # font heights
_SHARES = (0.05, 0.4)  # of gaps that are blanks: words have 2 to 20 letters
_OVERLAID = -0.1  # font heights: letters' boxes that overlap so far are wider than the letters
_MIN_OVERLAID = 4  # of a text object
_IN_NUMBER = frozenset("0123456789.,:/-\u2013\u2212\u00d7")


def with_blanks(given: Iterable[Character | str]) -> list[Character | str]:
    """Return characters and blanks, with blanks for the wide gaps of fonts that print none.

    No blank is put into a number. Boxes that are wider than their letters are cut.
    """
    found = _cut(list(given))
    unspaced = _unspaced(found)
    if not unspaced:
        return found
    gaps: dict[Font, list[float]] = {}
    before: Character | str = PRINTED
    for each in found:
        if isinstance(each, str):
            before = before if each is ADDED else each
            continue
        if id(each.font) in unspaced and (gap := _gap(before, each)) is not None:
            gaps.setdefault(_font(each), []).append(gap)
        before = each
    least = {
        font: step
        for font, each in gaps.items()
        if len(each) >= _MIN_GAPS and (step := _step(each)) is not None
    }
    return list(_parted(found, least)) if least else found


def _unspaced(found: Sequence[Character | str]) -> set[int]:
    """Return the ids of the fonts, as of text objects, that print no blank, and much else."""
    fonts = {id(each.font): each.font for each in found if not isinstance(each, str)}
    spaced = {
        (before.font.name, round(before.font.size, 1))
        for before, each in pairwise(found)
        if each is PRINTED and not isinstance(before, str)
    }
    return {at for at, font in fonts.items() if (font.name, round(font.size, 1)) not in spaced}


def _parted(
    given: Sequence[Character | str], least: dict[Font, float]
) -> Iterator[Character | str]:
    before: Character | str = PRINTED
    for each in given:
        gap = None if isinstance(each, str) else _gap(before, each)
        if gap is not None and not isinstance(each, str) and not isinstance(before, str):
            is_number = before.text in _IN_NUMBER and each.text in _IN_NUMBER
            if gap > least.get(_font(each), gap) and not is_number:
                # A wider one is no proof of a blank: cells of a row may stand as near.
                yield PRINTED if gap < TOUCHING else ADDED
        yield each
        before = before if each is ADDED else each


def _cut(given: list[Character | str]) -> list[Character | str]:
    """Return characters with the boxes of those text objects cut in which all overlap alike."""
    chars = [each for each in given if not isinstance(each, str)]
    sides = np.array([(char.box[0], char.box[2], char.font.size) for char in chars] or [(0, 0, 1)])
    left, right, size = sides.T
    over = left[1:] - right[:-1] < _OVERLAID * size[1:]
    if np.count_nonzero(over) < _MIN_OVERLAID:
        return given
    suspects = {chars[at].font.place for at in np.flatnonzero(over)}
    gaps: dict[int, list[float]] = {}
    for before, each in pairwise(given):
        if isinstance(each, str) or isinstance(before, str) or before.box == each.box:
            continue
        if before.font.place == each.font.place and each.font.place in suspects:
            gap = (each.box[0] - before.box[2]) / each.font.size
            gaps.setdefault(each.font.place, []).append(gap)
    wide = {
        place: gap
        for place, each in gaps.items()
        if len(each) >= _MIN_OVERLAID and (gap := sorted(each)[len(each) // 2]) < _OVERLAID
    }
    if not wide:
        return given
    return [
        each
        if isinstance(each, str) or each.font.place not in wide
        else _narrowed(each, -wide[each.font.place] * each.font.size)
        for each in given
    ]


def _narrowed(char: Character, by: float) -> Character:
    left, top, right, bottom = char.box
    return replace(char, box=(left, top, max(right - by, (left + right) / 2), bottom))


def _font(char: Character) -> Font:
    return char.font.name, round(char.font.size, 1)


def _gap(before: Character | str, after: Character) -> float | None:
    """Return the gap between two characters of a line and font in font heights, else None."""
    size = after.font.size
    if isinstance(before, str) or before.font.name != after.font.name or before.box == after.box:
        return None
    shared = overlap(before.box[1], before.box[3], after.box[1], after.box[3])
    gap = (after.box[0] - before.box[2]) / size
    is_line = shared >= 0.6 * min(height(before.box), height(after.box)) and abs(gap) <= _LINE
    return gap if is_line and abs(before.base - after.base) < 0.1 * size else None


def _step(gaps: Sequence[float]) -> float | None:
    """Return the gap from which on it is a blank, in the widest step; None without a clear step.

    Narrow gaps are at most half as wide as wide ones, each measured from the usual gap.
    """
    usual = median(gaps)
    rising = sorted(max(gap - usual, 0.0) for gap in gaps)
    steps = [(b - a, a, b) for a, b in pairwise(rising) if b > _NARROW and a < _WIDE]
    if not steps:
        return None
    step, narrow, wide = max(steps)
    share = sum(gap >= wide for gap in rising) / len(rising)
    is_clear = step >= _MIN_STEP and narrow <= wide / 2
    is_text = _SHARES[0] <= share <= _SHARES[1]
    return usual + (narrow + wide) / 2 if is_clear and is_text else None
