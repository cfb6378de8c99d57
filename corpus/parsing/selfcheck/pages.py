"""Check after parsing a PDF that the words of each page are in its blocks."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from corpus.parsing.geometry import contains, middle, same_row, union
from corpus.parsing.layout.furniture import MARGIN, is_print_notice
from corpus.parsing.selfcheck.printed import Printed, PrintedWord, plain_texts
from corpus.parsing.selfcheck.share import values_lost, words_found
from corpus.parsing.types import PAGE_ENOUGH, UNREADABLE_PAGE, Box, Doubt, Page

WORDS_NOT_FOUND, VALUES_NOT_FOUND = "words_not_found", "values_not_found"
_LOST = " Numbers and negations printed more often than they were read: {}."
_FIGURES = re.compile(r"\d+|\b[ivxl]+\b")


@dataclass(frozen=True)
class LeftOut:
    """The boxes of words that a page's blocks leave out on purpose.

    `running` are headers, footers and page numbers; `labels` those in figures and `hidden`
    invisible words, for both of which there is a doubt.
    """

    running: Sequence[Box] = ()
    labels: Sequence[Box] = ()
    hidden: Sequence[Box] = ()

    @property
    def boxes(self) -> list[Box]:
        return [*self.running, *self.labels, *self.hidden]


def check_pages(path: Path, pages: Sequence[Page], left_out: Sequence[LeftOut]) -> tuple[Page, ...]:
    """Return the pages of a PDF with the share of their words found, and a doubt where it is low.

    The words are those of PDFium; pages read by OCR stay as they are. Running lines count as left
    out only if another page leaves out the same line, figures aside, or if they are in the margin
    and begin or end with a figure or say that a printed copy is uncontrolled; otherwise their words
    count as missing.
    """
    file = Printed(path)
    checked, running = [], []
    for page, dropped in zip(pages, left_out, strict=True):
        printed = file.words(page.number) if _has_own_text(page) else []
        lines = list(_lines(page, printed, _within(dropped.running, printed)))
        running.append(lines)
        checked.append(_checked(page, printed, dropped) if _has_own_text(page) else page)
    counts = Counter(text for lines in running for text in {line.text for line in lines})
    for at, (page, dropped, lines) in enumerate(zip(pages, left_out, running, strict=True)):
        kept = [line.box for line in lines if counts[line.text] > 1 or line.is_furniture]
        if len(kept) < len(lines):
            dropped = replace(dropped, running=kept)
            checked[at] = _checked(page, file.words(page.number), dropped)
    return tuple(checked)


def _has_own_text(page: Page) -> bool:
    """Tell whether a page was read, and not by OCR, so that its words can be compared."""
    lost = any(doubt.code == UNREADABLE_PAGE for doubt in page.doubts)
    return page.ocr_confidence is None and not lost


def _checked(page: Page, printed: Sequence[PrintedWord], dropped: LeftOut) -> Page:
    left_out = _within(dropped.boxes, printed)
    words = words_found(page, printed, left_out)
    if words.share >= PAGE_ENOUGH:
        return replace(page, words=words)
    kept = " ".join(word.text for at, word in enumerate(printed) if at not in left_out)
    lost = values_lost(kept, plain_texts([page.text])[0])
    code = VALUES_NOT_FOUND if lost else WORDS_NOT_FOUND
    message = (
        f"Read a second time, {words.found} of the {words.checked} words of this page were found "
        f"in order under their boxes ({int(100 * words.share)} %): some may be lost, changed or "
        "out of order."
    ) + (_LOST.format(lost) if lost else "")
    return replace(page, words=words, doubts=(*page.doubts, Doubt(code, message)))


def _within(boxes: Sequence[Box], printed: Sequence[PrintedWord]) -> set[int]:
    """Return the indexes of the words whose middle is in any of the boxes."""
    return {
        index
        for index, word in enumerate(printed)
        if any(contains(box, middle(word.box), margin=0.5) for box in boxes)
    }


@dataclass(frozen=True)
class _Running:
    """A line that was left out as running, with `#` in its text for each figure."""

    text: str
    box: Box
    is_furniture: bool  # in the margin, with a figure at an end, or about printed copies


def _lines(page: Page, printed: Sequence[PrintedWord], dropped: set[int]) -> Iterator[_Running]:
    rows: list[list[PrintedWord]] = []
    for word in sorted((printed[at] for at in dropped), key=lambda word: middle(word.box)[::-1]):
        if rows and same_row(rows[-1][-1].box, word.box):
            rows[-1].append(word)
        else:
            rows.append([word])
    for row in rows:
        box = union(word.box for word in row)
        words = [word.text.lower() for word in sorted(row, key=lambda word: word.box)]
        text = _FIGURES.sub("#", " ".join(words))
        # The margin at any side of the page, since its text may be turned.
        places = zip(middle(box), (page.width, page.height), strict=True)
        in_margin = any(not MARGIN * size <= at <= (1 - MARGIN) * size for at, size in places)
        is_told = "#" in (text[0], text[-1]) or is_print_notice(text)
        yield _Running(text, box, in_margin and is_told)
