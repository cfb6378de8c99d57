"""Choose sections to summarise, and summarise them by their most central sentences. Pure.

The centroid method of Radev et al. (Information Processing and Management 40, 2004), with encoder
vectors in place of term weights: a sentence near the mean of its section's passages is typical of
the section.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np
import numpy.typing as npt

from core.language.en.sentences import line_sentence_spans

MIN_CHUNKS = 3  # of a section: fewer are found as well by themselves
EXTRACTIVE_VERSION = "extractive-1"
MAX_TOKENS = 200  # of a summary: what the bundled encoder reads, less some for the context line
MIN_CHARS = 25  # shorter ones are cells, labels and page numbers
MAX_SENTENCES = 2000  # of a document; of a longer one every second, third ...
_DECIMALS = 5  # of a cosine: below, another batch or machine may round another way

Vectors = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Section:
    """Passages `first` to `last` by index, inclusive. An empty path means the whole document."""

    path: tuple[str, ...]
    first: int
    last: int


def sections_of(paths: Sequence[tuple[str, ...]]) -> tuple[Section, ...]:
    """Return the sections of at least MIN_CHUNKS passages at every depth, in reading order.

    `paths` are the section paths of a document's passages by index. A section interrupted by
    another counts as two; of sections with the same passages the innermost is kept. An outer
    section comes before its inner ones.
    """
    found: dict[tuple[int, int], Section] = {}
    for depth in range(max(map(len, paths), default=0) + 1):
        for section in _at_depth(paths, depth):
            if section.last - section.first + 1 >= MIN_CHUNKS:
                found[section.first, section.last] = section
    return tuple(sorted(found.values(), key=lambda one: (one.first, -one.last)))


def _at_depth(paths: Sequence[tuple[str, ...]], depth: int) -> list[Section]:
    """Return runs of passages under the same heading; a passage with a shorter path ends a run."""
    runs: list[Section] = []
    index = 0
    for path, members in groupby(paths, key=lambda p: p[:depth] if len(p) >= depth else None):
        count = len(list(members))
        if path is not None:
            runs.append(Section(path, index, index + count - 1))
        index += count
    return runs


@dataclass(frozen=True)
class Sentence:
    """A sentence of a document, and the index of the first passage that holds it."""

    text: str
    chunk: int


def sentences_of(texts: Sequence[str]) -> tuple[Sentence, ...]:
    """Return the sentences of a document in reading order, each once; at most MAX_SENTENCES.

    Neighbouring passages overlap, so repeated sentences are dropped.
    """
    found: dict[str, Sentence] = {}
    for chunk, text in enumerate(texts):
        for start, end in line_sentence_spans(text):
            if end - start >= MIN_CHARS:
                found.setdefault(text[start:end], Sentence(text[start:end], chunk))
    every = -(-len(found) // MAX_SENTENCES)
    return tuple(found.values())[:: max(1, every)]


def centroid(vectors: Vectors) -> Vectors:
    """Return the normalised mean of unit vectors `(n, d)`; zeros where they cancel."""
    mean = np.asarray(vectors, dtype=np.float32).mean(axis=0)
    norm = float(np.linalg.norm(mean))
    return np.asarray(mean / norm if norm else mean, dtype=np.float32)


def nearest(
    section: Section,
    sentences: Sequence[Sentence],
    *,
    cosines: Sequence[float],
    sizes: Sequence[int],
    limit: int,
) -> str:
    """Return the sentences nearest to the centroid that fit `limit`, in reading order.

    `cosines` and `sizes` are by sentence. Ties go to the earlier one; a sentence that doesn't fit
    is skipped. Empty where none fits.
    """
    own = [n for n, one in enumerate(sentences) if section.first <= one.chunk <= section.last]
    kept: list[int] = []
    room = limit
    for place in sorted(own, key=lambda n: (-round(float(cosines[n]), _DECIMALS), n)):
        if sizes[place] <= room:
            kept.append(place)
            room -= sizes[place]
    return " ".join(sentences[place].text for place in sorted(kept))
