"""Pages whose picture has to be read, because their own text is missing, garbage, or a mere stamp.

Reading a picture takes seconds, so a page is looked at only on suspicion; what was read decides.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from enum import StrEnum

from corpus.parsing.layout.geometry import PageCells, contains, middle
from corpus.parsing.pdf.legibility import (
    has_signs_for_letters,
    has_swapped_letters,
    share_confirmed,
)
from corpus.parsing.pdf.ocr import SCALE, Reader
from corpus.parsing.pdf.render import Renderer
from corpus.parsing.types import Box, Doubt, Page

MIN_LETTERS = 16  # fewer on a page: it has no text of its own
MANY_LETTERS = 600  # more are no stamp on a picture
PICTURE_SHARE = 0.4  # of the page; a scan fills nearly all of it
CONFIRMED = 0.75  # a good text layer agrees with 90 % and more of what is read from its picture
LOW_CONFIDENCE = 0.9
MAX_RATIO = 30  # of a page's sides: a ribbon is no page, and the engine can't take it


class Suspicion(StrEnum):
    """Why a page's own text may not be what it says."""

    NO_TEXT = "no_text"
    SIGNS = "signs"
    SWAPPED = "swapped"
    STAMP = "stamp"


class PictureReader:
    """Looks at the pages of an open PDF where their text layer is not to be trusted."""

    def __init__(self, renderer: Renderer) -> None:
        self._renderer = renderer
        self._reader: Reader | None = None

    def read(self, layer: PageCells) -> PageCells:
        """Return `layer`, or what the picture of its page says where that is better."""
        suspicion = suspicion_of(layer)
        size = self._renderer.size(layer.number)
        if max(size) > MAX_RATIO * min(size):
            return layer
        if suspicion is None and not self._is_picture(layer):
            return layer
        self._reader = self._reader or Reader()
        picture = self._renderer.picture(layer.number, SCALE)
        read = self._reader.read(picture, number=layer.number, size=size)
        return choose(layer, read, suspicion or Suspicion.STAMP)

    def _is_picture(self, layer: PageCells) -> bool:
        """Tell a page of few words that a picture fills. Walks the page's objects."""
        few = _letters(layer) < MANY_LETTERS
        return few and self._renderer.picture_share(layer.number) >= PICTURE_SHARE


def suspicion_of(layer: PageCells) -> Suspicion | None:
    """Return what is wrong with a page's own text at first sight."""
    words = [word.text for word in layer.words]
    if _letters(layer) < MIN_LETTERS:
        return Suspicion.NO_TEXT
    if has_signs_for_letters(words):
        return Suspicion.SIGNS
    return Suspicion.SWAPPED if has_swapped_letters(words) else None


def choose(layer: PageCells, read: PageCells, suspicion: Suspicion) -> PageCells:
    """Return the page's own text or what was read from its picture, with what is doubtful of it."""
    if suspicion is Suspicion.NO_TEXT:
        return _seen(read) if read.words else layer
    if suspicion is Suspicion.STAMP:
        more = _letters(read) > 1.3 * _letters(layer) + MIN_LETTERS
        return _seen(read, _STAMP) if more else layer
    confirmed = share_confirmed([w.text for w in layer.words], [w.text for w in read.words])
    if read.words and confirmed < CONFIRMED:
        return _seen(read, _REPLACED)
    if suspicion is Suspicion.SIGNS and not read.words:
        return replace(layer, doubts=(*layer.doubts, _GARBAGE))
    return layer


def unsure_lines(page: Page, unsure: Sequence[tuple[Box, float]]) -> Iterator[Doubt]:
    """Yield a doubt for each printed line of a page that was not read surely.

    `unsure` holds boxes on the displayed page and their scores; a line is named once, by the lowest
    of the scores on it, in order of the text.
    """
    for line in (line for block in page.blocks for line in block.lines):
        scores = [score for box, score in unsure if contains(line.box, middle(box), margin=1)]
        if scores:
            message = f"This line was read with a confidence of {min(scores):.0%}."
            yield Doubt("ocr_line_unsure", message, line.start, line.end)


def _seen(read: PageCells, *doubts: Doubt) -> PageCells:
    """Return what was read, its doubts in front."""
    confidence = read.ocr_confidence or 0.0
    if confidence < LOW_CONFIDENCE:
        message = f"The picture of this page was read with a confidence of {confidence:.0%} only."
        doubts = (*doubts, Doubt("ocr_low_confidence", message))
    return replace(read, doubts=(*doubts, *read.doubts))


def _letters(page: PageCells) -> int:
    return sum(c.isalnum() for word in page.words for c in word.text)


_STAMP = Doubt(
    "ocr_under_stamp",
    "The page is a picture with a few words of text over it: the picture was read.",
)
_REPLACED = Doubt(
    "ocr_text_replaced",
    "The text that the file holds for this page is not what the page shows: the picture was read.",
)
_GARBAGE = Doubt(
    "text_illegible",
    "The text of this page is mostly signs, and its picture could not be read.",
)
