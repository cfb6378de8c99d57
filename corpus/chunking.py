"""Blocks to passages. Pure: no Django, no model; the tokenizer comes in as a function.

A passage never leaves its section. Text is cut at sentences into windows of at most
`max_tokens` tokens that share up to `overlap_tokens` with the window before. A table is a
passage of its own with its caption and footnotes; where it must be split, its header row is
repeated. The context line (title, section path, population) counts into the size, since it is
embedded in front of the text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from corpus.parsing.types import Block, BlockKind, Page
from corpus.sentences import sentence_spans

CHUNKER_VERSION = "sections-3"
MAX_CONTEXT_TOKENS = 64

CountTokens = Callable[[str], int]


@dataclass(frozen=True)
class ChunkSettings:
    """Sizes in tokens of the embedder's tokenizer; `max_tokens` includes the context line."""

    max_tokens: int = 200
    overlap_tokens: int = 40


@dataclass(frozen=True)
class ChunkDraft:
    """A passage before it is stored; fields as in `corpus.models.Chunk`."""

    key: str
    index: int
    page: int
    section_path: tuple[str, ...]
    context: str
    text: str
    spans: tuple[tuple[int, int, int], ...]  # (page, start, end) into Page.text
    tokens: int


@dataclass(frozen=True)
class _Unit:
    """What is never cut: a sentence, or a row of a table."""

    page: int
    start: int
    end: int
    tokens: int


