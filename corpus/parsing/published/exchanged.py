"""Passages cut by another system: JSON lines, one a passage, which stay as they are.

    {"page": 3, "section_path": ["Dose"], "title": "...", "text": "...", "boxes": [[3, l, t, r, b]]}

A document of passages is a file whose lines this module has written, so that the same passages give
the same bytes. Its pages hold the passages and nothing more: each is a block of its own, below the
headings of its section. Text that overlapped in the original is there twice.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, groupby, pairwise, takewhile
from pathlib import Path
from typing import Any

from corpus.parsing.clean import clean_line, clean_text
from corpus.parsing.published.publications import known
from corpus.parsing.registry import Request, engine_name
from corpus.parsing.types import Block, BlockKind, Line, Page, ParsedDocument, ParseError

PageBox = tuple[int, float, float, float, float]  # page, left, top, right, bottom
PageSpan = tuple[int, int, int]  # page, start, end

MAX_LINE_BYTES = 4 * 2**20
MAX_TEXT_CHARS = 100_000  # beyond, a passage is a document
MAX_PAGE = 20_000
MAX_SECTIONS = 20
MAX_HEADING_CHARS = 1_000
MAX_BOXES = 5_000


class PassageError(ValueError):
    """The fault of a line and what is expected, as a sentence without the line's text."""


@dataclass(frozen=True)
class Passage:
    """One passage; its text is its `pieces` (page and text), in order, joined by newlines."""

    title: str
    pieces: tuple[tuple[int, str], ...]
    section_path: tuple[str, ...] = ()
    boxes: tuple[PageBox, ...] = ()
    id: str = ""  # of the system that it comes from
    url: str = ""
    source: str = ""

    @property
    def page(self) -> int:
        return self.pieces[0][0]

    @property
    def text(self) -> str:
        return "\n".join(text for _, text in self.pieces)


@dataclass(frozen=True)
class Layout:
    """Pages that hold passages, and the spans of each passage, in order."""

    pages: tuple[Page, ...]
    spans: tuple[tuple[PageSpan, ...], ...]


def read_passage(line: bytes | str) -> Passage:
    """Return a passage from a line of JSON; ignore unknown keys.

    `title` and `text` are required. `spans`, if given, divide the text between pages. Raises
    PassageError.
    """
    if len(line) > MAX_LINE_BYTES:
        raise PassageError(f"the line is longer than {MAX_LINE_BYTES // 2**20} MB")
    try:
        raw = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise PassageError("it is not JSON on one line") from error
    if not isinstance(raw, dict):
        raise PassageError("a JSON object is expected")
    text = _string(raw, "text", MAX_TEXT_CHARS, keep_lines=True)
    title = _string(raw, "title", 500)
    if not text or not title:
        raise PassageError(f"{'text' if title else 'title'} is missing or empty")
    page = _page_number(raw.get("page", 1))
    listed = raw.get("section_path") or []
    if not isinstance(listed, list) or not all(isinstance(part, str) for part in listed):
        raise PassageError("section_path must be a list of headings, the outermost first")
    path = tuple(filter(None, (clean_text(part).strip() for part in listed)))
    if len(path) > MAX_SECTIONS or any(len(part) > MAX_HEADING_CHARS for part in path):
        raise PassageError(
            f"section_path is longer than {MAX_SECTIONS} headings of 1000 characters"
        )
    pieces = _pieces(text, page, raw.get("spans") or [])
    if pieces[0][0] != page:
        raise PassageError("page is another than that of the first span")
    return Passage(
        title=title,
        pieces=pieces,
        section_path=path,
        boxes=tuple(_boxes(raw.get("boxes") or [], {number for number, _ in pieces})),
        id=_string(raw, "id", 500),
        url=_string(raw, "url", 1_000),
        source=_string(raw, "source", 200),
    )


