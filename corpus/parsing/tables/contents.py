"""Find lists of contents and alphabetic indexes, which name every subject and answer nothing.

Their blocks are no tables, headings or sentences, and nothing in them is doubted. What may be a
list of doses or telephone numbers stays as it was read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, replace
from itertools import pairwise

from corpus.parsing.types import Block, BlockKind, Page

_LEADERS = re.compile(r"(?:\.\s?){4}|…\s?…|_{4}|(?:·\s?){4}")
_CONTENTS = re.compile(
    r"^(?:table of |list of )?(?:contents|tables|figures|boxes|appendices|inhalt(?:sverzeichnis)?)"
    r"(?:[\s|]*(?:page|seite)s?(?: no\.?| number)?)?\W*(?:continued\W*)?$",
    re.I,
)
_INDEX = re.compile(
    r"^(?:alphabetic(?:al)? |general |subject )?index(?:[\s|]*pages?)?\W*$"
    r"|^(?:Sach|Stichwort)(?:wort)?(?:verzeichnis|register)$",
    re.I,
)
_MAX_CHARS = 500  # of an entry, with its leaders
_END = re.compile(r"[\divxl],?[\s|]*$")
_ENTRY = re.compile(
    r"^(?P<label>.*?[^\W\d_]{2}.*?)(?P<joint>[\s.…_·|]+)(?P<number>\d{1,4}|[ivxl]{1,6})[\s|]*$"
)
_NUMBERS = r"\d{1,4}(?:\s?[–-]\s?\d{1,4})?"
_INDEXED = re.compile(
    rf"^(?P<label>[^\W\d_].*?[^\d\s,|])[\s,.…|]+(?P<numbers>{_NUMBERS}(?:,\s*{_NUMBERS})*),?[\s|]*$"
)
_ONLY_NUMBERS = re.compile(rf"^{_NUMBERS}(?:,\s*{_NUMBERS})*,?$")
# Of a list of doses.
_QUANTITY = re.compile(
    r"[<>≤≥]|\d\s*(?:kg|g|mg|mcg|µg|ml|mmol|l|%|years?|yrs?|months?|weeks?|days?|hours?|hrs?|h)\b",
    re.I,
)
_ENDED = re.compile(r"[^\W\d_][.;]$")
_GAP = 2  # lines between two entries: one that is printed on several lines, the name of a part
_BEYOND = 20  # pages by which printed numbers may exceed the file's
_LEAST = 3  # entries with leaders or below a title
_LEAST_PLAIN = 4  # below a title, without leaders
_MOST = 0.8  # of the entries of a list have leaders where they are set with these
_MOST_HEADINGS = 0.5  # of the entries of a list without a title are headings further on
_LEAST_INDEX = (5, 10)  # entries of an index with and without a title
_MULTIPLE = 3  # of them with several pages, without a title
_SORTED = 0.8  # of its entries follow the one above in the alphabet; the rest are parts of it


@dataclass(frozen=True)
class _Line:
    page: int  # an index, as the next is
    block: int
    text: str

    @property
    def place(self) -> tuple[int, int]:
        return self.page, self.block


def mark_contents(pages: Sequence[Page]) -> tuple[Page, ...]:
    """Return pages on which lists of contents and indexes have their own kind of block."""
    lines = [line for at, page in enumerate(pages) for line in _lines(at, page)]
    is_paged = len(pages) > 1 or any(page.width for page in pages)
    last = max((page.number for page in pages), default=0) + _BEYOND if is_paged else 9_999
    inside: set[int] = set()
    headings = {_plain(text) for page in pages for text in _headings(page)}
    for run in (*_contents(lines, last, headings), *_indexes(lines, last)):
        inside |= set(range(run[0], run[-1] + 1))
    places = _whole_blocks(lines, inside)
    return tuple(_marked(page, {b for a, b in places if a == at}) for at, page in enumerate(pages))


def _lines(at: int, page: Page) -> Iterator[_Line]:
    for index, block in enumerate(page.blocks):
        if block.lines and block.table is None:
            spans = [(line.start, line.end) for line in block.lines]
            texts = [page.text[start:end] for start, end in spans]
        else:
            texts = page.text[block.start : block.end].splitlines()
        yield from (_Line(at, index, text.strip()) for text in texts if text.strip())


def _matches(lines: Sequence[_Line], form: re.Pattern[str]) -> dict[int, re.Match[str]]:
    ends = ((at, line.text) for at, line in enumerate(lines) if _END.search(line.text[-12:]))
    found = ((at, form.match(text)) for at, text in ends if len(text) <= _MAX_CHARS)
    return {at: match for at, match in found if match}


def _contents(lines: Sequence[_Line], last: int, headings: Set[str]) -> Iterator[list[int]]:
    """Yield the positions of a list's title, if it has one, and of its entries."""
    entries = _matches(lines, _ENTRY)
    before = -1  # where the last list ended
    run: list[int] = []
    for at in [*entries, len(lines)]:
        follows = run and at < len(lines) and _value(entries[run[-1]]) <= _value(entries[at])
        if run and not (follows and at - run[-1] <= _GAP + 1):
            title = _title(lines, run[0], _CONTENTS)
            goes_on = before >= 0 and run[0] - before <= _GAP + 1
            found = [entries[i] for i in run]
            is_named = bool(title) or goes_on
            if _is_contents(found, last) and (is_named or _is_of(found, headings)):
                before = run[-1]
                yield [title - 1, *run] if title else run
            run = []
        run.append(at)