@dataclass(frozen=True)
class _Run:
    """Consecutive blocks of one section that are packed together; `lead` opens each passage."""

    section_path: tuple[str, ...]
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
    """The document's passages in reading order; none for a document without text."""
    texts = {page.number: page.text for page in pages}
    drafts: list[ChunkDraft] = []
    for run in _runs(pages, settings, count_tokens):
        path = _below_title(run.section_path, title)
        context = context_line(title, path, population, count_tokens)
        budget = max(settings.max_tokens - count_tokens(context), settings.max_tokens // 2)
        overlap = 0 if run.is_table else min(settings.overlap_tokens, budget // 3)
        for window in _windows(run, budget, overlap):
            drafts.append(_draft(window, texts, path, context, sha256, len(drafts), count_tokens))
    return drafts


def context_line(
    title: str, section_path: Sequence[str], population: str, count_tokens: CountTokens
) -> str:
    """`title | section > subsection | population`, shortened from the outer sections inwards."""
    path = list(section_path)
    while True:
        parts = [title, " > ".join(path), population]
        line = " | ".join(part for part in parts if part)
        if count_tokens(line) <= MAX_CONTEXT_TOKENS:
            return line
        if path:
            path.pop(0)
            continue
        words = title.split()
        if len(words) <= 1:
            return title[:200]
        title = " ".join(words[: max(1, len(words) * 3 // 4)])


def _below_title(path: tuple[str, ...], title: str) -> tuple[str, ...]:
    """The path without a first heading that only repeats the document's title."""
    if path and " ".join(path[0].split()).casefold() == " ".join(title.split()).casefold():
        return path[1:]
    return path


def _draft(
    window: Sequence[_Unit],
    texts: dict[int, str],
    section_path: tuple[str, ...],
    context: str,
    sha256: str,
    index: int,
    count_tokens: CountTokens,
) -> ChunkDraft:
    spans = _merge(window, texts)
    text = "\n".join(texts[page][start:end] for page, start, end in spans)
    page = spans[0][0]
    return ChunkDraft(
        key=f"{sha256}_p{page}_c{index}",
        index=index,
        page=page,
        section_path=section_path,
        context=context,
        text=text,
        spans=spans,
        tokens=count_tokens(f"{context}\n{text}"),
    )


def _runs(
    pages: Sequence[Page], settings: ChunkSettings, count_tokens: CountTokens
) -> Iterator[_Run]:
    """Runs in reading order: text of a section, or one table with its caption and footnotes."""
    located = _Located(settings.max_tokens, count_tokens)
    for path, group in groupby(_with_sections(pages), key=lambda item: item[0]):
        blocks = [(page, block) for _, page, block in group]
        text: list[_Unit] = []
        position = 0
        while position < len(blocks):
            stop = _table_end(blocks, position)
            if stop == position:
                text.extend(located.sentences(*blocks[position]))
                position += 1
                continue
            if text:
                yield _Run(path, (), tuple(text))
                text = []
            yield located.table(path, blocks[position:stop])
            position = stop
        if text:
            yield _Run(path, (), tuple(text))


def _with_sections(pages: Sequence[Page]) -> Iterator[tuple[tuple[str, ...], Page, Block]]:
    """Every block that is no heading, with the headings above it, outermost first.

    A heading below which nothing stands is its own text, so that no word is lost.
    """
    stack: list[tuple[int, str]] = []
    bare: tuple[Page, Block] | None = None
    for page in pages:
        for block in page.blocks:
            if block.kind is not BlockKind.HEADING:
                bare = None
                yield tuple(text for _, text in stack), page, block
                continue
            if bare is not None and bare[1].level >= block.level:
                yield tuple(text for _, text in stack), *bare
            while stack and stack[-1][0] >= block.level:
                stack.pop()
            stack.append((block.level, page.text[block.start : block.end].strip()))
            bare = (page, block)
    if bare is not None:
        yield tuple(text for _, text in stack), *bare


def _table_end(blocks: Sequence[tuple[Page, Block]], position: int) -> int:
    """Where the table that begins at `position` ends, footnotes included; `position` if none."""
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
    """Cuts blocks into units and counts their tokens."""

    def __init__(self, max_tokens: int, count_tokens: CountTokens) -> None:
        self._max_tokens = max_tokens
        self._count = count_tokens

    def unit(self, page: Page, start: int, end: int) -> _Unit:
        return _Unit(page.number, start, end, self._count(page.text[start:end]))

    def sentences(self, page: Page, block: Block) -> list[_Unit]:
        if block.table is not None:
            return list(self.table((), [(page, block)]).units)
        text = page.text[block.start : block.end]
        units: list[_Unit] = []
        for start, end in sentence_spans(text):
            units.extend(self._bounded(page, block.start + start, block.start + end))
        return units

    def table(self, path: tuple[str, ...], blocks: Sequence[tuple[Page, Block]]) -> _Run:
        lead: list[_Unit] = []
        units: list[_Unit] = []
        for page, block in blocks:
            if block.kind is BlockKind.CAPTION:
                lead.append(self.unit(page, block.start, block.end))
            elif block.table is not None and block.table.rows:
                header_end = block.table.rows[0].start
                if page.text[block.start : header_end].strip():
                    lead.append(self.unit(page, block.start, header_end))
                for row in block.table.rows:
                    units.extend(self._bounded(page, row.start, row.end))
            else:
                units.extend(self._bounded(page, block.start, block.end))
        if sum(unit.tokens for unit in lead) > self._max_tokens // 3:
            lead, units = [], lead + units  # a header of that size is text like any other
        return _Run(path, tuple(lead), tuple(units) or tuple(lead), is_table=True)

    def _bounded(self, page: Page, start: int, end: int) -> list[_Unit]:
        """The span as one unit, or halved at white space until each part fits."""
        unit = self.unit(page, start, end)
        limit = self._max_tokens // 2
        if unit.tokens <= limit or end - start < 2:
            return [unit]
        middle = page.text.rfind(" ", start + 1, start + (end - start) // 2 + 1)
        middle = middle if middle > start else start + (end - start) // 2
        return self._bounded(page, start, middle) + self._bounded(page, middle, end)


def _windows(run: _Run, budget: int, overlap: int) -> Iterator[tuple[_Unit, ...]]:
    """Greedy windows of whole units; each but the first begins with the end of the one before."""
    lead_tokens = sum(unit.tokens for unit in run.lead)
    room = max(budget - lead_tokens, budget // 3)
    start = 0
    units = run.units
    while start < len(units):
        stop, used = start, 0
        while stop < len(units) and (stop == start or used + units[stop].tokens <= room):
            used += units[stop].tokens
            stop += 1
        lead = run.lead if units[start:stop] != run.lead else ()
        yield (*lead, *units[start:stop])
        if stop == len(units):
            return
        start = _step_back(units, start, stop, overlap)


def _step_back(units: Sequence[_Unit], start: int, stop: int, overlap: int) -> int:
    shared = 0
    while stop - 1 > start and shared + units[stop - 1].tokens <= overlap:
        stop -= 1
        shared += units[stop].tokens
    return stop


def _merge(units: Sequence[_Unit], texts: dict[int, str]) -> tuple[tuple[int, int, int], ...]:
    """Spans in order, joined where only white space stands between two of one page."""
    spans: list[tuple[int, int, int]] = []
    for unit in units:
        start, end = _stripped(texts[unit.page], unit.start, unit.end)
        if start == end:
            continue
        if spans and spans[-1][0] == unit.page and spans[-1][2] <= start:
            page, first, last = spans[-1]
            if not texts[page][last:start].strip():
                spans[-1] = (page, first, end)
                continue
        spans.append((unit.page, start, end))
    return tuple(spans)


def _stripped(text: str, start: int, end: int) -> tuple[int, int]:
    piece = text[start:end]
    left = len(piece) - len(piece.lstrip())
    return start + left, start + max(left, len(piece.rstrip()))
