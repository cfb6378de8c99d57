"""How well a page was read: what was found, what was made up, what was lost. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import reduce

from evaluation.reading.matching import (
    is_within,
    nearly_same,
    pair_off,
    pair_tables,
    same_cells,
    same_cells_anywhere,
    same_item,
)
from evaluation.reading.placing import count_inverted, places_of
from evaluation.reading.types import Block, Kind, TruePage
from evaluation.reading.words import Words

Blocks = Sequence[Block]


@dataclass(frozen=True)
class Hits:
    """How many of the `true` ones are among those that were `said`. Shares are 0 for none."""

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

    @property
    def f1(self) -> float:
        """Return 2PR / (P + R), which is found over the mean of true and said."""
        return 2 * self.found / (self.true + self.said) if self.true + self.said else 0.0


@dataclass(frozen=True)
class Score:
    """Of a page, or of several added up."""

    headings: Hits = Hits()
    items: Hits = Hits()
    cells: Hits = Hits()  # the same words in the same row and column of the same table
    cells_anywhere: Hits = Hits()  # in the same table
    words: Hits = Hits()
    inverted: int = 0  # pairs of blocks that stand in the other order
    pairs: int = 0
    leaked: int = 0  # running headers and footers that stand in the text
    dropped: int = 0  # those that there are

    def __add__(self, other: Score) -> Score:
        return Score(*(getattr(self, name) + getattr(other, name) for name in vars(self)))


@dataclass(frozen=True)
class Missed:
    """What a score counts as wrong: places in the truth, and places among the blocks read."""

    headings: tuple[int, ...]
    items: tuple[int, ...]
    cells: tuple[tuple[int, int, int], ...]  # the table's place, row and column
    false_headings: tuple[int, ...]
    false_items: tuple[int, ...]
    false_tables: tuple[int, ...]
    not_found: tuple[int, ...]  # blocks whose place can't be told
    leaked: tuple[int, ...]  # of the running headers and footers


@dataclass(frozen=True)
class Judged:
    """A page's score, with what it is made of."""

    page: TruePage
    score: Score
    missed: Missed


def total(scores: Iterable[Score]) -> Score:
    return reduce(Score.__add__, scores, Score())


def judge(page: TruePage, said: Blocks) -> Judged:
    """Compare a page with the blocks that were read of it."""
    headings = _compare(page.blocks, said, Kind.HEADING, nearly_same)
    items = _compare(page.blocks, said, Kind.LIST_ITEM, same_item)
    tables = _compare_tables(page.blocks, said)
    words = _overlap(page.blocks, said)
    places = places_of(page.blocks, said)
    inverted, pairs = count_inverted(places)
    leaked = _leaked(page, said)
    score = Score(
        *(headings.hits, items.hits, tables.hits, tables.anywhere, words),
        *(inverted, pairs, len(leaked), len(page.dropped)),
    )
    missed = Missed(
        *(headings.missed, items.missed, tables.missed),
        *(headings.false, items.false, tables.false),
        tuple(at for at, place in enumerate(places) if place is None),
        leaked,
    )
    return Judged(page, score, missed)


@dataclass(frozen=True)
class _Compared:
    hits: Hits
    missed: tuple[int, ...]
    false: tuple[int, ...]


@dataclass(frozen=True)
class _Tables:
    hits: Hits
    anywhere: Hits
    missed: tuple[tuple[int, int, int], ...]
    false: tuple[int, ...]


def _compare(
    true: Blocks, said: Blocks, kind: Kind, same: Callable[[Words, Words], bool]
) -> _Compared:
    """Compare the blocks of a kind; one that stands in a box of the truth is right as any kind."""
    boxes = [block.words for block in true if block.kind is Kind.BOX]
    wanted, got = _of_kind(true, kind), _of_kind(said, kind)
    pairs = pair_off([true[at].words for at in wanted], [said[at].words for at in got], same)
    found = {wanted[place] for place, _ in pairs}
    good = {got[at] for _, at in pairs}
    false = [at for at in got if at not in good and not _in_box(said[at].words, boxes)]
    hits = Hits(len(pairs), len(wanted), len(pairs) + len(false))
    return _Compared(hits, tuple(at for at in wanted if at not in found), tuple(false))


def _compare_tables(true: Blocks, said: Blocks) -> _Tables:
    wanted, got = _of_kind(true, Kind.TABLE), _of_kind(said, Kind.TABLE)
    pairs = pair_tables([true[at] for at in wanted], [said[at] for at in got])
    partners = {wanted[place]: said[got[at]].cells for place, at in pairs}
    hits = {at: same_cells(true[at].cells, partners.get(at, ())) for at in wanted}
    anywhere = (same_cells_anywhere(true[at].cells, partners.get(at, ())) for at in wanted)
    count = (sum(len(true[at].cells) for at in wanted), sum(len(said[at].cells) for at in got))
    return _Tables(
        Hits(sum(map(len, hits.values())), *count),
        Hits(sum(map(len, anywhere)), *count),
        tuple((at, c.row, c.column) for at in wanted for c in true[at].cells if c not in hits[at]),
        tuple(place for at, place in enumerate(got) if at not in {other for _, other in pairs}),
    )


def _overlap(true: Blocks, said: Blocks) -> Hits:
    wanted, got = _words(true), _words(said)
    return Hits((wanted & got).total(), wanted.total(), got.total())


def _leaked(page: TruePage, said: Blocks) -> tuple[int, ...]:
    """Return the running headers of which at least half the words stand in what was read.

    Beyond the words that belong there, and each word for one of them only.
    """
    left = _words(said) - _words(page.blocks)
    found = []
    for at, words in enumerate(page.dropped):
        shared = Counter(words) & left
        if 2 * shared.total() >= len(words):
            found.append(at)
            left -= shared
    return tuple(found)


def _words(blocks: Blocks) -> Counter[str]:
    return Counter(word for block in blocks for word in block.words)


def _of_kind(blocks: Blocks, kind: Kind) -> list[int]:
    return [at for at, block in enumerate(blocks) if block.kind is kind]


def _in_box(words: Words, boxes: Sequence[Words]) -> bool:
    return any(is_within(words, box) for box in boxes)
