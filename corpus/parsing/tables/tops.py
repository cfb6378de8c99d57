"""Tell what stands on top of a page's table: its labels, or the document's title and the page.

Labels that a table repeats on each page are no running header, and a running title that is printed
inside the table's frame (`Guideline on infection | Page 4`) is no label.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

from corpus.parsing.geometry import PageCells, Word, contains, middle
from corpus.parsing.layout.runs import Line, lines_of, link_runs, rows_of
from corpus.parsing.tables.grids import ruled_regions

_TOP = 0.3  # of the page's height: lower no title is repeated
_LEAST_PAGES = 3  # with one title, and half of the pages
_ALIGNED = 6.0  # points between left edges, or middles, of one column
_GAP = 2.5  # font heights between the rows of a table at most, with wide cells
_LOOK_ROWS = 6
_FIGURES = re.compile(r"\d+")


def framed_titles(pages: Sequence[PageCells]) -> set[int]:
    """Return the ids of words in title rows of frames: alike on most pages but for their number.

    One of its figures must count the pages, so that no table's own labels are taken for a title.
    """
    found: defaultdict[str, list[tuple[PageCells, list[Word]]]] = defaultdict(list)
    for page in pages if len(pages) >= _LEAST_PAGES else ():
        for row in _top_rows(page):
            text = " ".join(line.text for line in lines_of(row))
            found[_FIGURES.sub("#", text.lower())].append((page, row))
    running: set[int] = set()
    for pattern, rows in found.items():
        many = len(rows) >= _LEAST_PAGES and 2 * len(rows) >= len(pages)
        if many and any(char.isalpha() for char in pattern) and _count_pages(rows):
            running.update(id(word) for _, row in rows for word in row)
    return running


def _top_rows(page: PageCells) -> Iterator[list[Word]]:
    """Yield the words of the first row of each ruled table that begins at the top of a page."""
    for region in ruled_regions(page) if page.rules else ():
        if region.box[1] > _TOP * page.height:
            return
        inside = [word for word in page.words if contains(region.box, middle(word.box))]
        bands = zip(region.ys, region.ys[1:], strict=False)
        rows = ([word for word in inside if a <= middle(word.box)[1] < b] for a, b in bands)
        first = next((row for row in rows if row), None)
        if first and len(first) < len(inside):
            yield first


def _count_pages(rows: Sequence[tuple[PageCells, list[Word]]]) -> bool:
    """Tell whether a figure of these rows rises by one with each page."""
    figures = []
    for page, row in rows:
        text = " ".join(line.text for line in lines_of(row))
        figures.append([int(n) - page.number for n in _FIGURES.findall(text) if len(n) < 5])
    return any(len(set(column)) == 1 for column in zip(*figures, strict=False))


def is_head_row(page: PageCells, line: Line, repeated: set[int]) -> bool:
    """Tell whether a line stands right on the rows of a table, in two of its columns at least.

    `repeated` are the ids of words that stand alike on other pages: rows of them are labels, too.
    """
    heads = link_runs(line.words, page.rules)
    if len(heads) < 2:
        return False
    low = line.box[3] - 1
    reach = low + _LOOK_ROWS * _GAP * line.size
    words = [word for word in page.words if low <= word.box[1] <= reach]
    bottom, aligned = line.box[3], 0
    for row in rows_of(link_runs(words, page.rules))[:_LOOK_ROWS]:
        if min(run.box[1] for run in row) - bottom > _GAP * line.size:
            break
        bottom = max(run.box[3] for run in row)
        if all(id(word) in repeated for run in row for word in run.words):
            continue
        aligned += sum(any(_in_column(head, run) for run in row) for head in heads) >= 2
    return aligned >= 2


def _in_column(head: Line, run: Line) -> bool:
    left = abs(head.box[0] - run.box[0]) <= _ALIGNED
    return left or abs(middle(head.box)[0] - middle(run.box)[0]) <= _ALIGNED


def beside(line: Line, head: Line) -> bool:
    """Tell whether a line goes on with the labels of a head row, right above or below it."""
    gap = max(line.box[1] - head.box[3], head.box[1] - line.box[3])
    inside = head.box[0] - _ALIGNED <= line.box[0] and line.box[2] <= head.box[2] + _ALIGNED
    return inside and gap < 0.6 * head.size
