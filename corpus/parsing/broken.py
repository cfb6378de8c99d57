"""Tell whether a number was broken at a line's end (`Give 1.` / `5 mg`), and doubt its lines. Pure.

A full stop there may also end a sentence, and a comma may part two doses.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from core.language.en.quantities.units import UNIT
from corpus.parsing.lists import list_marker
from corpus.parsing.types import Block, BlockKind, Doubt, Page

NUMBER_BROKEN = Doubt(
    "number_broken",
    "A number may go on here behind a point or a comma: `1.` and `5` may be 1.5. Compare these "
    "lines with the page, and correct them if they are one number.",
)
_AMOUNT = rf"\d{{1,3}}(?:\s?(?:[-–]|to)\s?\d+(?:\.\d+)?)?{UNIT}"
_AMOUNT_FIRST = re.compile(_AMOUNT, re.IGNORECASE)
# Nobody is told to `give 1.`: what is given has a unit.
_GIVEN = re.compile(
    r"\b(?:giv(?:e|en|ing)|tak(?:e|en|ing)|inject|infuse|add|administer|prescribe|doses? of)"
    r"\s(?P<whole>\d{1,3})\.$",
    re.IGNORECASE,
)
# Nor is a dose `1,`. An age or a score can stand before a dose, so the words before the number must
# speak of one.
_GIVEN_THOUSANDS = re.compile(
    r"\b(?:give|take|inject|infuse|add|administer|prescribe|dose of|total of|not exceed"
    r"|maximum(?: of)?)\s[1-9]\d?,$",
    re.IGNORECASE,
)
# Things in the plural behind it may be counted by the number: `2,` / `500 mL boluses`.
_HUNDREDS = re.compile(
    rf"(?!\d+-)\d{{3}}{UNIT}(?!$)(?!(?:\s[\w-]+){{0,2}}\s[\w-]{{3,}}s\b)", re.IGNORECASE
)
_END = re.compile(r"(?<![\w.,])\d{1,3}(?:,\d{3})*[.,]$")
_LABEL = (
    r"(?:tables?|figures?|figs?\.?|sections?|chapters?|appendix|appendices|box|pages?|steps?"
    r"|refs?\.?|references?|recommendations?|algorithms?)"
)
_LABELLED = re.compile(rf"\b{_LABEL}\s(?:\d+(?:\s?[,–-]\s?|\s(?:and|or|to)\s))*\d+[.,]$", re.I)
_CITED = re.compile(r"\d[;:]\S*$|\[[\d\s,–-]*,$")  # `2010;65:8.` and `[99,` / `100]`
# A capital letter begins a name or a sentence behind the number of a list.
# `500 mg on day 1, 250 mg on day 2`: a time before a dose.
_TIMED = re.compile(
    r"\b(?:days?|weeks?|months?|hours?|cycles?|visits?|doses?)\s(?:\d+\W+)*\d+,$", re.I
)
_AFTER_POINT = re.compile(rf"(?i:{_AMOUNT})|\d{{1,3}}(?![\d,]|\.\d|\s(?:\.\s)?[A-Z])")
_AFTER_COMMA = re.compile(rf"\d{{3}}(?![.,]?\d)|{_AMOUNT}", re.IGNORECASE)
_THOUSANDS = re.compile(r"0\d\d(?!\d)")
# A program may print a blank next to the point; at the beginning the number is that of a list.
_WITHIN = re.compile(
    rf"(?<=[^\s|] )\d{{1,3}}\. (?={_AMOUNT})|(?<![\w.,])\d{{1,3}} \.(?={_AMOUNT})"
    rf"|(?<![\w.,])(?<!\d, )\d{{1,3}}, (?=\d{{3}}{UNIT})",
    re.IGNORECASE,
)
_FLOWING = (BlockKind.PARAGRAPH, BlockKind.LIST_ITEM)


def goes_on(before: str, after: str) -> bool:
    """Tell whether a line most probably ends in a number that the next one completes."""
    return bool(_GIVEN.search(before) and _AMOUNT_FIRST.match(after)) or _is_given_in_thousands(
        before, after
    )


def _is_given_in_thousands(before: str, after: str) -> bool:
    return bool(_GIVEN_THOUSANDS.search(before) and _HUNDREDS.match(after))


def _is_sure(before: str, after: str) -> bool:
    """Tell whether two joined lines can only be one number: `Give 0.5 mg`, `1,000`."""
    if given := _GIVEN.search(before):
        return int(given["whole"]) == 0
    if _is_given_in_thousands(before, after):
        return True
    return before.endswith(",") and _THOUSANDS.match(after) is not None


def _may_go_on(before: str, after: str) -> bool:
    if not _END.search(before) or _is_apart(before):
        return False
    return (_AFTER_POINT if before.endswith(".") else _AFTER_COMMA).match(after) is not None


def _is_apart(before: str) -> bool:
    """Tell whether the number at the end of a text belongs to the words before it."""
    return any(form.search(before) for form in (_LABELLED, _CITED, _TIMED))


@dataclass(frozen=True)
class _Printed:
    """A line of running text: the place of its page among all, its block, its place and text."""

    at: int
    block: Block
    start: int
    end: int
    text: str


def doubt_breaks(pages: Sequence[Page]) -> tuple[Page, ...]:
    """Return the pages with a doubt for each line or row in which a number may be broken."""
    lines = [line for at, page in enumerate(pages) for line in _lines(at, page)]
    broken = [line for line in lines if _is_broken_within(line)]
    for before, after in pairwise(lines):
        if _is_broken(before, after, pages[after.at].text):
            broken += [before, after]
    spans = sorted({(line.at, line.start, line.end) for line in broken})
    return tuple(
        replace(page, doubts=(*page.doubts, *(
            replace(NUMBER_BROKEN, start=start, end=end) for on, start, end in spans if on == at
        )))
        for at, page in enumerate(pages)
    )  # fmt: skip


def _lines(at: int, page: Page) -> Iterator[_Printed]:
    """Yield the printed lines of a page, blocks without lines, and the rows of tables."""
    for block in page.blocks:
        rows = block.table.rows if block.table else ()
        spans = [(part.start, part.end) for part in rows or block.lines]
        for start, end in spans or [(block.start, block.end)]:
            yield _Printed(at, block, start, end, page.text[start:end])


def _is_broken_within(line: _Printed) -> bool:
    matches = _WITHIN.finditer(line.text)
    return any(not _is_apart(line.text[: match.end()].rstrip()) for match in matches)


def _is_broken(before: _Printed, after: _Printed, text: str) -> bool:
    """Tell whether a number may begin in one line and end in the next, on a page with `text`."""
    first, second = before.block, after.block
    if BlockKind.TABLE in (first.kind, second.kind) or not _may_go_on(before.text, after.text):
        return False
    if first is second:
        is_joined = before.end == after.start
        return not (is_joined and _is_sure(before.text, after.text))
    flows = first.kind in _FLOWING and second.kind in _FLOWING
    if second.kind is BlockKind.LIST_ITEM:
        flows = flows and list_marker(after.text) is not None  # else its bullet was left out
    return flows and not _is_listed(after.text, text)


def _is_listed(line: str, text: str) -> bool:
    """Tell whether a line begins with the number of a list: its neighbour begins another line."""
    marker = re.match(r"(\d{1,3})([.)])\s", line)
    if marker is None:
        return False
    adjacent = (int(marker[1]) - 1, int(marker[1]) + 1)
    return any(re.search(rf"^{number}{re.escape(marker[2])}\s", text, re.M) for number in adjacent)
