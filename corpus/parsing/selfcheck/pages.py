"""The reader's check of itself, at the end of reading: are the words of each page in its blocks?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from corpus.parsing.selfcheck.margins import dropped_words
from corpus.parsing.selfcheck.printed import Printed
from corpus.parsing.selfcheck.share import words_found
from corpus.parsing.types import PAGE_ENOUGH, Doubt, Page, WordsFound

WORDS_NOT_FOUND = "words_not_found"


def check_pages(path: Path, pages: Sequence[Page]) -> tuple[Page, ...]:
    """Return the pages of a PDF with how many of their words PDFium finds under their boxes, and
    with a doubt on each where that is too few. Pages read by OCR stay as they are."""
    file = Printed(path)
    printed = [file.words(page.number) if page.ocr_confidence is None else [] for page in pages]
    dropped = dropped_words(pages, printed)
    return tuple(
        page if page.ocr_confidence is not None else _checked(page, words_found(page, words, left))
        for page, words, left in zip(pages, printed, dropped, strict=True)
    )


def _checked(page: Page, words: WordsFound) -> Page:
    if words.share >= PAGE_ENOUGH:
        return replace(page, words=words)
    message = (
        f"Read a second time, {words.found} of the {words.checked} words of this page were found "
        f"in order under their boxes ({int(100 * words.share)} %): some may be lost, changed or "
        "out of order."
    )
    return replace(page, words=words, doubts=(*page.doubts, Doubt(WORDS_NOT_FOUND, message)))
