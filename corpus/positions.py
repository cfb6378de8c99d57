"""Where a span stands in a document that has no pages, and how a place is told. Pure.

A Word file, a web page or Markdown is stored as one page without geometry: "page 1" would say
nothing of where to look. There a place is the heading and what of it is meant, counted from 1 below
that heading. `blocks` is the JSON of `corpus.parsing.types.Block`.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile
from typing import Any

from corpus.boxes import Blocks, Span, Spans, overlaps

SECTIONS = " › "  # between the headings of a section's path
_PARAGRAPH, _TABLE = "paragraph", "table"
_Numbered = tuple[str, int, Mapping[str, Any]]


def positions_of(blocks: Blocks, spans: Spans) -> list[str]:
    """Return `paragraphs 3 to 5` or `table 2, row 4`: what of its section each span stands in.

    Counted below the nearest heading; a point of a list is a paragraph. `heading` for one that
    stands alone; empty for a span outside all blocks.
    """
    numbered = list(_numbered(blocks))
    ends = [block["end"] for block in blocks]
    return [_position(numbered[bisect_right(ends, span[0]) :], span) for span in spans]


def _position(numbered: Sequence[_Numbered], span: Span) -> str:
    found = list(takewhile(lambda one: one[2]["start"] < span[1], numbered))
    tables = [(number, block["table"]["rows"]) for kind, number, block in found if kind == _TABLE]
    if tables:
        rows = [at for at, row in enumerate(tables[0][1], 1) if overlaps(row, [span])]
        return f"{_TABLE} {tables[0][0]}" + (f", {_range('row', rows)}" if rows else "")
    numbers = [number for kind, number, _ in found if kind == _PARAGRAPH]
    return _range(_PARAGRAPH, numbers) if numbers else ("heading" if found else "")


def place_words(page: int, section: str, position: str) -> str:
    """Return `page 7, Dosing`, or `Dosing, paragraph 12` where there is a position."""
    parts = (section, position) if position else (f"page {page}", section)
    return ", ".join(part for part in parts if part)


def below_title(section: str, title: str) -> str:
    """The section path without the title, which most documents repeat as their first heading."""
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
