"""Compare a page as read with the page as a person transcribed it. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from bench.reading.aligning import same_cells_aligned
from bench.reading.matching import (
    is_within,
    nearly_same,
    pair_off,
    pair_tables,
    same_cells,
    same_cells_anywhere,
    same_item,
)
from bench.reading.placing import count_inverted, places_of
from bench.reading.scores import Hits, Judged, Missed, Score
from bench.reading.types import Block, Kind, TruePage
from bench.reading.words import Words

Blocks = Sequence[Block]


def judge(page: TruePage, said: Blocks) -> Judged:
    """Compare a true page with the blocks that a reader found on it."""
    headings = _compare(page.blocks, said, Kind.HEADING, nearly_same)
    items = _compare(page.blocks, said, Kind.LIST_ITEM, same_item)
    tables = _compare_tables(page.blocks, said)
    boxes, mixed = _of_kind(page.blocks, Kind.BOX), _missed_boxes(page.blocks, said)
    places = places_of(page.blocks, said)
    not_found = tuple(at for at, place in enumerate(places) if place is None)
    leaked = _leaked(page, said)
    score = Score(
        *(headings.hits, items.hits, *tables.hits, _overlap(page.blocks, said)),
        *(len(boxes) - len(mixed), len(boxes)),
        *(len(places) - len(not_found), len(places), *count_inverted(places)),
        *(len(leaked), len(page.dropped)),
    )
    missed = Missed(
        *(headings.missed, items.missed, tables.missed, mixed),
        *(headings.false, items.false, tables.false, not_found, leaked),
    )
    return Judged(page, score, missed)


@dataclass(frozen=True)
class _Compared:
    hits: Hits
    missed: tuple[int, ...]
    false: tuple[int, ...]


@dataclass(frozen=True)
class _Tables:
    hits: tuple[Hits, Hits, Hits]  # by row and column, aligned, anywhere
    missed: tuple[tuple[int, int, int], ...]
    false: tuple[int, ...]


def _compare(
    true: Blocks, said: Blocks, kind: Kind, same: Callable[[Words, Words], bool]
) -> _Compared:
    """Compare the blocks of a kind; a block that lies in a true box may be of any kind."""
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
    hits = [
        {at: same(true[at].cells, partners.get(at, ())) for at in wanted}
        for same in (same_cells, same_cells_aligned, same_cells_anywhere)
    ]
    count = (sum(len(true[at].cells) for at in wanted), sum(len(said[at].cells) for at in got))
    by_place, aligned, anywhere = (Hits(sum(map(len, found.values())), *count) for found in hits)
    paired = {other for _, other in pairs}
    return _Tables(
        (by_place, aligned, anywhere),
        tuple(
            (at, c.row, c.column) for at in wanted for c in true[at].cells if c not in hits[1][at]
        ),
        tuple(place for at, place in enumerate(got) if at not in paired),
    )


def _missed_boxes(true: Blocks, said: Blocks) -> tuple[int, ...]:
    """Return the true boxes that were not read as a block of their own, of whatever kind."""
    boxes = _of_kind(true, Kind.BOX)
    texts = [block.words for block in said if block.kind is not Kind.TABLE]
    found = {place for place, _ in pair_off([true[at].words for at in boxes], texts, nearly_same)}
    return tuple(at for place, at in enumerate(boxes) if place not in found)


def _overlap(true: Blocks, said: Blocks) -> Hits:
    wanted, got = _words(true), _words(said)
    return Hits((wanted & got).total(), wanted.total(), got.total())


def _leaked(page: TruePage, said: Blocks) -> tuple[int, ...]:
    """Return the running headers of which at least half the words were read as content.

    Only words beyond those of the true blocks count, each for one header.
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
