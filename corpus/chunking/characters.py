"""Windows of characters, as the simple reference systems cut: no headings, no context line.

Each page is cut by itself at the coarsest break that gives pieces of at most `max_characters`:
lines, then words, then anywhere. Pieces are packed into windows, and a window begins with as many
of the pieces before it as fit into `overlap_characters`. It is here to be compared with.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from corpus.chunking.types import ChunkDraft, ChunkSettings, CountTokens, Source, stripped
from corpus.parsing.types import Page

_BREAKS = ("\n", " ")
_Piece = tuple[int, int]  # start, end


def split_characters(
    pages: Sequence[Page], *, sha256: str, settings: ChunkSettings, count_tokens: CountTokens
) -> list[ChunkDraft]:
    """The document's windows in order of its pages; none for a document without text."""
    source = Source({page.number: page.text for page in pages}, sha256, count_tokens)
    drafts: list[ChunkDraft] = []
    for page in pages:
        pieces = list(_pieces(page.text, 0, len(page.text), settings.max_characters, _BREAKS))
        for window in _windows(pieces, settings):
            start, end = stripped(page.text, *window)
            if start < end:
                drafts.append(source.draft(((page.number, start, end),), index=len(drafts)))
    return drafts


def _pieces(text: str, start: int, end: int, most: int, breaks: Sequence[str]) -> Iterator[_Piece]:
    """Neighbouring pieces that make up the range, none longer than `most`."""
    if not breaks:
        yield from ((here, min(here + most, end)) for here in range(start, end, most))
        return
    while start < end:
        found = text.find(breaks[0], start, end)
        stop = end if found < 0 else found + 1
        if stop - start <= most:
            yield start, stop
        else:
            yield from _pieces(text, start, stop, most, breaks[1:])
        start = stop


def _windows(pieces: Sequence[_Piece], settings: ChunkSettings) -> Iterator[_Piece]:
    first = 0
    while first < len(pieces):
        start = pieces[first][0]
        last = first
        while last + 1 < len(pieces) and pieces[last + 1][1] - start <= settings.max_characters:
            last += 1
        end = pieces[last][1]
        yield start, end
        if last + 1 == len(pieces):
            return
        after = last + 1
        while after - 1 > first and end - pieces[after - 1][0] <= settings.overlap_characters:
            after -= 1
        first = after
