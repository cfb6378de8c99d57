"""Which printed words stand in a text, in order and whole. Pure; texts are `plain_texts`."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import accumulate, pairwise

from corpus.parsing.selfcheck.plain import without_hyphens

_MAX_WORK = 4_000_000  # letters of one times letters of the other: a page of text in one line


@dataclass(frozen=True)
class Match:
    """`places`: where in the text each printed word begins, None where it is not found there.
    `unprinted`: words of the text that are not printed."""

    places: tuple[int | None, ...]
    unprinted: int

    @property
    def found(self) -> int:
        return sum(place is not None for place in self.places)


def match_words(printed: Sequence[str], text: str) -> Match:
    """Align two readings letter by letter, blanks left aside; a word counts when it is whole.

    Whole: no letter of the text beside it belongs to it and is printed otherwise, so that 5 is not
    found in 25. Divided by a hyphen or parted by blanks in another way it is still the same.
    """
    words, wanted = without_hyphens(printed), without_hyphens(text.split())
    letters, own = "".join(words), "".join(wanted)
    edges = list(accumulate(map(len, words), initial=0))
    if letters == own:
        return Match(tuple(edges[:-1]), 0)
    if len(letters) * len(own) > _MAX_WORK:
        return _by_words(words, wanted)
    blocks = SequenceMatcher(None, letters, own, autojunk=False).get_matching_blocks()
    ends = list(accumulate(map(len, wanted), initial=0))
    there = _whole([(b.a, b.b, b.size) for b in blocks], edges, set(ends))
    back = _whole([(b.b, b.a, b.size) for b in blocks], ends, set(edges))
    lost = sum(place is None for place, word in zip(back, wanted, strict=True) if word)
    return Match(tuple(there), lost)


def _whole(
    blocks: Sequence[tuple[int, int, int]], edges: Sequence[int], others: set[int]
) -> list[int | None]:
    """Return where each word (between two `edges`) lies in the other text, None if not whole."""
    found: list[int | None] = []
    at = 0
    for start, end in pairwise(edges):
        while at < len(blocks) - 1 and blocks[at][0] + blocks[at][2] < max(end, start + 1):
            at += 1
        begin, other, size = blocks[at]
        place = other + start - begin
        is_inside = begin <= start and end <= begin + size
        is_cut = (start == begin and place not in others) or (
            end == begin + size and place + end - start not in others
        )
        found.append(place if end == start or (is_inside and not is_cut) else None)
    return found


def _by_words(words: Sequence[str], wanted: Sequence[str]) -> Match:
    """Compare whole words: for texts so long that letters would take seconds."""
    blocks = SequenceMatcher(None, words, wanted, autojunk=False).get_matching_blocks()
    places: list[int | None] = [None] * len(words)
    for block in blocks:
        for offset in range(block.size):
            places[block.a + offset] = block.b + offset
    return Match(tuple(places), len(wanted) - sum(block.size for block in blocks))


def in_order(places: Sequence[int]) -> int:
    """Return the length of the longest part of distinct `places` that rises (patience sorting)."""
    tops: list[int] = []
    for place in places:
        at = bisect_left(tops, place)
        tops[at : at + 1] = [place]
    return len(tops)
