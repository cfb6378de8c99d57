"""Where a span stands in a document that has no pages, and how a place is told. Pure.

A Word file, a web page or Markdown is stored as one page without geometry: "page 1" would say
nothing of where to look. There a place is the heading and what of it is meant, counted from 1 below
that heading. `blocks` is the JSON of `corpus.parsing.types.Block`.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from corpus.boxes import Blocks, Span, Spans

SECTIONS = " › "  # between the headings of a section's path
_PARAGRAPH, _TABLE = "paragraph", "table"
_Numbered = tuple[str, int, Mapping[str, Any]]


def positions_of(blocks: Blocks, spans: Spans) -> list[str]:
    """Return `paragraphs 3 to 5` or `table 2, row 4`: what of its section each span stands in.

    Counted below the nearest heading; a point of a list is a paragraph. `heading` for one that
    stands alone; empty for a span outside all blocks.
    """
    places = _Places(blocks)
    return [places.position(span) for span in spans]


class _Places:
    """The numbered blocks of a document, found by their offsets."""

    def __init__(self, blocks: Blocks) -> None:
        self._numbered = list(_numbered(blocks))
        self._starts = [block["start"] for block in blocks]
        self._ends = [block["end"] for block in blocks]
        self._rows: dict[int, tuple[list[int], list[int]]] = {}

    def position(self, span: Span) -> str:
        here = range(bisect_right(self._ends, span[0]), bisect_left(self._starts, span[1]))
        paragraphs: list[int] = []
        for at in here:
            kind, number, block = self._numbered[at]
            if kind == _TABLE:
                return f"{_TABLE} {number}" + self._row_range(at, block["table"]["rows"], span)
            paragraphs += [number] if kind == _PARAGRAPH else []
        return _range(_PARAGRAPH, paragraphs) if paragraphs else ("heading" if here else "")

    def _row_range(self, at: int, rows: Sequence[Mapping[str, Any]], span: Span) -> str:
        if at not in self._rows:
            self._rows[at] = [row["start"] for row in rows], [row["end"] for row in rows]
        starts, ends = self._rows[at]
        first, last = bisect_right(ends, span[0]) + 1, bisect_left(starts, span[1])
        return f", {_range('row', [first, last])}" if first <= last else ""


def place_words(page: int, section: str, position: str) -> str:
    """Return `page 7, Dosing`, or `Dosing, paragraph 12` where there is a position."""
    parts = (section, position) if position else (f"page {page}", section)
    return ", ".join(part for part in parts if part)


def below_title(section: str, title: str) -> str:
    """Return the section path without the title, which most documents repeat as their first
    heading.
    """
    first, _, rest = section.partition(SECTIONS)
    return rest if first == title else section


def _numbered(blocks: Blocks) -> Iterator[_Numbered]:
    counts = {_PARAGRAPH: 0, _TABLE: 0}
    for block in blocks:
        if block["kind"] == "heading":
            counts = dict.fromkeys(counts, 0)
            yield "heading", 0, block
            continue
        kind = _TABLE if block.get("table") else _PARAGRAPH
        counts[kind] += 1
        yield kind, counts[kind], block


def _range(noun: str, numbers: list[int]) -> str:
    first, last = numbers[0], numbers[-1]
    return f"{noun}s {first} to {last}" if last > first else f"{noun} {first}"
