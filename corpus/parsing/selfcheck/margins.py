"""Which printed words no block has to hold: running headers and footers.

The layout engine names what it left out on purpose in `Page.dropped`. For a document in which it
named nothing, what repeats in the margins at the same height is taken for that.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from corpus.parsing.layout.geometry import contains, middle
from corpus.parsing.selfcheck.printed import PrintedWord
from corpus.parsing.types import Page

_MARGIN = 0.12  # of the page's height, at the top and at the bottom
_SIDE = 0.06  # of its width, at the left and at the right
_STEP = 6.0  # points: what stands that near is at the same height
_NUMBER = re.compile(r"\d+")

Key = tuple[str, int]


def dropped_words(
    pages: Sequence[Page], printed: Sequence[Sequence[PrintedWord]]
) -> list[set[int]]:
    """Return for each page the indexes of its words that were left out on purpose."""
    if any(page.dropped for page in pages):
        return [_in_boxes(page, words) for page, words in zip(pages, printed, strict=True)]
    keys = [
        {n: _key(word) for n, word in enumerate(words) if _is_outer(word, page)}
        for page, words in zip(pages, printed, strict=True)
    ]
    pages_with = Counter(key for page in keys for key in set(page.values()))
    enough = max(2, len(pages) // 3)
    return [{n for n, key in page.items() if pages_with[key] >= enough} for page in keys]


def _in_boxes(page: Page, words: Sequence[PrintedWord]) -> set[int]:
    return {
        n
        for n, word in enumerate(words)
        if any(contains(box, middle(word.box), margin=0.5) for box in page.dropped)
    }


def _is_outer(word: PrintedWord, page: Page) -> bool:
    x, y = middle(word.box)
    is_inner = _SIDE * page.width <= x <= (1 - _SIDE) * page.width
    return not (is_inner and _MARGIN * page.height <= y <= (1 - _MARGIN) * page.height)


def _key(word: PrintedWord) -> Key:
    """A word and its height; figures count pages, so that any is as good as another."""
    return _NUMBER.sub("#", word.text.casefold()), round(middle(word.box)[1] / _STEP)
