"""Describe where a span is in a document without pages. Pure.

A Word file, web page or Markdown is stored as one page without geometry: "page 1" would not help
anyone find the place. Instead, a position is a heading and a count below it, from 1. `blocks` is
the JSON of `corpus.parsing.types.Block`.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from functools import cache

from corpus.boxes import Blocks, Span, Spans

SECTIONS = " › "  # between the headings of a section's path
_ENDS = ":.,;"  # of a heading, which gets no colon then
_PARAGRAPH, _TABLE = "paragraph", "table"
_WORD = re.compile(r"[a-z]+")
Say = Callable[[str], str]  # translates a word or two


def positions_of(blocks: Blocks, spans: Spans) -> list[str]:
    """Return the position of each span below its heading: `paragraphs 3 to 5`, `table 2, row 4`.

    A list item counts as a paragraph. `heading` for a lone heading; empty outside all blocks.
    """
    numbered = list(_numbered(blocks))
    offsets = _offsets(blocks)
    rows_of = cache(lambda at: _offsets(blocks[at]["table"]["rows"]))  # many spans stand in one

    def position(span: Span) -> str:
        here = _range_in(offsets, span)
        paragraphs: list[int] = []
        for at in here:
            kind, number = numbered[at]
            if kind == _TABLE:
                rows = _range_in(rows_of(at), span)
                row_words = f", {_range('row', [rows.start + 1, rows.stop])}" if rows else ""
                return f"{_TABLE} {number}{row_words}"
            paragraphs += [number] if kind == _PARAGRAPH else []
        return _range(_PARAGRAPH, paragraphs) if paragraphs else ("heading" if here else "")

    return [position(span) for span in spans]


def _offsets(parts: Blocks) -> tuple[list[int], list[int]]:
    return [part["start"] for part in parts], [part["end"] for part in parts]


def _range_in(offsets: tuple[list[int], list[int]], span: Span) -> range:
    """Return the range of parts, given by starts and ends, that overlap the span."""
    starts, ends = offsets
    return range(bisect_right(ends, span[0]), bisect_left(starts, span[1]))


def place_words(page: int, section: str, position: str, label: str = "", *, say: Say = str) -> str:
    """Return `page 7, Dosing`, or `Dosing, paragraph 12` where there is a position.

    With a label of the page, `page 7 (printed as 5), Dosing`.
    """
    if position:
        return ", ".join(filter(None, (section, position_words(position, say))))
    printed = say(" (printed as %s)") % label if label else ""
    parts = (f"{say('page')} {page}{printed}", section)
    return ", ".join(part for part in parts if part)


def position_words(position: str, say: Say) -> str:
    """Translate a position of `positions_of` word for word."""
    return _WORD.sub(lambda word: say(word[0]), position)


def table_of(position: str) -> str:
    """Return the position of the table that a row's position is in; any other as it is."""
    return position.partition(", row")[0]


def below_title(section: str, title: str) -> str:
    """Return the section path without a first heading that repeats the title."""
    first, _, rest = section.partition(SECTIONS)
    return rest if first == title else section


def unsaid(path: Sequence[str], text: str) -> list[str]:
    """Return the headings of a path without those that the text itself begins with.

    A statement under a heading that limits it has the heading in front: `Do not use: ...`.
    """
    rest, remaining = " ".join(text.split()), []
    for heading in path:
        words = " ".join(heading.split())
        after = rest.removeprefix(words)
        if after != rest and (words[-1:] in _ENDS or after.startswith(":")):
            rest = after.lstrip(": ")
        else:
            remaining.append(heading)
    return remaining


def headed(under: str, text: str) -> str:
    """Return a text after its headings."""
    return f"{under}: {text}" if under else text


def _numbered(blocks: Blocks) -> Iterator[tuple[str, int]]:
    counts = {_PARAGRAPH: 0, _TABLE: 0}
    for block in blocks:
        if block["kind"] == "heading":
            counts = dict.fromkeys(counts, 0)
            yield "heading", 0
            continue
        kind = _TABLE if block.get("table") else _PARAGRAPH
        counts[kind] += 1
        yield kind, counts[kind]


def _range(noun: str, numbers: list[int]) -> str:
    first, last = numbers[0], numbers[-1]
    return f"{noun}s {first} to {last}" if last > first else f"{noun} {first}"
