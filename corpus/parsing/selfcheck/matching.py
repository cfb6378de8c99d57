"""Find printed words in a text, in order and whole. Pure; texts are `plain_texts`."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import accumulate, pairwise
from statistics import median

from corpus.parsing.geometry import height, middle, upright
from corpus.parsing.selfcheck.printed import without_hyphens
from corpus.parsing.types import Box

_MAX_WORK = 4_000_000  # letters times letters: those of a page of text in one line


@dataclass(frozen=True)
class Match:
    """Where each printed word begins in a text, None if not found.

    `unprinted` counts the words of the text that are not printed.
    """

    places: tuple[int | None, ...]
    unprinted: int

    @property
    def found(self) -> int:
        return sum(place is not None for place in self.places)


def match_words(printed: Sequence[str], text: str) -> Match:
    """Align printed words with a text letter by letter, blanks aside; only whole words count.

    A word is whole if no letter next to it in the text belongs to the same word without being
    printed: 5 is not found in 25. Hyphens and blanks may divide a word differently. Very long texts
    are aligned word by word.
    """
    words, wanted = without_hyphens(printed), without_hyphens(text.split())
    letters, own = "".join(words), "".join(wanted)
    edges = list(accumulate(map(len, words), initial=0))
    if letters == own:
        return Match(tuple(edges[:-1]), 0)
    if len(letters) * len(own) > _MAX_WORK:  # whole words, since letters would take seconds
        same = SequenceMatcher(None, words, wanted, autojunk=False).get_matching_blocks()
        places = {b.a + offset: b.b + offset for b in same for offset in range(b.size)}
        return Match(tuple(map(places.get, range(len(words)))), len(wanted) - len(places))
    blocks = SequenceMatcher(None, letters, own, autojunk=False).get_matching_blocks()
    ends = list(accumulate(map(len, wanted), initial=0))
    there = _whole([(b.a, b.b, b.size) for b in blocks], edges, set(ends))
    back = _whole([(b.b, b.a, b.size) for b in blocks], ends, set(edges))
    lost = sum(place is None for place, word in zip(back, wanted, strict=True) if word)
    return Match(tuple(there), lost)


def _whole(
    blocks: Sequence[tuple[int, int, int]], edges: Sequence[int], others: set[int]
) -> list[int | None]:
    """Return where each word (between two `edges`) begins in the other text; None if not whole."""
    starts: list[int | None] = []
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
        starts.append(place if end == start or (is_inside and not is_cut) else None)
    return starts


def in_order(places: Sequence[int]) -> int:
    """Return the length of the longest rising subsequence of distinct `places`.

    By patience sorting.
    """
    tops: list[int] = []
    for place in places:
        at = bisect_left(tops, place)
        tops[at : at + 1] = [place]
    return len(tops)


_COLUMN_GAP = 2.0  # heights of a word, between columns; words are half a height apart
_COLUMN_ROWS = 3
_ROW = 0.8  # heights of a word: a word further down is in another row

Boxes = Mapping[int, Box]


def by_place(boxes: Boxes) -> list[int]:
    """Return words in reading order: columns one by one, rows from the top down."""
    if len(boxes) < 2:
        return list(boxes)
    size = median(map(height, boxes.values())) or 1.0
    ordered = sorted(boxes, key=lambda word: (boxes[word][0], word))
    reaches = accumulate((boxes[word][2] for word in ordered), max)
    for index, reach in enumerate(reaches, start=1):
        if index == len(ordered) or boxes[ordered[index]][0] - reach <= _COLUMN_GAP * size:
            continue  # no white strip runs through all rows after this word
        upper = set(ordered[:index])
        sides = [
            {word: box for word, box in boxes.items() if (word in upper) is is_left}
            for is_left in (True, False)
        ]
        if all(len(_rows(side, size)) >= _COLUMN_ROWS for side in sides):
            return [word for side in sides for word in by_place(side)]
    rows = _rows(boxes, size)
    return [word for row in rows for word in sorted(row, key=lambda word: boxes[word][0])]


def uprighted(boxes: Boxes, lines: Sequence[Sequence[int]]) -> Boxes:
    """Return boxes in a frame in which the words of `lines` run from left to right."""
    steps = [
        (after[0] - before[0], after[1] - before[1])
        for points in ([middle(boxes[word]) for word in line] for line in lines)
        for before, after in pairwise(points)
    ]
    right, down = (sum(step[side] for step in steps) for side in (0, 1))
    across, along = (0 if right >= 0 else 180), (90 if down > 0 else 270)
    turn = across if abs(right) >= abs(down) else along
    return {word: upright(box, (0.0, 0.0), turn) for word, box in boxes.items()}


def _rows(boxes: Boxes, size: float) -> list[list[int]]:
    rows: list[list[int]] = []
    anchor = 0.0
    for y, word in sorted((middle(box)[1], word) for word, box in boxes.items()):
        if not rows or y - anchor > _ROW * size:
            rows.append([])
            anchor = y
        rows[-1].append(word)
    return rows
