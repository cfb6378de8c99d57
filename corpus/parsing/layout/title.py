"""A document's title: what its first page prints large, its metadata confirm, and it is about."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from statistics import median

from corpus.parsing.layout.paragraphs import Group
from corpus.parsing.types import BlockKind, Doubt

TITLE_GUESSED = Doubt(
    "title_guessed",
    "This was taken for the document's title by its size alone. Check the title.",
)
_MAX_CHARS = 300
_LARGE = 0.5  # of the largest print on the page
_LARGER = 1.05  # times the usual print on it
_WORD = re.compile(r"[^\W\d_]{3,}")
_OFTEN = 3  # times: what a document says so often it is about
_SURE = 0.5  # share of words that metadata or the text confirm
_FULL = 6  # words: a shorter title says less


def find_title(pages: Sequence[Sequence[Group]], named: str) -> Group | None:
    """Return the group of the first page with text that is the title; None where there is none.

    `named` is what the metadata say. Size counts half, as do the words that the other pages
    repeat; the words that the metadata have count whole, and a length of six words a third. Set on
    26 guidelines of 14 issuers; a doubt says where neither confirms it.
    """
    first = next((page for page in pages if page), [])
    groups = [group for group in first if _may_be_title(group, first, named)]
    if not groups:
        return None
    largest = max(_size(group) for group in groups)
    others = (group.text for page in pages for group in page if page is not first)
    told = Counter(word for text in others for word in _words(text))

    def repeated(group: Group) -> float:
        words = set(_words(group.text))
        return sum(told[word] >= _OFTEN for word in words) / len(words)

    def score(group: Group) -> float:
        length = min(len(_words(group.text)), _FULL) / _FULL
        said = _shared(group, named) + 0.5 * repeated(group)
        return round(0.5 * _size(group) / largest + said + 0.3 * length, 6)

    best = max(groups, key=lambda group: (score(group), -group.lines[0].box[1]))
    alone = best.kind is BlockKind.HEADING and sum(_size(g) >= _size(best) for g in groups) == 1
    if not alone and max(_shared(best, named), repeated(best)) < _SURE:
        best.doubts.append(TITLE_GUESSED)
    return best


def _may_be_title(group: Group, page: Sequence[Group], named: str) -> bool:
    """Tell a heading, or words that are larger than the page's text or that the metadata have."""
    if len(set(_words(group.text))) < 2 or len(group.text) > _MAX_CHARS or group.stands_alone:
        return False
    if _size(group) < _LARGE * max(_size(other) for other in page):
        return False
    if group.kind is BlockKind.HEADING:
        return True
    usual = median(_size(other) for other in page)
    is_larger = _size(group) > _LARGER * usual or len(page) == 1 == len(group.lines)
    return group.kind is BlockKind.PARAGRAPH and (is_larger or _shared(group, named) >= _SURE)


def _shared(group: Group, named: str) -> float:
    """Return how much a group's words and those of the metadata are the same, in [0, 1]."""
    words, own = set(_words(group.text)), set(_words(named))
    return 2 * len(words & own) / (len(words) + len(own))


def _size(group: Group) -> float:
    return max(line.size for line in group.lines)


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())
