"""Compare a page as read with the page as a person transcribed it. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import reduce

from bench.reading.matching import (
    is_within,
    nearly_same,
    pair_off,
    pair_tables,
    same_cells,
    same_item,
)
from bench.reading.placing import count_inverted, places_of
from bench.reading.types import Block, Kind, TruePage
from bench.reading.words import Words

Blocks = Sequence[Block]


@dataclass(frozen=True)
class Hits:
    """How many of the `true` items were `found` among those `said`. A share of none is 0."""

    found: int = 0
    true: int = 0
    said: int = 0

    def __add__(self, other: Hits) -> Hits:
        return Hits(self.found + other.found, self.true + other.true, self.said + other.said)

    @property
    def precision(self) -> float:
        return self.found / self.said if self.said else 0.0

    @property
    def recall(self) -> float:
        return self.found / self.true if self.true else 0.0


@dataclass(frozen=True)
class Score:
    """Counts of a page, or of several pages added up."""

    headings: Hits = Hits()
    items: Hits = Hits()
    cells: Hits = Hits()  # the same words in the same row and column of the same table
    words: Hits = Hits()
    boxed: int = 0  # boxes that were read as a block of their own
    boxes: int = 0
    placed: int = 0  # blocks that were located
    blocks: int = 0
    inverted: int = 0  # located pairs in the wrong order
    pairs: int = 0
    leaked: int = 0  # running headers and footers that were read as content
    dropped: int = 0  # running headers and footers in all

    @property
    def is_wrong(self) -> bool:
        """Whether a cell was read that is not there, or a cell or a word that is there was not."""
        cells, words = self.cells, self.words
        return cells.found < max(cells.true, cells.said) or words.found < words.true

    def __add__(self, other: Score) -> Score:
        return Score(*(getattr(self, name) + getattr(other, name) for name in vars(self)))


def total(scores: Iterable[Score]) -> Score:
    return reduce(Score.__add__, scores, Score())


def judge(page: TruePage, said: Blocks) -> Score:
    """Compare a true page with the blocks that a reader found on it."""
    boxes = [block.words for block in page.blocks if block.kind is Kind.BOX]
    texts = [block.words for block in said if block.kind is not Kind.TABLE]
    places = places_of(page.blocks, said)
    inverted, pairs = count_inverted(places)
    wanted, got = _words(page.blocks), _words(said)
    return Score(
        headings=_compare(page.blocks, said, Kind.HEADING, nearly_same),
        items=_compare(page.blocks, said, Kind.LIST_ITEM, same_item),
        cells=_compare_cells(page.blocks, said),
        words=Hits((wanted & got).total(), wanted.total(), got.total()),
        boxed=len(pair_off(boxes, texts, nearly_same)),
        boxes=len(boxes),
        placed=sum(place is not None for place in places),
        blocks=len(places),
        inverted=inverted,
        pairs=pairs,
        leaked=_leaked(page, said),
        dropped=len(page.dropped),
    )


def _compare(true: Blocks, said: Blocks, kind: Kind, same: Callable[[Words, Words], bool]) -> Hits:
    """Compare the blocks of a kind; a block that lies in a true box may be of any kind."""
    boxes = [block.words for block in true if block.kind is Kind.BOX]
    wanted = [block.words for block in true if block.kind is kind]
    got = [block.words for block in said if block.kind is kind]
    pairs = pair_off(wanted, got, same)
    good = {at for _, at in pairs}
    false = [
        at
        for at, words in enumerate(got)
        if at not in good and not any(is_within(words, box) for box in boxes)
    ]
    return Hits(len(pairs), len(wanted), len(pairs) + len(false))


def _compare_cells(true: Blocks, said: Blocks) -> Hits:
    wanted = [block for block in true if block.kind is Kind.TABLE]
    got = [block for block in said if block.kind is Kind.TABLE]
    found = [same_cells(wanted[n].cells, got[at].cells) for n, at in pair_tables(wanted, got)]
    counts = (sum(len(block.cells) for block in blocks) for blocks in (wanted, got))
    return Hits(sum(found), *counts)


def _leaked(page: TruePage, said: Blocks) -> int:
    """Count the running headers of which at least half the words were read as content.

    Only words beyond those of the true blocks count, each for one header.
    """
    left, found = _words(said) - _words(page.blocks), 0
    for words in page.dropped:
        shared = Counter(words) & left
        if 2 * shared.total() >= len(words):
            found += 1
            left -= shared
    return found


def _words(blocks: Blocks) -> Counter[str]:
    return Counter(word for block in blocks for word in block.words)
