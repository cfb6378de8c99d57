"""Find signs before numbers that one font draws in two shapes but names alike.

A font may map ≥ and ≤, or ≥ and 3, to one character. What was read can't tell them apart; what is
printed can, so the shapes of one character in one font are compared over the whole document.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

from corpus.parsing.clean import UNREADABLE
from corpus.parsing.geometry import Sign, height, union
from corpus.parsing.pdf.characters import Character
from corpus.parsing.types import Box

_SCALE = 4.0  # pixels a point: a sign of 10 points has 20 pixels or more
_LONGEST = 4_000  # pixels of a picture
_AROUND = 3  # pixels around a sign, which show its ground
_SIDE = 16  # pixels of a shape
_MIN_INK = 48  # of 255, over the ground
_DIFFERENT = 0.41  # of the ink of both: prints of one glyph differ by 0.36 at most, ≥ and ≤ by 0.46
_BLANK = 0.17  # font heights; a wider gap is a blank
_REACH = 1.0  # font heights from a sign to its number
_ODD = 0.04  # of a font height
_COMMON = frozenset("()[]{}.,;:/\\-–—−•·*†‡§_…'’|")  # which no bound is mistaken for
_MAX_SIGNS = 200  # of a page


def signs_of(page: Any, pieces: Sequence[Sequence[Character]]) -> tuple[Sign, ...]:
    """Return the signs before numbers on a page, and a digit like each that stands alone."""
    upright = [char for piece in pieces for char in piece if char.font.turn == 0]
    signs = (*_before_numbers(upright), *_odd_digits(upright))
    found = list({id(char): char for char in signs}.values())[:_MAX_SIGNS]
    if not found:
        return ()
    alone = {(char.font.name, char.text) for char in found if char.text.isdigit()}
    told = set(map(id, found))
    for char in upright if alone else ():
        if (char.font.name, char.text) in alone and id(char) not in told:
            alone.discard((char.font.name, char.text))
            found.append(char)
    picture, place = _picture(page, [char.ink or char.box for char in found])
    return tuple(
        Sign(
            char.font.name,
            char.text,
            char.box,
            _shape(picture[place(char.ink or char.box)]),
            id(char) in told,
        )
        for char in found
    )


def _before_numbers(characters: Sequence[Character]) -> Iterator[Character]:
    """Yield signs right before a digit, and digits that stand alone before a number."""
    for at, (one, other) in enumerate(pairwise(characters)):
        gap = (other.box[0] - one.box[2]) / one.font.size
        level = abs(one.base - other.base) < 0.3 * one.font.size
        if not (one.font.name and level and other.text.isdigit() and -0.5 < gap < _REACH):
            continue
        if one.text.isdigit():
            before = characters[at - 1] if at else one
            if gap > _BLANK and not 0 <= one.box[0] - before.box[2] < _BLANK * one.font.size:
                yield one
        elif not (one.text.isalpha() or one.text in _COMMON or one.text == UNREADABLE):
            yield one


def _odd_digits(characters: Sequence[Character]) -> Iterator[Character]:
    """Yield digits whose ink is not as high as that of most of their like: `330` may be ≥30."""
    alike: dict[tuple[str, str], list[tuple[float, Character]]] = defaultdict(list)
    for char in characters:
        if char.font.name and char.text.isdigit() and char.ink:
            alike[char.font.name, char.text].append((height(char.ink) / char.font.size, char))
    for found in alike.values():
        usual = sorted(share for share, _ in found)[len(found) // 2]
        yield from (char for share, char in found if abs(share - usual) > _ODD)


def _picture(page: Any, boxes: Sequence[Box]) -> tuple[Any, Any]:
    """Render the part of a page around boxes in grey; return it and a function to find a box."""
    wide, tall = page.get_size()
    left, top, right, bottom = union(boxes)
    scale = min(_SCALE, _LONGEST / max(wide, tall))
    crop = tuple(max(0, math.floor(side) - 2) for side in (left, tall - bottom, wide - right, top))
    x, y = (math.ceil(crop[side] * scale) for side in (0, 3))
    picture = page.render(scale=scale, crop=crop, grayscale=True).to_numpy()
    picture = picture.reshape(picture.shape[:2])

    def span(start: float, end: float) -> slice:
        return slice(max(0, int(start) - _AROUND), max(0, int(end) + 1 + _AROUND))

    def place(box: Box) -> tuple[slice, slice]:
        left, top, right, bottom = (side * scale for side in box)
        return span(top - y, bottom - y), span(left - x, right - x)

    return picture, place


def _shape(pixels: Any) -> Any:
    """Return the ink of a sign, cut to its edges, on a square of 16 pixels."""
    import numpy  # heavy, so late
    from PIL import Image

    if min(pixels.shape) <= 2 * _AROUND:
        return None
    edges = (pixels[0], pixels[-1], pixels[:, 0], pixels[:, -1])
    ground = numpy.median(numpy.concatenate(edges))
    ink = numpy.abs(pixels[_AROUND:-_AROUND, _AROUND:-_AROUND].astype("float32") - ground)
    marked = ink > _MIN_INK
    if not marked.any():
        return None
    rows, columns = numpy.flatnonzero(marked.any(1)), numpy.flatnonzero(marked.any(0))
    ink = ink[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    square = Image.fromarray(ink / ink.max()).resize((_SIDE, _SIDE), Image.Resampling.BOX)
    return numpy.asarray(square)


def twofold(pages: Sequence[Sequence[Sign]]) -> list[list[Box]]:
    """Return for each page the boxes of signs whose character has two shapes in its font."""
    alike: dict[tuple[str, str], list[Sign]] = defaultdict(list)
    for sign in (sign for signs in pages for sign in signs):
        if sign.shape is not None:
            alike[sign.font, sign.text].append(sign)
    torn = {name for name, signs in alike.items() if _differ(signs)}
    return [[s.box for s in signs if s.is_before and (s.font, s.text) in torn] for signs in pages]


def _differ(signs: Sequence[Sign]) -> bool:
    first = signs[0].shape
    return any(distance(first, sign.shape) > _DIFFERENT for sign in signs[1:])


def distance(one: Any, other: Any) -> float:
    """Return how much two shapes differ, in [0, 1]: 0 is the same, 1 no ink in common.

    A thin stroke may be printed a pixel aside, so the least of nine shifts counts.
    """
    import numpy  # heavy, so late

    around = numpy.pad(other, 1)
    shifts = (
        around[down : down + _SIDE, right : right + _SIDE]
        for down in range(3)
        for right in range(3)
    )
    return min(float(numpy.abs(one - moved).sum() / (one + moved).sum()) for moved in shifts)
