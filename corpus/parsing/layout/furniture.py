"""Running headers, footers and page numbers: what stands in the margin of page after page."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from corpus.parsing.layout.geometry import PageCells, Word, middle, typical_size
from corpus.parsing.layout.runs import Line, link_runs, merge_row, rows_of

MARGIN = 0.12  # of the page's height, at the top and at the bottom
EDGE = 0.08
_NUMBER = re.compile(r"\d+")
_PAGE_OF = re.compile(r"\bpage\s+\d{1,4}\s+of\s+\d{1,4}$", re.IGNORECASE)
_PAGE_NUMBER = re.compile(
    r"^(?:page\s+)?[-–—]?\s*(?:\d{1,4}|[ivxl]{1,6})\s*[-–—]?(?:\s*(?:of|/)\s*\d{1,4})?$",
    re.IGNORECASE,
)


def running_words(pages: Sequence[PageCells]) -> set[int]:
    """Return the ids of the words that are no part of what the pages say.

    A line counts when it stands at the same height on another page, and on at least a third of
    them, with the same text, or the same but for a number that counts the pages; or when it is a
    page number.
    """
    usual = typical_size([word for page in pages for word in page.words])
    lines = [(page, line) for page in pages for line in _margin_lines(page)]
    seen = {(key, page.number) for page, line in lines for key in _keys(page, line, usual)}
    pages_with = Counter(key for key, _ in seen)
    enough = max(2, len(pages) // 3)
    running: set[int] = set()
    for page, line in lines:
        repeated = any(pages_with[key] >= enough for key in _keys(page, line, usual))
        alone = len(pages) == 1 and _is_head(page, line, usual)
        if repeated and _is_said(line, usual):
            repeated = False
        number = (
            _PAGE_NUMBER.match(line.text) and not _in_cell(page, line) and not _goes_on(page, line)
        )
        if repeated or alone or number or _PAGE_OF.search(line.text):
            running.update(id(word) for word in line.words)
    return running


def _is_said(line: Line, usual: float) -> bool:
    """Tell a sentence in the size of the text, which may stand alike on many pages."""
    return line.size >= 0.95 * usual and line.text[-1] in ".;:!?" and len(line.words) > 2


def _goes_on(page: PageCells, line: Line) -> bool:
    """Tell a figure right below a line of text that it may end."""
    left, _, _, bottom = line.box
    return any(
        0 < bottom - word.box[3] < 1.6 * line.size
        and word.box[0] <= left + 2
        and abs(word.size - line.size) < 0.6
        and any(c.isalpha() for c in word.text)
        for word in page.words
    )


def _in_cell(page: PageCells, line: Line) -> bool:
    """Tell a figure in a ruled cell, which is no page number, from one that stands free."""
    beside = [
        rule.box
        for rule in page.rules
        if not rule.horizontal and rule.box[1] <= middle(line.box)[1] <= rule.box[3]
    ]
    left = any(box[2] <= line.box[0] for box in beside)
    return left and any(box[0] >= line.box[2] for box in beside)


def _is_head(page: PageCells, line: Line, usual: float) -> bool:
    """Tell small print, or a letterhead, at the upper edge of a page that no other can confirm."""
    small = line.size < 0.9 * usual
    return line.box[3] < (EDGE if small else EDGE / 2) * page.height


def _margin_lines(page: PageCells) -> list[Line]:
    def outer(word: Word) -> bool:
        y = (word.box[1] + word.box[3]) / 2
        return y < MARGIN * page.height or y > (1 - MARGIN) * page.height

    words = [word for word in page.words if outer(word)]
    return [merge_row(row) for row in rows_of(link_runs(words))]


def _keys(page: PageCells, line: Line, usual: float) -> list[tuple[str, int]]:
    """Return what a running line has in common with those of other pages: text and height.

    Numbers count from the page's, so that `page 7` on page 5 equals `page 8` on page 6. Large
    lines may be headings (`Step 1`, `Step 2`), so that their numbers are not touched.
    """
    height = round(line.box[1] / 6)
    text = line.text.lower()
    keys = [(text, height)]
    if line.size <= 1.05 * usual and _NUMBER.search(text):
        counted = _NUMBER.sub(lambda match: f"#{int(match.group()) - page.number}", text)
        keys.append((counted, height))
    return keys
