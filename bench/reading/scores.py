"""Counts of what a reader found, invented and lost on a page. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import reduce

from bench.reading.types import TruePage


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

    @property
    def f1(self) -> float:
        """2PR / (P + R), which equals `found` over the mean of `true` and `said`."""
        return 2 * self.found / (self.true + self.said) if self.true + self.said else 0.0


@dataclass(frozen=True)
class Score:
    """Counts of a page, or of several pages added up."""

    headings: Hits = Hits()
    items: Hits = Hits()
    cells: Hits = Hits()  # the same words in the same row and column of the same table
    cells_aligned: Hits = Hits()  # after rows and columns are aligned
    cells_anywhere: Hits = Hits()  # anywhere in the same table
    words: Hits = Hits()
    boxed: int = 0  # boxes that were read as a block of their own
    boxes: int = 0
    placed: int = 0  # blocks that were located
    blocks: int = 0
    inverted: int = 0  # located pairs in the wrong order
    pairs: int = 0
    leaked: int = 0  # running headers and footers that were read as content
    dropped: int = 0  # running headers and footers in all

    def __add__(self, other: Score) -> Score:
        return Score(*(getattr(self, name) + getattr(other, name) for name in vars(self)))


@dataclass(frozen=True)
class Missed:
    """The errors that a score counts, as indexes of true blocks and of read blocks."""

    headings: tuple[int, ...]
    items: tuple[int, ...]
    cells: tuple[tuple[int, int, int], ...]  # block, row and column
    boxes: tuple[int, ...]
    false_headings: tuple[int, ...]
    false_items: tuple[int, ...]
    false_tables: tuple[int, ...]
    not_found: tuple[int, ...]  # blocks that were not located
    leaked: tuple[int, ...]  # of the running headers and footers


@dataclass(frozen=True)
class Judged:
    """A page's score, with the errors that it counts."""

    page: TruePage
    score: Score
    missed: Missed


def total(scores: Iterable[Score]) -> Score:
    return reduce(Score.__add__, scores, Score())
