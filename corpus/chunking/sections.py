"""Cut the text of a section into windows of whole sentences.

A passage never leaves its section. Text is cut at sentences into windows of at most `max_tokens`
tokens that share up to `overlap_tokens` with the window before. A table is a passage of its own
with its caption and footnotes; if it must be split, its header row is repeated. A paragraph that
continues over a page break is cut as one text. The context line (title, section path, population)
counts towards the size, since it is embedded in front of the text.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, groupby

from core.language.en.sentences import sentence_spans
from corpus.chunking.types import (
    MAX_CONTEXT_TOKENS,
    ChunkDraft,
    ChunkSettings,
    CountTokens,
    Source,
    Spans,
    below_title,
    context_line,
)
from corpus.parsing.types import Block, BlockKind, Page

# The most characters that a token is taken for: an encoder's tokenizer makes one token of any
# "word" that is too long for it. The longest English words have about as many.
_MOST_CHARS_OF_TOKEN = 16
MAX_HEADING_CHARS = 1_000


@dataclass(frozen=True)
class _Unit:
    """Text that is never cut: a sentence, which may run over pages, or a row."""

    spans: Spans
    tokens: int


@dataclass(frozen=True)
class _Run:
    """Consecutive blocks of one section that are packed together; `lead` opens each passage."""

    lead: tuple[_Unit, ...]
    units: tuple[_Unit, ...]
    is_table: bool = False


def split(
    pages: Sequence[Page],
    *,
    title: str,
    population: str,
    sha256: str,
    settings: ChunkSettings,
    count_tokens: CountTokens,
) -> list[ChunkDraft]:
    """Return the passages in reading order, without lists of contents; empty without text."""
    others = list(map(_without_contents, pages))
    pages = others if any(page.blocks for page in others) else pages
    source = Source({page.number: page.text for page in pages}, sha256, count_tokens)
    size = settings.max_tokens - settings.reserved_tokens
    most = min(MAX_CONTEXT_TOKENS, size // 3)
    drafts: list[ChunkDraft] = []
    for whole, group in groupby(_with_sections(pages), key=lambda item: item[0]):
        path = below_title(whole, title)
        context = context_line(title, path, population, count_tokens, max_tokens=most)
        budget = size - count_tokens(context)  # the room for the text of a passage
        for run in _runs(budget, [(page, block) for _, page, block in group], source):
            overlap = 0 if run.is_table else min(settings.overlap_tokens, budget // 3)
            for window in _windows(run, budget, overlap):
                spans = _merge(window, source.texts)
                drafts.append(
                    source.draft(spans, index=len(drafts), context=context, section_path=path)
                )
    return drafts


def _without_contents(page: Page) -> Page:
    kept = tuple(block for block in page.blocks if block.kind is not BlockKind.CONTENTS)
    return replace(page, blocks=kept)


def _runs(budget: int, blocks: Sequence[tuple[Page, Block]], source: Source) -> Iterator[_Run]:
    """Yield runs in reading order: text of the section, or a table with caption and footnotes."""
    located = _Located(budget, source)
    after = _continued(blocks)
    later = {place for places in after.values() for place in places}
    text: list[_Unit] = []
    position = 0
    while position < len(blocks):
        stop = _table_end(blocks, position)
        if stop == position:
            if position not in later:
                places = [position, *after.get(position, ())]
                text.extend(located.sentences([blocks[place] for place in places]))
            position += 1
            continue
        if text:
            yield _Run((), tuple(text))
            text = []
        yield located.table(blocks[position:stop])
        position = stop
    if text:
        yield _Run((), tuple(text))


def _continued(blocks: Sequence[tuple[Page, Block]]) -> dict[int, list[int]]:
    """Return the indexes of blocks that continue a text, by the index of that text's first block.

    A table or a footnote between them comes after the text.
    """
    after: dict[int, list[int]] = {}
    last: dict[BlockKind, tuple[int, int]] = {}  # the page and the first place of the text
    for place, (page, block) in enumerate(blocks):
        number, first = last.get(block.kind, (0, place))
        if block.continues and block.table is None and number == page.number - 1:
            after.setdefault(first, []).append(place)
        else:
            first = place
        last[block.kind] = (page.number, first)
    return after


def _with_sections(pages: Sequence[Page]) -> Iterator[tuple[tuple[str, ...], Page, Block]]:
    """Yield every block that is no heading, with the headings above it, outermost first.

    A heading with nothing below it is yielded as text, so that no word is lost. So is a heading
    longer than MAX_HEADING_CHARS, which would be repeated above each passage below it.
    """
    stack: list[tuple[int, str]] = []
    path: tuple[str, ...] = ()
    bare: tuple[Page, Block] | None = None
    for page in pages:
        for block in page.blocks:
            is_long = block.end - block.start > MAX_HEADING_CHARS
            if block.kind is not BlockKind.HEADING or is_long:
                bare = None
                yield path, page, block
                continue
            if bare is not None and bare[1].level >= block.level:
                yield path, *bare
            while stack and stack[-1][0] >= block.level:
                stack.pop()
            stack.append((block.level, page.text[block.start : block.end].strip()))
            path = tuple(text for _, text in stack)
            bare = (page, block)
    if bare is not None:
        yield path, *bare


def _table_end(blocks: Sequence[tuple[Page, Block]], position: int) -> int:
    """Return the index after a table and its footnotes; `position` if no table begins there."""
    here = position
    if blocks[here][1].kind is BlockKind.CAPTION:
        here += 1
    if here == len(blocks) or blocks[here][1].kind is not BlockKind.TABLE:
        return position
    here += 1
    while here < len(blocks) and blocks[here][1].kind is BlockKind.FOOTNOTE:
        here += 1
    return here


class _Located:
    """Cuts the blocks of a section into units that fit its passages, and counts their tokens."""

    def __init__(self, budget: int, source: Source) -> None:
        self._budget = budget
        self._texts = source.texts
        self._count = source.count_tokens
        self._captions: list[_Unit] = []  # of the last table, which the next one may continue
        self._header: list[_Unit] = []

    def sentences(self, blocks: Sequence[tuple[Page, Block]]) -> list[_Unit]:
        """Return the sentences of one text, which may be in several blocks, in order."""
        parts = [(page.number, block.start, block.end) for page, block in blocks]
        joined = _Joined(parts, self._texts)
        units: list[_Unit] = []
        for start, end in sentence_spans(joined.text):
            unit = self._unit(*joined.spans(start, end))
            units.extend(self._fitting(unit, self._budget))
        return units

    def table(self, blocks: Sequence[tuple[Page, Block]]) -> _Run:
        """Return a table as a run, its caption and header in front of each passage.

        Where these take over half of a passage, only the header is repeated, and the caption stands
        before the first rows; a header over two thirds of a passage is not repeated either. A part
        that continues a table from the page before, without caption or header of its own, has those
        of that table.
        """
        captions: list[_Unit] = []
        header: list[_Unit] = []
        body: list[_Unit] = []
        for page, block in blocks:
            if block.kind is BlockKind.CAPTION:
                captions.append(self._unit((page.number, block.start, block.end)))
            elif block.table is not None and block.table.rows:
                first = block.table.rows[0].start
                if page.text[block.start : first].strip():
                    header.append(self._unit((page.number, block.start, first)))
                body += [self._unit((page.number, r.start, r.end)) for r in block.table.rows]
            else:
                body.append(self._unit((page.number, block.start, block.end)))
        if any(block.table is not None and block.continues for _, block in blocks):
            captions, header = captions or self._captions, header or self._header
        self._captions, self._header = captions, header
        lead, rows = captions + header, body
        if _tokens(lead) > self._budget // 2:
            lead, rows = header, captions + body
        if _tokens(lead) > self._budget - self._budget // 3 or not rows:
            lead, rows = [], captions + header + body
        room = self._budget - _tokens(lead)
        units = [part for unit in rows for part in self._fitting(unit, room)]
        return _Run(tuple(lead), tuple(units), is_table=True)

    def _unit(self, *spans: tuple[int, int, int]) -> _Unit:
        """Return a unit with its number of tokens, at least one for 16 characters.

        Text that can't fit is not tokenised, so that a long text that is halved until it fits is
        tokenised only a few times.
        """
        chars = sum(end - start for _, start, end in spans) + len(spans) - 1
        least = chars // _MOST_CHARS_OF_TOKEN
        if least > self._budget:
            return _Unit(spans, least)
        text = "\n".join(self._texts[page][start:end] for page, start, end in spans)
        return _Unit(spans, max(self._count(text), least))

    def _fitting(self, unit: _Unit, room: int) -> list[_Unit]:
        """Return the unit, or parts of it by repeated halving that fit `room` tokens."""
        fitting: list[_Unit] = []
        waiting = [unit]
        while waiting:
            unit = waiting.pop()
            page, start, end = unit.spans[0]
            if unit.tokens <= room or (len(unit.spans) == 1 and end - start < 2):
                fitting.append(unit)
            elif len(unit.spans) > 1:
                half = len(unit.spans) // 2
                waiting += [self._unit(*unit.spans[half:]), self._unit(*unit.spans[:half])]
            else:
                middle = _joint(self._texts[page], start, end)
                waiting += [self._unit((page, middle, end)), self._unit((page, start, middle))]
        return fitting


class _Joined:
    """One text made of parts of pages, joined by newlines."""

    def __init__(self, parts: Sequence[tuple[int, int, int]], texts: Mapping[int, str]) -> None:
        self.text = "\n".join(texts[page][start:end] for page, start, end in parts)
        self._parts = parts
        self._begins = list(accumulate((end - start + 1 for _, start, end in parts), initial=0))

    def spans(self, start: int, end: int) -> Spans:
        """Return the spans on the pages of a range of the text."""
        spans: list[tuple[int, int, int]] = []
        for place in range(bisect_right(self._begins, start) - 1, len(self._parts)):
            at, (page, first, last) = self._begins[place], self._parts[place]
            if at >= end:
                break
            begin, stop = max(start, at), min(end, at + last - first)
            if begin < stop:
                spans.append((page, first + begin - at, first + stop - at))
        return tuple(spans)


def _joint(text: str, start: int, end: int) -> int:
    """Return where to cut a text that is too long: near its middle, between cells.

    Without cells between clauses, else between words.
    """
    middle, first = start + (end - start) // 2, start + (end - start) // 4 + 1
    for joint, kept in ((" | ", 0), ("; ", 1), (", ", 1), (" ", 0)):
        place = text.rfind(joint, max(first - kept, start + 1), middle + len(joint))
        if place >= 0:
            return place + kept
    return middle


def _tokens(units: Sequence[_Unit]) -> int:
    return sum(unit.tokens for unit in units)


def _windows(run: _Run, budget: int, overlap: int) -> Iterator[tuple[_Unit, ...]]:
    """Yield windows of as many whole units as fit, each opened by the run's `lead`.

    Each but the first begins with the end of the one before, up to `overlap` tokens.
    """
    room = budget - _tokens(run.lead)
    start = 0
    units = run.units
    while start < len(units):
        stop, used = start, 0
        while stop < len(units) and (stop == start or used + units[stop].tokens <= room):
            used += units[stop].tokens
            stop += 1
        yield (*run.lead, *units[start:stop])
        if stop == len(units):
            return
        first, start, shared = start, stop, units[stop - 1].tokens
        while start - 1 > first and shared <= overlap:
            start -= 1
            shared += units[start - 1].tokens


def _merge(units: Sequence[_Unit], texts: Mapping[int, str]) -> Spans:
    """Return the spans of units in order, joined if only white space of a page is between them."""
    spans: list[tuple[int, int, int]] = []
    for page, start, end in (span for unit in units for span in unit.spans):
        piece = texts[page][start:end]
        if not piece.strip():
            continue
        start, end = start + len(piece) - len(piece.lstrip()), start + len(piece.rstrip())
        if spans and spans[-1][0] == page and spans[-1][2] <= start:
            _, first, last = spans[-1]
            if not texts[page][last:start].strip():
                spans[-1] = (page, first, end)
                continue
        spans.append((page, start, end))
    return tuple(spans)
