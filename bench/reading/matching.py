"""Match the blocks and cells that a reader found with the true ones. Pure."""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from bench.reading.types import Block, Cell
from bench.reading.words import Words

Pair = tuple[int, int]  # indexes of a true text and of one that was read
_WORDS_FOR_ONE_SLIP = 10


def nearly_same(one: Words, other: Words) -> bool:
    """Tell whether at most one word in ten was added, lost or changed (Levenshtein distance)."""
    allowed = max(len(one), len(other)) // _WORDS_FOR_ONE_SLIP
    if one == other or abs(len(one) - len(other)) > allowed:
        return one == other
    return _distance(one, other) <= allowed


def same_item(one: Words, other: Words) -> bool:
    """Tell whether two list items are nearly the same, with equal first and last words.

    The ends must agree because a short item joined to a long one, or a cut-off end, is a real
    error.
    """
    return one[:1] == other[:1] and one[-1:] == other[-1:] and nearly_same(one, other)


def pair_off(
    true: Sequence[Words], said: Sequence[Words], same: Callable[[Words, Words], bool]
) -> list[Pair]:
    """Pair each true text with one that was read: equal ones first, then those that are the `same`.

    Each text is in at most one pair; texts are paired in page order.
    """
    found: dict[int, int] = {}
    used: set[int] = set()
    for alike in (operator.eq, same):
        for place, words in enumerate(true):
            partners = (at for at, read in enumerate(said) if at not in used and alike(words, read))
            at = next(partners, None) if place not in found else None
            if at is not None:
                found[place] = at
                used.add(at)
    return sorted(found.items())


def is_within(part: Words, whole: Words) -> bool:
    """Tell whether `part` is a run of words in `whole`, or nearly all of it."""
    starts = range(len(whole) - len(part) + 1)
    return nearly_same(part, whole) or any(whole[at : at + len(part)] == part for at in starts)


def pair_tables(true: Sequence[Block], said: Sequence[Block]) -> list[Pair]:
    """Pair tables by the number of words they share, most first; each is in at most one pair."""
    shared = [
        (-sum((Counter(one.words) & Counter(other.words)).values()), place, at)
        for place, one in enumerate(true)
        for at, other in enumerate(said)
    ]
    return sorted(_first_of_each(sorted(one for one in shared if one[0])))


def same_cells(true: Sequence[Cell], said: Sequence[Cell]) -> int:
    """Count the true cells whose words are in the same row and column of the other table."""
    read = {(cell.row, cell.column): cell.words for cell in said}
    return sum(read.get((cell.row, cell.column)) == cell.words for cell in true)


def _first_of_each(pairs: Sequence[tuple[int, int, int]]) -> Iterator[Pair]:
    places: set[int] = set()
    others: set[int] = set()
    for _, place, at in pairs:
        if place not in places and at not in others:
            places.add(place)
            others.add(at)
            yield place, at


def _distance(one: Words, other: Words) -> int:
    """Return the Levenshtein distance (1966) between two texts, in words."""
    row = list(range(len(other) + 1))
    for i, word in enumerate(one, start=1):
        before, row = row, [i]
        for j, read in enumerate(other, start=1):
            row.append(min(before[j] + 1, row[-1] + 1, before[j - 1] + (word != read)))
    return row[-1]