def _value(entry: re.Match[str]) -> int:
    number = entry["number"]
    return int(number) if number.isdigit() else 0  # roman ones come first


def _title(lines: Sequence[_Line], first: int, form: re.Pattern[str]) -> int:
    """Return one more than the position of the title above a list; 0 if there is none."""
    above = range(first - 1, max(-1, first - _GAP - 2), -1)
    return next((at + 1 for at in above if form.match(lines[at].text)), 0)


def _is_contents(entries: Sequence[re.Match[str]], last: int) -> bool:
    quantities = sum(_QUANTITY.search(entry["label"]) is not None for entry in entries)
    is_full = len(entries) >= (_LEAST if _is_led(entries) else _LEAST_PLAIN)
    return is_full and _value(entries[-1]) <= last and 3 * quantities < len(entries)


def _is_led(entries: Sequence[re.Match[str]]) -> bool:
    with_leaders = sum(_LEADERS.search(entry["joint"]) is not None for entry in entries)
    return with_leaders >= _MOST * len(entries)


def _is_of(entries: Sequence[re.Match[str]], headings: Set[str]) -> bool:
    """Tell whether entries with leaders are headings of the document, for want of a title."""
    known = sum(_plain(entry["label"]) in headings for entry in entries)
    return _is_led(entries) and known >= _MOST_HEADINGS * len(entries)


def _headings(page: Page) -> Iterator[str]:
    heads = (block for block in page.blocks if block.kind is BlockKind.HEADING)
    yield from (page.text[block.start : block.end] for block in heads)


def _plain(label: str) -> str:
    """Return the words of an entry or a heading, without its number."""
    return " ".join(re.findall(r"[^\W\d_]+", label.casefold()))


def _indexes(lines: Sequence[_Line], last: int) -> Iterator[list[int]]:
    """Yield the positions of an index's title, if it has one, and of its entries."""
    entries = _matches(lines, _INDEXED)
    run: list[int] = []
    for at in [*entries, len(lines)]:
        between = lines[run[-1] + 1 : at] if run else []
        others = [x for x in between if len(x.text) > 1 and not _ONLY_NUMBERS.match(x.text)]
        if run and (at == len(lines) or len(others) > _GAP):
            title = _title(lines, run[0], _INDEX)
            if _is_index([entries[i] for i in run], last, is_named=bool(title)):
                yield [title - 1, *run] if title else run
            run = []
        run.append(at)


def _is_index(entries: Sequence[re.Match[str]], last: int, *, is_named: bool) -> bool:
    initials = [entry["label"][0].casefold() for entry in entries]
    ordered = sum(a <= b for a, b in pairwise(initials))
    numbers = [int(n) for entry in entries for n in re.findall(r"\d+", entry["numbers"])]
    multiple = sum("," in entry["numbers"] for entry in entries)
    quantities = sum(_QUANTITY.search(entry["label"]) is not None for entry in entries)
    if len(entries) < _LEAST_INDEX[not is_named] or quantities > 1 or max(numbers) > last:
        return False
    is_sorted = ordered >= _SORTED * (len(entries) - 1) and initials[0] < initials[-1]
    return is_sorted and (is_named or multiple >= _MULTIPLE)


def _whole_blocks(lines: Sequence[_Line], inside: set[int]) -> set[tuple[int, int]]:
    """Return the places of blocks that lie in a list as a whole and hold no sentence."""
    places = {lines[at].place for at in inside}
    for at, line in enumerate(lines):
        is_text = at not in inside or (_ENDED.search(line.text) and not _ENTRY.match(line.text))
        if is_text and not _CONTENTS.match(line.text):
            places.discard(line.place)
    return places


def _marked(page: Page, indexes: set[int]) -> Page:
    if not indexes:
        return page
    gone = [page.blocks[index] for index in indexes]
    blocks = (
        Block(BlockKind.CONTENTS, b.start, b.end, lines=b.lines) if index in indexes else b
        for index, b in enumerate(page.blocks)
    )
    doubts = (
        doubt
        for doubt in page.doubts
        if doubt.start == doubt.end
        or not any(b.start <= doubt.start and doubt.end <= b.end for b in gone)
    )
    return replace(page, blocks=tuple(blocks), doubts=tuple(doubts))
