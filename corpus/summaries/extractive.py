"""Which sections get a summary, and one in a section's own sentences: those nearest to what it is
about. Pure.

The centroid method of Radev et al. (Information Processing and Management 40, 2004), with the
encoder's vectors in place of term weights: the nearer a sentence is to the middle of its section's
passages, the more it says of what the section says.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np
import numpy.typing as npt

from core.text.sentences import line_sentence_spans

MIN_CHUNKS = 3  # of a section: fewer are found as well by themselves
EXTRACTIVE_VERSION = "extractive-1"
MAX_TOKENS = 200  # of a summary: what the bundled encoder reads, less some for the context line
MIN_CHARS = 25  # shorter ones are cells, labels and page numbers
MAX_SENTENCES = 2000  # of a document; of a longer one every second, third ...
_DECIMALS = 5  # of a cosine: below, another batch or machine may round another way

Vectors = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Section:
    """Passages `first` to `last` by index, both inclusive. An empty path is the whole document."""

    path: tuple[str, ...]
    first: int
    last: int


def sections_of(paths: Sequence[tuple[str, ...]]) -> tuple[Section, ...]:
    """Return the sections of at least MIN_CHUNKS passages at every depth, in reading order.

    `paths` are those of a document's passages by index. A section that goes on after another one
    is two; of sections that hold the same passages the innermost is kept. An outer one stands
    before those that it holds.
    """
    found: dict[tuple[int, int], Section] = {}
    for depth in range(max(map(len, paths), default=0) + 1):
        for section in _at_depth(paths, depth):
            if section.last - section.first + 1 >= MIN_CHUNKS:
                found[section.first, section.last] = section
    return tuple(sorted(found.values(), key=lambda one: (one.first, -one.last)))


def _at_depth(paths: Sequence[tuple[str, ...]], depth: int) -> list[Section]:
    """Run of passages below the same heading; one whose path is shorter parts two runs."""
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
    """One of a document's sentences, and the first passage by index that holds it."""

    text: str
    chunk: int


def sentences_of(texts: Sequence[str]) -> tuple[Sentence, ...]:
    """Return the sentences of a document's passages in reading order, each once; at most
    MAX_SENTENCES.

    Neighbouring passages share text: what is said again is left out.
    """
    found: dict[str, Sentence] = {}
    for chunk, text in enumerate(texts):
        for start, end in line_sentence_spans(text):
            if end - start >= MIN_CHARS:
                found.setdefault(text[start:end], Sentence(text[start:end], chunk))
    every = -(-len(found) // MAX_SENTENCES)
    return tuple(found.values())[:: max(1, every)]


def centroid(vectors: Vectors) -> Vectors:
    """Return the direction of the mean of `(n, d)` unit vectors, of unit norm; zeros where they
    cancel.
    """
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
    """Return the section's sentences nearest to its centroid, as many as fit `limit`, in reading
    order.

    `cosines` and `sizes` are by sentence. Ties go to the earlier one; one that does not fit is
    passed over. Empty where the section has no sentence that fits.
    """
    own = [n for n, one in enumerate(sentences) if section.first <= one.chunk <= section.last]
    kept: list[int] = []
    room = limit
    for place in sorted(own, key=lambda n: (-round(float(cosines[n]), _DECIMALS), n)):
        if sizes[place] <= room:
            kept.append(place)
            room -= sizes[place]
    return " ".join(sentences[place].text for place in sorted(kept))
