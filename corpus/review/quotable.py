"""Count which words of a document stand in a statement, and so can be quoted in an answer."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from core.language.words import WORD
from corpus.models import Document, PassageStatement

_NEVER = ("heading", "contents")  # a heading stands above what is quoted
_CHARACTERS = 120  # of a text that can't be quoted, to recognise it by


@dataclass(frozen=True)
class Unquotable:
    """A block of which at most half the words can be quoted."""

    page: int
    kind: str
    text: str


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


def quotable_words(document: Document) -> QuotableWords:
    """Return what can be quoted of a document, by its passages as they are. Runs two queries."""
    held = defaultdict(set)
    for page, start, end in _pieces(document):
        held[page].add((start, end))
    every: Counter[str] = Counter()
    quoted: Counter[str] = Counter()
    without: list[Unquotable] = []
    for number, text, blocks in document.pages.order_by("number").values_list(
        "number", "text", "blocks"
    ):
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


def _pieces(document: Document) -> Iterator[tuple[int, int, int]]:
    rows = PassageStatement.objects.filter(chunk__document=document).order_by("pk")
    for pieces in rows.values_list("pieces", flat=True):
        for page, start, end, *_ in pieces:
            yield page, start, end
