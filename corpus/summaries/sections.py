"""Which stretches of a document get a summary: its sections, and itself. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

MIN_CHUNKS = 3  # of a section: fewer are found as well by themselves


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
