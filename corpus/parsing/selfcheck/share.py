"""Count the words of a page that are found in the boxes of its blocks. Pure.

A word is found if it is in the box of a line or cell whose text has it whole, in the order of that
text, and in order with the other lines of the block. The share of a page is

    found / (printed + max(0, unprinted - (printed - found)))

where `unprinted` counts the words of the text that are not in its boxes. So a word lost, a word
added and a word read otherwise weigh the same, and they don't offset each other.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from itertools import groupby

from corpus.parsing.doubts.grades import denials
from corpus.parsing.selfcheck.areas import Area, areas_of, row_faults, unboxed, words_by_area
from corpus.parsing.selfcheck.matching import Match, by_place, in_order, match_words, uprighted
from corpus.parsing.selfcheck.printed import PrintedWord
from corpus.parsing.types import Page, WordsFound

_BULLETS = frozenset(
    "-*\u00b7\u2022\u2023\u2043\u2219\u25a0\u25a1\u25aa\u25ab\u25b6\u25ba\u25cb\u25cf\u25e6\u2756\u27a2"
)
_TABLE_ORDER = 0.8  # of its words; true tables of published guidelines have 0.83 and more
_is_bullet = _BULLETS.issuperset
_is_leader = frozenset("._\u00b7").issuperset

Printed = Sequence[PrintedWord]


@dataclass(frozen=True)
class _Held:
    """An area, the words in it in the order of the file, and how they match its text."""

    area: Area
    words: tuple[int, ...]
    read: tuple[int, ...]  # the words in the order that fits the text best
    match: Match

    @property
    def found(self) -> list[int]:
        """The indexes of the words found, in the order of the text."""
        pairs = zip(self.read, self.match.places, strict=True)
        placed = [(place, word) for word, place in pairs if place is not None]
        return [word for _, word in sorted(placed)]


def words_found(page: Page, printed: Printed, dropped: Set[int] = frozenset()) -> WordsFound:
    """Compare a page with its printed words; `dropped` are indexes of those left out on purpose.

    Leaders do not count as words, nor do bullets outside tables.
    """
    areas = areas_of(page)
    held = [
        _held(area, words, printed)
        for area, words in zip(areas, words_by_area(areas, printed), strict=True)
    ]
    inside = {word for part in held for word in part.words}
    loose = [w.text for n, w in enumerate(printed) if n not in inside and n not in dropped]
    count = sum(not _is_leader(text) and not _is_bullet(text) for text in loose)
    count += sum(len(part.read) for part in held)
    lost, unprinted = row_faults(page, areas)
    unprinted += len(unboxed(page)) + sum(part.match.unprinted for part in held)
    whole = [part for index, part in enumerate(held) if index not in lost]
    blocks = groupby(whole, key=lambda part: part.area.block)
    in_place = sum(_in_order(list(block), printed) for _, block in blocks)
    return WordsFound(in_place, count + max(0, unprinted - (count - in_place)))


def values_lost(printed: str, read: str) -> int:
    """Count the numbers and negations that are printed more often than they were read."""
    return (Counter(_values(printed)) - Counter(_values(read))).total()


def _values(text: str) -> Iterator[str]:
    yield from re.findall(r"\d+", text)
    yield from denials(text)


def _held(area: Area, words: Sequence[int], printed: Printed) -> _Held:
    """Match an area's text with its words, in the order of the file or, if better, of the page."""
    own = [word for word in words if not _is_leader(printed[word].text)]
    text = " ".join(word for word in area.text.split() if not _is_leader(word))
    if not area.is_cell:
        own = own[1:] if own and _is_bullet(printed[own[0]].text) else own
        first, _, rest = text.partition(" ")
        text = rest if _is_bullet(first) else text
    match = match_words([printed[word].text for word in own], text)
    if match.found < len(own):
        placed = by_place({word: printed[word].box for word in own})
        other = match_words([printed[word].text for word in placed], text)
        if other.found > match.found:
            own, match = placed, other
    return _Held(area, tuple(words), tuple(own), match)


def _in_order(block: Sequence[_Held], printed: Printed) -> int:
    """Count the words of a block that were found in order: that of the file, or of the page.

    A table may draw some of its cells out of order, but not most: otherwise its rows run across
    columns of text, or across the lines of its cells.
    """
    lines = [part.found for part in block]
    places = [word for line in lines for word in line]
    best = in_order(places)
    if block[0].area.is_cell:
        return len(places) if best >= _TABLE_ORDER * len(places) else best
    if best < len(places):
        boxes = uprighted({word: printed[word].box for word in places}, lines)
        rank = {word: place for place, word in enumerate(by_place(boxes))}
        best = max(best, in_order([rank[word] for word in places]))
    return best
