"""A synthetic corpus of any size with the statistics of a real sample. Pure.

Vectors: a real vector, moved by the difference between another real vector and one of its
neighbours. So the directions and lengths of the moves come from the sample; their scale is fitted
until the cosines of nearest neighbours have the same median among equally many made and real
vectors.

Text: the first sentence of the same real passage, and further sentences drawn from the whole
sample, as many as a real passage has: so words keep their real frequencies at any size.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from bench.speed.samples import Sample
from corpus.encoders.types import Vectors

NEIGHBOURS = 20
BLOCK = 5000  # passages made together, from one seed
FITTED_ON = 3000
STEPS = 14  # of the bisection: the scale is then known to 1 in 10,000
Places = npt.NDArray[np.int64]
Numbers = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Block:
    """Passages from `first` on, with their vectors."""

    first: int
    texts: list[str]
    vectors: Vectors


@dataclass(frozen=True)
class Made:
    """A synthetic corpus made from a sample; the same sample and seed make the same corpus."""

    sample: Sample
    seed: int = 0

    def blocks(self, chunks: int) -> Iterator[Block]:
        """Yield the first `chunks` passages in blocks. A larger corpus begins with a smaller."""
        for first in range(0, chunks, BLOCK):
            anchors, vectors, random = self._begun(first)
            texts = [self._text(int(anchor), random) for anchor in anchors]
            count = min(BLOCK, chunks - first)
            yield Block(first, texts[:count], vectors[:count])

    def vectors(self, count: int) -> Iterator[Vectors]:
        """Yield the vectors of the first `count` passages, in the blocks of `blocks`."""
        for first in range(0, count, BLOCK):
            yield self._begun(first)[1][: min(BLOCK, count - first)]

    @cached_property
    def scale(self) -> float:
        """The factor on moves, found by bisection: larger moves put neighbours further apart."""
        wanted = float(np.median(nearest_cosines(self._drawn, 1)))
        low, high = 0.0, 4.0
        for _ in range(STEPS):
            middle = (low + high) / 2
            made = self._moved(self._anchors, middle, np.random.default_rng([self.seed, 1]))
            if float(np.median(nearest_cosines(made, 1))) > wanted:
                low = middle
            else:
                high = middle
        return (low + high) / 2

    @cached_property
    def _drawn(self) -> Vectors:
        return self.sample.vectors[:: max(1, len(self.sample.vectors) // FITTED_ON)][:FITTED_ON]

    @cached_property
    def _anchors(self) -> Places:
        random = np.random.default_rng([self.seed, 2])
        return random.integers(len(self.sample.passages), size=len(self._drawn))

    @cached_property
    def _near(self) -> Places:
        """For each real vector the indexes of its nearest others, `(n, NEIGHBOURS)`, unordered."""
        vectors = self.sample.vectors
        most = min(NEIGHBOURS, len(vectors) - 1)
        near = np.empty((len(vectors), most), dtype=np.int64)
        for first in range(0, len(vectors), 1000):
            cosines = vectors[first : first + 1000] @ vectors.T
            rows = np.arange(len(cosines))
            cosines[rows, rows + first] = -2  # itself
            near[first : first + 1000] = np.argpartition(-cosines, most - 1, axis=1)[:, :most]
        return near

    def _begun(self, first: int) -> tuple[Places, Vectors, np.random.Generator]:
        """Return the anchors and vectors of the block at `first`, and what draws its texts."""
        random = np.random.default_rng([self.seed, first])
        anchors = random.integers(len(self.sample.passages), size=BLOCK)
        return anchors, self._moved(anchors, self.scale, random), random

    def _moved(self, anchors: Places, scale: float, random: np.random.Generator) -> Vectors:
        vectors = self.sample.vectors
        others = random.integers(len(vectors), size=len(anchors))
        ranks = random.integers(self._near.shape[1], size=len(anchors))
        moves = vectors[others] - vectors[self._near[others, ranks]]
        # Moves differ in length, so that no two vectors are equal.
        sizes = (scale * random.uniform(0.8, 1.2, size=(len(anchors), 1))).astype(np.float32)
        found = vectors[anchors] + sizes * moves
        return np.asarray(found / np.linalg.norm(found, axis=1, keepdims=True), dtype=np.float32)

    @cached_property
    def _sentences(self) -> list[str]:
        return [sentence for passage in self.sample.passages for sentence in passage]

    def _text(self, anchor: int, random: np.random.Generator) -> str:
        passages, sentences = self.sample.passages, self._sentences
        count = len(passages[int(random.integers(len(passages)))])
        further = random.integers(len(sentences), size=count - 1)
        return " ".join([passages[anchor][0], *(sentences[place] for place in further)])


def nearest_cosines(vectors: Vectors, k: int) -> Numbers:
    """Return for each vector the cosines of its `k` nearest others, the nearest first: `(n, k)`."""
    k = min(k, len(vectors) - 1)
    found = np.empty((len(vectors), k))
    for first in range(0, len(vectors), 1000):
        cosines = vectors[first : first + 1000] @ vectors.T
        rows = np.arange(len(cosines))
        cosines[rows, rows + first] = -2  # itself
        found[first : first + 1000] = -np.sort(-np.partition(cosines, -k, axis=1)[:, -k:], axis=1)
    return found
