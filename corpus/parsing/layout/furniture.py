"""Find running headers, footers and page numbers in the margins of pages."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from core.language.en.medicines.names import drugs
from core.language.en.quantities.units import MONTHS, SECONDS, UNIT, unit_of
from core.language.en.statements.clauses import has_verb, is_imperative
from core.language.en.statements.leads import limits
from corpus.parsing.geometry import PageCells, middle, typical_size
from corpus.parsing.layout.runs import Line, lines_of
from corpus.parsing.tables.tops import beside, framed_titles, is_head_row

MARGIN = 0.12  # of the page's height, at the top and at the bottom
EDGE = 0.08
_MANY = 0.2  # of the pages, with a line in one place and font at the edge: it is a running line
_TELLING = 12  # characters: a repeated line of that length is no heading of a part
_AMOUNT = re.compile(rf"(?<![\w/])\d[\d.,]*({UNIT})")
_FIGURES = re.compile(r"\d+|\b[ivxl]+\b", re.IGNORECASE)
_PAGE_OF = re.compile(r"\bpage\s+\d{1,4}\s+of\s+\d{1,4}$", re.IGNORECASE)
# A footer, in whatever print: `Page 85 of 168 – Version 2`.
_PAGE_FIRST = re.compile(
    r"^page\s+\d{1,4}\s+of\s+\d{1,4}\s*[-–—|·•:]\s*(?P<rest>.{0,60})$", re.IGNORECASE
)
_PRINT_NOTICE = re.compile(
    r"\b(?:un|not )controlled\b.{0,40}\bprint"
    r"|\bprint(?:ed|s|outs?)?\b.{0,60}\b(?:un|not )controlled\b",
    re.IGNORECASE,
)
_PAGE_NUMBER = re.compile(
    r"^(?:page\s+)?[-–—|]?\s*(?:[A-Z]?\d{1,4}|[ivxl]{1,6}|\d{1,2}\s*[-–]\s*\d{1,3})"
    r"\s*[-–—|]?(?:\s*(?:of|/)\s*\d{1,4})?$",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class _Margin:
    """A line in a page's margin, and the keys by which it is compared with other pages."""

    page: PageCells
    line: Line

    @property
    def slot(self) -> tuple[int, float, str]:
        """The line's height on the page, font size and font, rounded to be compared."""
        word = self.line.words[0]
        return (round(self.line.box[1] / 4), round(self.line.size * 2) / 2, word.font)

    @property
    def place(self) -> int:
        return round(self.line.box[1] / 6)

    @property
    def is_at_edge(self) -> bool:
        y = middle(self.line.box)[1]
        return not EDGE * self.page.height <= y <= (1 - EDGE) * self.page.height

    @property
    def pattern(self) -> str:
        """The text in lower case, with `#` for each figure, such as a page number or a date."""
        return _FIGURES.sub("#", self.line.text.lower())


