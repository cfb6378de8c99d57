"""Drop the copies of characters that are painted twice, for weight or as a shadow.

A copy is the same character of the same font, painted by another text object at nearly the same
place. Two digits that follow each other (`11`) are apart by the width of one, a copy by less than
half of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, islice

import numpy as np

from corpus.parsing.geometry import contains, middle, width
from corpus.parsing.pdf.characters import ADDED, Character, displayed
from corpus.parsing.types import Box

_ACROSS, _DOWN = 0.25, 0.13  # font heights between a character and its copy at most
_OF_WIDTH = 0.5  # of the character that a copy is shifted at most
_ALIKE = 0.04  # font heights by which shifts of one shadow differ at most
_BESIDE = 6.0  # font heights between a narrow letter and one whose shift is sure
_BAND = 12.0  # points
_CELL = 2 * _ACROSS  # so that both are in one cell of at least one of four grids
_MOST_SHIFTS = 6  # of a text object
_MIN_ALIKE = 3  # characters, where each is a text object of its own
_MOST = 40  # characters of a cell that are compared


@dataclass(frozen=True, slots=True)
class _Pair:
    """A character and what may be its copy, with their indexes in the order of the file."""

    first: int
    second: int
    char: Character
    other: Character

    @property
    def across(self) -> float:
        return self.other.box[0] - self.char.box[0]

    @property
    def down(self) -> float:
        return self.other.base - self.char.base

    @property
    def is_sure(self) -> bool:
        """Whether the two are too near to stand beside each other."""
        return abs(self.across) <= _OF_WIDTH * width(self.char.box)

    def is_alike(self, other: _Pair) -> bool:
        """Tell whether two characters are shifted alike, as all those of a shadow."""
        most = _ALIKE * self.char.font.size
        down = abs(self.down - other.down)
        return abs(self.across - other.across) <= most and down <= most

    def is_beside(self, other: _Pair) -> bool:
        size = self.char.font.size
        across = abs(self.char.box[0] - other.char.box[0])
        return across <= _BESIDE * size and abs(self.char.base - other.char.base) <= size


def without_doubles(
    given: Iterable[Character | str], covers: Sequence[tuple[int, Box]], size: tuple[float, float]
) -> list[Character | str]:
    """Return characters and blanks without copies; of blanks beside a copy the width decides.

    `covers` are boxes on the displayed page, which has this `size`, with their places in the order
    of painting. Of two copies the first stays; if it was covered, or is perhaps not seen, it counts
    as painted with the second.
    """
    found = list(given)
    copies = _copies(found)
    if not copies:
        return found
    for pair in copies:
        at = middle(displayed([pair.char], size))
        font, later = pair.char.font, pair.other.font
        is_covered = any(
            font.place < place < later.place and contains(box, at) for place, box in covers
        )
        if is_covered or (font.suspect and not later.suspect):
            found[pair.first] = replace(pair.char, font=later)
    gone = {pair.second for pair in copies}
    beside = {at + step for at in gone for step in (-1, 1)}
    return [
        ADDED if isinstance(each, str) and at in beside else each
        for at, each in enumerate(found)
        if at not in gone
    ]


def _copies(found: Sequence[Character | str]) -> list[_Pair]:
    """Return the characters that have copies, each copy once.

    Letters of two lines that are printed over each other may coincide. So a text object is a copy
    only as a whole, its letters shifted alike; one letter only with others beside it.
    """
    pairs = sorted(_near(found), key=lambda pair: (pair.first, pair.second))
    if not pairs:
        return []
    objects: dict[int, set[int]] = {}
    for at, each in enumerate(found):
        if not isinstance(each, str) and each.text.isalnum():
            objects.setdefault(each.font.place, set()).add(at)
    by_object: dict[int, list[_Pair]] = {}
    by_band: dict[int, list[_Pair]] = {}
    for pair in pairs:
        by_object.setdefault(pair.other.font.place, []).append(pair)
        if pair.is_sure:
            by_band.setdefault(int(pair.char.base // _BAND), []).append(pair)
    taken: list[_Pair] = []
    for place, group in by_object.items():
        whole = objects.get(place, set())
        if len(whole) > 1:
            shifts = _shifts(group, by_band)
            fits = [pair for pair in group if any(pair.is_alike(shift) for shift in shifts)]
            taken += fits if whole <= {pair.second for pair in fits if _is_known(pair)} else []
        else:
            taken += [pair for pair in group if _is_among(pair, by_band)]
    gone: set[int] = set()
    copies = []
    for pair in sorted(taken, key=lambda pair: (pair.first, pair.second)):
        if not {pair.first, pair.second} & gone:
            gone.add(pair.second)
            copies.append(pair)
    return copies


def _shifts(pairs: Sequence[_Pair], by_band: dict[int, list[_Pair]]) -> list[_Pair]:
    """Return a pair for each shift that several surely have, here or beside."""
    shifts: list[tuple[_Pair, int]] = []
    for pair in pairs:
        at = next((i for i, each in enumerate(shifts) if pair.is_alike(each[0])), len(shifts))
        if pair.is_sure and at < len(shifts):
            shifts[at] = (shifts[at][0], shifts[at][1] + 1)
        elif pair.is_sure and at < _MOST_SHIFTS:
            shifts.append((pair, 1))
    return [pair for pair, count in shifts if count > 1 or _is_among(pair, by_band)]


def _is_known(pair: _Pair) -> bool:
    """Tell whether a character may be narrower than its shift: not a digit, `11` is a number."""
    return pair.is_sure or not pair.char.text.isdigit()


def _is_among(pair: _Pair, by_band: dict[int, list[_Pair]]) -> bool:
    """Tell whether a character stands among others that are shifted as it is."""
    near = by_band.get(int(pair.char.base // _BAND), ())
    alike = (1 for other in near if pair.is_alike(other) and pair.is_beside(other))
    return _is_known(pair) and len(list(islice(alike, _MIN_ALIKE))) == _MIN_ALIKE


def _near(found: Sequence[Character | str]) -> Iterator[_Pair]:
    """Yield pairs of the same character that are hardly apart."""
    at = [index for index, each in enumerate(found) if not isinstance(each, str)]
    chars = [each for each in found if not isinstance(each, str)]
    if not chars:
        return
    cell = np.array([_CELL * char.font.size for char in chars])
    across = np.array([char.box[0] for char in chars]) / cell
    down = np.array([char.base for char in chars]) / cell
    signs = np.array([ord(char.text[0]) for char in chars], np.int64) << 40
    seen: set[tuple[int, int]] = set()
    for x, y in ((0.0, 0.0), (0.5, 0.0), (0.0, 0.5), (0.5, 0.5)):
        column, row = (np.floor(side).astype(np.int64) & 0xFFFFF for side in (across + x, down + y))
        keys = signs | (column << 20) | row
        order = np.argsort(keys, kind="stable")
        same = np.flatnonzero(np.diff(keys[order]) == 0)  # each pair's first
        first = np.flatnonzero(np.diff(same, prepend=-2) > 1)
        for start, last in zip(same[first], np.append(same[first[1:] - 1], same[-1:]), strict=True):
            end = min(last + 2, start + _MOST)
            for one, other in combinations(order[start:end].tolist(), 2):
                if (one, other) not in seen and _may_be_copy(chars[one], chars[other]):
                    seen.add((one, other))
                    yield _Pair(at[one], at[other], chars[one], chars[other])


def _may_be_copy(char: Character, other: Character) -> bool:
    font, of_other = char.font, other.font
    if font.place == of_other.place or char.text != other.text or font.turn != of_other.turn:
        return False
    if font.name != of_other.name or round(font.size, 1) != round(of_other.size, 1):
        return False
    across, down = other.box[0] - char.box[0], other.base - char.base
    return abs(across) <= _ACROSS * font.size and abs(down) <= _DOWN * font.size
