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
    cells_aligned: Hits = Hits()  # where rows and columns lost or made up shift no others
    cells_anywhere: Hits = Hits()  # in the same table
    words: Hits = Hits()
    boxed: int = 0  # boxes whose words are those of one block
    boxes: int = 0
    placed: int = 0  # blocks whose place can be told
    blocks: int = 0
    inverted: int = 0  # pairs of them that stand in the other order
    pairs: int = 0
    leaked: int = 0  # running headers and footers that stand in the text
    dropped: int = 0  # those that there are

    def __add__(self, other: Score) -> Score:
        return Score(*(getattr(self, name) + getattr(other, name) for name in vars(self)))


@dataclass(frozen=True)
class Missed:
    """The errors that a score counts, as indexes of true blocks and of read blocks."""

    headings: tuple[int, ...]
    items: tuple[int, ...]
    cells: tuple[tuple[int, int, int], ...]  # the table's place, row and column
    boxes: tuple[int, ...]
    false_headings: tuple[int, ...]
    false_items: tuple[int, ...]
    false_tables: tuple[int, ...]
    not_found: tuple[int, ...]  # blocks whose place can't be told
    leaked: tuple[int, ...]  # of the running headers and footers


@dataclass(frozen=True)
class Judged:
    """A page's score, with the errors that it counts."""

    page: TruePage
    score: Score
    missed: Missed


def total(scores: Iterable[Score]) -> Score:
    return reduce(Score.__add__, scores, Score())
