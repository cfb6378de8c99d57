"""Locate the true blocks in the text as read, by their words alone. Pure.

A run of three words, or a whole block or cell of fewer, locates a block if it occurs once in the
truth and once in the text as read. So it doesn't matter how a reader divided the page into blocks.
A block whose words occur elsewhere too, such as a heading, is located by a read block of the same
words, if there is only one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, combinations
from statistics import median

from bench.reading.types import Block
from bench.reading.words import Words

_RUN = 3


def places_of(true: Sequence[Block], said: Sequence[Block]) -> list[float | None]:
    """Return each true block's position among all words as read: the median over its runs.

    None for a block that can't be located: fewer than half of its own runs are found, or it has
    none.
    """
    once = _once(run for block in true for text in _texts(block) for run in _every_run(text))
    starts = _starts(tuple(word for block in said for word in block.words))
    wholes = _whole_blocks(true, said)
    return [
        wholes.get(block.words, _place([run for run in _own_runs(block) if run in once], starts))
        for block in true
    ]


def count_inverted(places: Sequence[float | None]) -> tuple[int, int]:
    """Return the number of located pairs of blocks in the wrong order, and of all located pairs."""
    pairs = list(combinations([place for place in places if place is not None], 2))
    return sum(earlier > later for earlier, later in pairs), len(pairs)


def _place(runs: Sequence[Words], starts: Mapping[Words, int]) -> float | None:
    found = [starts[run] for run in runs if run in starts]
    return median(found) if found and 2 * len(found) >= len(runs) else None


def _whole_blocks(true: Sequence[Block], said: Sequence[Block]) -> dict[Words, float]:
    """Return the middle of each read block whose words equal exactly one true block's."""
    once = _once(block.words for block in true) & _once(block.words for block in said)
    ends = accumulate((len(block.words) for block in said), initial=0)
    return {
        block.words: start + (len(block.words) - 1) / 2
        for block, start in zip(said, ends, strict=False)
        if block.words in once
    }


def _texts(block: Block) -> list[Words]:
    return [cell.words for cell in block.cells] or [block.words]


def _own_runs(block: Block) -> Iterator[Words]:
    for text in _texts(block):
        yield from _runs(text, min(_RUN, len(text)))


def _every_run(text: Words) -> Iterator[Words]:
    for length in range(1, _RUN + 1):
        yield from _runs(text, length)


def _runs(words: Words, length: int) -> Iterator[Words]:
    return (words[at : at + length] for at in range(len(words) - length + 1))


def _once(runs: Iterable[Words]) -> set[Words]:
    return {run for run, count in Counter(runs).items() if count == 1}


def _starts(words: Words) -> dict[Words, int]:
    """Return the start of each run that occurs once."""
    once = _once(_every_run(words))
    every = ((run, at) for n in range(1, _RUN + 1) for at, run in enumerate(_runs(words, n)))
    return {run: at for run, at in every if run in once}
