"""Count which words of a document stand in a statement, and so can be quoted. Pure."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from core.language.words import WORD
from corpus.statements.places import Block

_NEVER = ("heading", "contents")  # a heading stands above what is quoted
_CHARACTERS = 120  # of a text that can't be quoted, to recognise it by


@dataclass(frozen=True)
class Unquotable:
    """A block of which at most half the words can be quoted."""

    page: int
    kind: str
    text: str

    @property
    def label(self) -> str:
        return self.kind.replace("_", " ")


@dataclass(frozen=True)
class QuotableWords:
    """Words outside headings and contents by kind of block: all, and those in a statement."""

    all: Mapping[str, int] = field(default_factory=dict)
    quoted: Mapping[str, int] = field(default_factory=dict)
    without: tuple[Unquotable, ...] = ()

    def share(self, kind: str = "") -> float | None:
        """Return the share in [0, 1], of one kind or of all; None of no words."""
        words = self.all.get(kind, 0) if kind else sum(self.all.values())
        held = self.quoted.get(kind, 0) if kind else sum(self.quoted.values())
        return held / words if words else None

    def __add__(self, other: QuotableWords) -> QuotableWords:
        return QuotableWords(
            Counter(self.all) + Counter(other.all),
            Counter(self.quoted) + Counter(other.quoted),
            self.without + other.without,
        )


def words_in(
    pages: Iterable[tuple[int, str, Sequence[Block]]], pieces: Iterable[Sequence[Any]]
) -> QuotableWords:
    """Count the words of pages, and those in a piece: its page, start and end come first."""
    held = defaultdict(set)
    for page, start, end, *_ in pieces:
        held[page].add((start, end))
    every: Counter[str] = Counter()
    quoted: Counter[str] = Counter()
    without: list[Unquotable] = []
    for number, text, blocks in pages:
        covered = bytearray(len(text))
        for start, end in held[number]:
            covered[start:end] = b"\1" * (end - start)
        for block in blocks:
            if block["kind"] in _NEVER:
                continue
            places = [word.start() for word in WORD.finditer(text, block["start"], block["end"])]
            count = sum(covered[place] for place in places)
            kind = "table" if block.get("table") else block["kind"]
            every[kind] += len(places)
            quoted[kind] += count
            if places and 2 * count <= len(places):
                shown = " ".join(text[block["start"] : block["end"]].split())[:_CHARACTERS]
                without.append(Unquotable(number, kind, shown))
    return QuotableWords(every, quoted, tuple(without))


def quotable_line(words: QuotableWords) -> str:
    """Return the shares of words that can be quoted, by kind of block."""
    if (share := words.share()) is None:
        return "no words"
    kinds = ((kind, words.share(kind)) for kind in sorted(words.all))
    told = ", ".join(
        f"{kind.replace('_', ' ')} {100 * part:.1f} %" for kind, part in kinds if part is not None
    )
    return f"{100 * share:.1f} % of {sum(words.all.values())} words can be quoted ({told})"