def running_words(pages: Sequence[PageCells]) -> set[int]:
    """Return the ids of words in running headers, footers and page numbers.

    A line in the upper or lower margin (12 % of the page's height) counts if one of these holds:

    - it is a page number, alone or before a version, or says that a printed copy is uncontrolled
    - its text stands at the same height on a third of the pages, two at least; figures may differ
      in small print
    - it stands at the edge, where a fifth of the pages, four at least, have a line in its font and
      size; and its text is on another page, or it is small print there on half of the pages
    - it is small print of 12 characters or more, whose text (figures may differ) stands in the
      margins of a third of the pages, at any height
    - the document has one page, and the line stands at its upper edge

    - it is the title row of a frame, alike on most pages but for their number

    What says something, or labels the columns of a table right below it, does not count for being
    repeated.
    """
    usual = typical_size([word for page in pages for word in page.words])
    margins = []
    for page in pages:
        top, bottom = MARGIN * page.height, (1 - MARGIN) * page.height
        words = [word for word in page.words if not top <= middle(word.box)[1] <= bottom]
        margins += [_Margin(page, line) for line in lines_of(words)]
    texts = _pages_with((m.line.text.lower(), m.place, m.page.number) for m in margins)
    patterns = _pages_with((m.pattern, m.place, m.page.number) for m in margins)
    anywhere = _pages_with((m.pattern, 0, m.page.number) for m in margins)
    slots = _pages_with((m.slot, 0, m.page.number) for m in margins)
    enough = max(2, len(pages) // 3)
    many = max(4, _MANY * len(pages))
    running = framed_titles(pages)
    again_on: list[_Margin] = []
    for margin in margins:
        page, line = margin.page, margin.line
        same = texts[line.text.lower(), margin.place]
        is_small = line.size <= 1.05 * usual
        alike = patterns[margin.pattern, margin.place] if is_small else same
        there = slots[margin.slot, 0] if margin.is_at_edge else 0
        again = max(same, alike) >= 2 or (line.size < 0.95 * usual and 2 * there >= len(pages))
        moved = (
            is_small and len(margin.pattern) >= _TELLING and anywhere[margin.pattern, 0] >= enough
        )
        repeated = max(same, alike) >= enough or (there >= many and again) or moved
        # Small print, or a letterhead, at the upper edge of a document's only page.
        edge = EDGE if line.size < 0.9 * usual else EDGE / 2
        alone = len(pages) == 1 and line.box[3] < edge * page.height
        if _is_number(page, line) or is_print_notice(line.text) or alone:
            running.update(id(word) for word in line.words)
        elif repeated and not _is_said(margin, max(same, alike), len(pages), usual):
            again_on.append(margin)
    alike_words = {id(word) for margin in again_on for word in margin.line.words}
    heads = [m for m in again_on if is_head_row(m.page, m.line, alike_words)]
    for margin in again_on:
        on_page = (head.line for head in heads if head.page is margin.page)
        if margin not in heads and not any(beside(margin.line, head) for head in on_page):
            running.update(id(word) for word in margin.line.words)
    return running


def _is_said(margin: _Margin, times: int, pages: int, usual: float) -> bool:
    """Tell whether a line that stands on several pages says something that must be read.

    An amount does, wherever it stands, and what asks for something or ends as a sentence does, in
    the size of the text. So does a verb, a limit or a medicine's name, unless the line may be a
    title: in small print or at the edge, on most of the pages.
    """
    line, is_text = margin.line, margin.line.size >= 0.95 * usual
    text = line.text
    is_asking = is_imperative(text) or limits(text)
    ends = text[-1] in ".;:!?" and len(line.words) > 2
    if _has_amount(text) or (is_text and (ends or is_asking)):
        return True
    may_be_title = 2 * times >= pages and (not is_text or margin.is_at_edge)
    if may_be_title and (times >= 3 or (margin.is_at_edge and not is_text)):
        return times < 3 and is_imperative(text)
    return is_asking or has_verb(text) or (not may_be_title and bool(drugs(text)))


def _says_more(text: str) -> bool:
    return _has_amount(text) or has_verb(text) or is_imperative(text) or bool(drugs(text))


def _has_amount(text: str) -> bool:
    """Tell whether a text has a number with a unit that is none of time."""
    units = (unit_of(match[1].strip(" -"))[0] for match in _AMOUNT.finditer(text))
    return any(unit not in ("", SECONDS, MONTHS) for unit in units)


def is_print_notice(text: str) -> bool:
    """Tell whether a line says that a printed copy is uncontrolled: `Uncontrolled when printed`."""
    return _PRINT_NOTICE.search(text) is not None


def _pages_with(seen: object) -> Counter[tuple[object, int]]:
    """Count the pages that have each text, pattern or slot at each height."""
    return Counter((what, where) for what, where, _ in set(seen))  # type: ignore[call-overload]


def _is_number(page: PageCells, line: Line) -> bool:
    first = _PAGE_FIRST.match(line.text)
    if _PAGE_OF.search(line.text) or (first and not _says_more(first["rest"])):
        return True
    is_number = _PAGE_NUMBER.match(line.text) is not None
    return is_number and not _in_cell(page, line) and not _goes_on(page, line)


def _goes_on(page: PageCells, line: Line) -> bool:
    """Tell whether a figure stands right below a line of text that it may end."""
    left, _, _, bottom = line.box
    return any(
        0 < bottom - word.box[3] < 1.6 * line.size
        and word.box[0] <= left + 2
        and abs(word.size - line.size) < 0.6
        and any(c.isalpha() for c in word.text)
        for word in page.words
    )


def _in_cell(page: PageCells, line: Line) -> bool:
    """Tell whether a figure stands in a ruled cell, and so is no page number."""
    beside = [
        rule.box
        for rule in page.rules
        if not rule.horizontal and rule.box[1] <= middle(line.box)[1] <= rule.box[3]
    ]
    left = any(box[2] <= line.box[0] for box in beside)
    return left and any(box[0] >= line.box[2] for box in beside)