def write_passage(passage: Passage) -> str:
    """Return the JSON line of a passage, without a line break; equal passages give equal lines."""
    lengths = accumulate((len(text) for _, text in passage.pieces), initial=0)
    ends = pairwise(lengths)
    spans = [[page, *span] for (page, _), span in zip(passage.pieces, ends, strict=True)]
    line = {
        "page": passage.page,
        "section_path": passage.section_path,
        "title": passage.title,
        "text": passage.text,
        "boxes": passage.boxes,
        "spans": spans if len(spans) > 1 else [],
        "id": passage.id,
        "url": passage.url,
        "source": passage.source,
    }
    kept = {key: value for key, value in line.items() if value}
    return json.dumps(kept, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def read_passages(path: Path) -> list[Passage]:
    """Return the passages of a file that `write_passage` wrote. Raises ParseError."""
    passages: list[Passage] = []
    with path.open("rb") as stream:
        for number, line in enumerate(stream, start=1):
            try:
                passages.append(read_passage(line))
            except PassageError as error:
                raise ParseError(
                    f"Line {number} is not a passage: {error}.",
                    code="bad_passage",
                    hint="Export the passages again, and import them with manage.py import_chunks.",
                ) from error
    if len({passage.title for passage in passages}) > 1:
        raise ParseError(
            "The file holds the passages of more than one document.",
            code="many_documents",
            hint="Import it with manage.py import_chunks, which creates each document.",
        )
    return passages


def parse_passages(request: Request) -> ParsedDocument:
    """Return the document of a file of passages.

    Raises ParseError: `bad_passage`, `many_documents`, `too_many_pages`.
    """
    passages = read_passages(request.path)
    last = max((page for p in passages for page, _ in p.pieces), default=0)
    if last > request.max_pages:
        raise ParseError(
            f"The passages go up to page {last}; at most {request.max_pages} pages are allowed.",
            code="too_many_pages",
            hint="Split the file, or ask for a higher number of pages in MEDRAG_PARSING.",
        )
    first = passages[0]
    return ParsedDocument(
        pages=lay_out(passages).pages,
        engine=engine_name(request.media_type),
        title=first.title,
        metadata=known(source=first.source, url=first.url),
    )


def lay_out(passages: Sequence[Passage]) -> Layout:
    """Write the passages on their pages; a page that no passage names is empty."""
    last = max((page for passage in passages for page, _ in passage.pieces), default=0)
    leaves = {number: _Leaf() for number in range(1, last + 1)}
    spans: list[tuple[PageSpan, ...]] = []
    old: tuple[str, ...] = ()
    for passage in passages:
        new = passage.section_path
        same = sum(
            1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(old, new, strict=False))
        )
        if old != new and same == len(new):  # back to an outer section: its heading says so
            same = max(same - 1, 0)
        for level, heading in enumerate(new[same:], start=same + 1):
            leaves[passage.page].write(BlockKind.HEADING, heading, level=level)
        places: list[PageSpan] = []
        for page, text in passage.pieces:
            is_first = page not in (at for at, _, _ in places)
            boxes = [box for box in passage.boxes if is_first and box[0] == page]
            written = leaves[page].write(BlockKind.PARAGRAPH, text, boxes=boxes)
            places.append((page, *written))
        spans.append(tuple(places))
        old = new
    pages = tuple(
        Page(number, "\n".join(leaf.parts), tuple(leaf.blocks)) for number, leaf in leaves.items()
    )
    return Layout(pages, tuple(spans))


@dataclass
class _Leaf:
    """A page that is being written."""

    parts: list[str] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)

    def write(
        self, kind: BlockKind, text: str, *, level: int = 0, boxes: Iterable[PageBox] = ()
    ) -> tuple[int, int]:
        start = self.blocks[-1].end + 1 if self.blocks else 0
        end = start + len(text)
        lines = tuple(Line(start, end, box[1:]) for box in boxes)
        self.parts.append(text)
        self.blocks.append(Block(kind, start, end, level=level, lines=lines))
        return start, end


def _string(raw: Mapping[str, Any], key: str, limit: int, *, keep_lines: bool = False) -> str:
    value = raw.get(key)
    if value is None:
        return ""
    if not isinstance(value, str | int) or isinstance(value, bool):
        raise PassageError(f"{key} must be a text")
    text = clean_text(str(value)).strip() if keep_lines else clean_line(str(value))
    if len(text) > limit:
        raise PassageError(f"{key} is longer than {limit} characters")
    return text


def _page_number(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= MAX_PAGE:
        raise PassageError(f"page must be a number from 1 to {MAX_PAGE}")
    return value


def _boxes(value: Any, pages: set[int]) -> Iterator[PageBox]:
    expected = "each box must be [page, left, top, right, bottom], in points from the top left"
    if not isinstance(value, list) or len(value) > MAX_BOXES:
        raise PassageError(f"boxes must be a list of at most {MAX_BOXES}")
    for raw in value:
        if not isinstance(raw, list) or len(raw) != 5:
            raise PassageError(expected)
        page = _page_number(raw[0])
        if not all(isinstance(x, int | float) and not isinstance(x, bool) for x in raw[1:]):
            raise PassageError(expected)
        left, top, right, bottom = box = tuple(map(float, raw[1:]))
        if not all(map(math.isfinite, box)) or left > right or top > bottom:
            raise PassageError(expected)
        if page not in pages:
            raise PassageError("a box stands on a page where no text does: give the spans by page")
        yield page, left, top, right, bottom


def _pieces(text: str, page: int, spans: Any) -> tuple[tuple[int, str], ...]:
    """Return the text by page, divided by `spans` of [page, start, end]; whole without spans."""
    lengths: list[tuple[int, int]] = []
    try:
        for number, start, end in spans:
            lengths.append((_page_number(number), int(end) - int(start)))
    except (TypeError, ValueError) as error:
        if isinstance(error, PassageError):
            raise
        raise PassageError("spans must be a list of [page, start, end]") from error
    if len({number for number, _ in lengths}) <= 1:
        return ((lengths[0][0] if lengths else page, text),)
    if any(n <= 0 for _, n in lengths) or sum(n + 1 for _, n in lengths) - 1 != len(text):
        raise PassageError("spans are not as long as the text that they divide")
    pieces: list[tuple[int, str]] = []
    position = 0
    for number, group in groupby(lengths, key=lambda item: item[0]):
        length = sum(n + 1 for _, n in group) - 1
        pieces.append((number, text[position : position + length]))
        position += length + 1
    return tuple(pieces)
