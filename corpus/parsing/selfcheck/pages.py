"""The reader's check of itself, at the end of reading: are the words of each page in its blocks?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from corpus.parsing.geometry import contains, middle
from corpus.parsing.selfcheck.printed import Printed, PrintedWord
from corpus.parsing.selfcheck.share import words_found
from corpus.parsing.types import PAGE_ENOUGH, UNREADABLE_PAGE, Doubt, Page

WORDS_NOT_FOUND = "words_not_found"


def check_pages(path: Path, pages: Sequence[Page]) -> tuple[Page, ...]:
    """Return the pages of a PDF with how many of their words PDFium finds under their boxes, and
    with a doubt on each where that is too few. Pages read by OCR stay as they are."""
    file = Printed(path)
    return tuple(
        _checked(page, file.words(page.number)) if _has_own_text(page) else page for page in pages
    )


def _has_own_text(page: Page) -> bool:
    """Tell a page to compare from one that was read by OCR, or that could not be read at all."""
    lost = any(doubt.code == UNREADABLE_PAGE for doubt in page.doubts)
    return page.ocr_confidence is None and not lost


def _checked(page: Page, printed: Sequence[PrintedWord]) -> Page:
    words = words_found(page, printed, _dropped(page, printed))
    if words.share >= PAGE_ENOUGH:
        return replace(page, words=words)
    message = (
        f"Read a second time, {words.found} of the {words.checked} words of this page were found "
        f"in order under their boxes ({int(100 * words.share)} %): some may be lost, changed or "
        "out of order."
    )
    return replace(page, words=words, doubts=(*page.doubts, Doubt(WORDS_NOT_FOUND, message)))


def _dropped(page: Page, printed: Sequence[PrintedWord]) -> set[int]:
    """Return the indexes of the words that the layout left out on purpose."""
    return {
        index
        for index, word in enumerate(printed)
        if any(contains(box, middle(word.box), margin=0.5) for box in page.dropped)
    }
