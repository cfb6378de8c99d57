"""Read by OCR what a page shows and its text layer lacks.

A page with a garbled text layer is read whole, and the result decides which text is kept. A sound
text layer gets the lines in pictures added. A page that needs neither is not read.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from enum import StrEnum
from typing import Any

from corpus.parsing.geometry import (
    Around,
    PageCells,
    Word,
    area,
    contains,
    middle,
    shifted,
    typical_size,
    upright,
)
from corpus.parsing.pdf.legibility import (
    has_swapped_letters,
    has_unmapped_letters,
    share_confirmed,
)
from corpus.parsing.pdf.misnamed import one_form
from corpus.parsing.pdf.ocr import SCALE, Reader
from corpus.parsing.pdf.ocr_models import HEIGHT_PX, LineReader
from corpus.parsing.pdf.render import Renderer
from corpus.parsing.standing import NOT_IN_FORCE, is_said
from corpus.parsing.types import Box, Doubt, Page, ParseError

MIN_LETTERS = 16  # a page with fewer has no text of its own; a picture with fewer is a logo
MANY_LETTERS = 600  # a page with as many has more text than a title or a stamp
LARGE_PICTURE = 0.04  # of the page; a logo or a portrait is smaller
MANY_OUTLINES = 150  # of letters on a page: title pages with logos have up to 112
LOW_CONFIDENCE = 0.9
MAX_RATIO = 30  # of a page's sides: a ribbon is no page
MAX_CONFIRMED = 200  # signs of a document
MAX_AROUND = 40  # characters
UNSURE_SIGN = 0.4  # that the signs of a line may lack of being sure, all together
EDGE = 0.1  # of a line's height, to its left and right
FAINT = 24  # of 255 levels of grey: what differs less is no print


class Suspicion(StrEnum):
    """Why the text layer of a page may be wrong."""

    UNMAPPED = "unmapped"
    SWAPPED = "swapped"


# Least share of the words read by OCR that a text layer must have to be kept: a good one has 90 %
# and more. Where letters are known to be missing, a paragraph may be missing too.
CONFIRMED = {Suspicion.SWAPPED: 0.75, Suspicion.UNMAPPED: 0.9}


class PictureReader:
    """Reads pages of an open PDF by OCR, where their text layer lacks what they show."""

    def __init__(self, renderer: Renderer) -> None:
        self._renderer = renderer
        self._reader: Reader | None = None
        self._lines: LineReader | None = None
        self._confirmations = 0

    def read(self, layer: PageCells) -> PageCells:
        """Return a page's cells with words from its pictures added, or replaced by those of OCR."""
        size = self._renderer.size(layer.number)
        if max(size) > MAX_RATIO * min(size):
            return layer
        whole = (0.0, 0.0, *size)
        suspicion = suspicion_of(layer)
        if suspicion is not None:
            return choose(layer, self._read(layer.number, whole), suspicion)
        cells = layer
        for region in self._regions(layer, whole):
            read = self._read(layer.number, region, known_boxes(layer, region))
            cells = join(cells, read, region)
        return cells

    def confirms(self, number: int, around: Around) -> bool:
        """Tell whether OCR surely reads the same around a sign as the text layer does.

        False where it is not installed, and after 200 signs of a document.
        """
        self._confirmations += 1
        if self._confirmations > MAX_CONFIRMED or len(around.text) > MAX_AROUND:
            return False
        try:
            text, score = self._read_line(number, around)
        except ParseError:
            return False
        return len(text) * (1 - score) < UNSURE_SIGN and _bare(text) == _bare(around.text)

    def _read_line(self, number: int, around: Around) -> tuple[str, float]:
        import numpy  # heavy, so late

        left, top, right, bottom = around.box
        wide, tall = self._renderer.size(number)
        if around.turn in (90, 270):
            high = right - left
            region = (left, max(0.0, top - EDGE * high), right, min(tall, bottom + EDGE * high))
        else:
            high = bottom - top
            region = (max(0.0, left - EDGE * high), top, min(wide, right + EDGE * high), bottom)
        picture = self._renderer.picture(number, HEIGHT_PX / high, region)
        self._lines = self._lines or LineReader()
        level = picture.rotate(around.turn, expand=True)
        return self._lines.read(numpy.ascontiguousarray(level))

    def _regions(self, layer: PageCells, whole: Box) -> list[Box]:
        """Return the regions of a page that may show text which the text layer lacks."""
        pictures = self._renderer.pictures(layer.number)
        letters = letters_of(layer.words)
        large = [box for box in pictures if area(box) >= LARGE_PICTURE * area(whole)]
        if letters >= MANY_LETTERS:
            return large
        drawn = large or self._renderer.outlines(layer.number) >= MANY_OUTLINES
        return [whole] if drawn or letters < MIN_LETTERS else []

    def _read(self, number: int, region: Box, known: Sequence[Box] = ()) -> PageCells:
        """Return the words in a region of the displayed page, except those with `known` boxes."""
        size = (region[2] - region[0], region[3] - region[1])
        picture = self._renderer.picture(number, SCALE, region)
        if _is_blank(picture, known, picture.width / size[0]):
            return PageCells(number, *size, ())
        self._reader = self._reader or Reader()
        return self._reader.read(picture, number=number, size=size, known=known)


def _bare(text: str) -> str:
    """Return a text without blanks, the forms of its signs, and case."""
    return one_form("".join(text.split())).casefold()


def suspicion_of(layer: PageCells) -> Suspicion | None:
    """Return what seems wrong with the text layer of a page; None for nothing."""
    words = [word.text for word in layer.words]
    if has_unmapped_letters(words, layer.unmapped):
        return Suspicion.UNMAPPED
    return Suspicion.SWAPPED if has_swapped_letters(words) else None


def choose(layer: PageCells, read: PageCells, suspicion: Suspicion) -> PageCells:
    """Return the text layer or the words read by OCR, with doubts.

    OCR is chosen if the text layer has too few of its words.
    """
    confirmed = share_confirmed([w.text for w in layer.words], [w.text for w in read.words])
    if read.words and confirmed < CONFIRMED[suspicion]:
        return _seen(read, _REPLACED)
    if suspicion is Suspicion.UNMAPPED:
        doubt = _SOME_UNKNOWN if read.words else _GARBAGE
        return replace(layer, doubts=(*layer.doubts, doubt))
    return layer


def join(layer: PageCells, read: PageCells, region: Box) -> PageCells:
    """Return a page with the words read from a region, or with a doubt why they are left out.

    Unchanged if fewer than 16 letters were read and the page has words of its own.
    """
    letters = letters_of(read.words)
    is_whole = area(region) >= area((0.0, 0.0, *layer.displayed_size))
    if not layer.words and is_whole:
        return _seen(read) if read.words else layer
    if letters < MIN_LETTERS:
        is_stamp = is_said([" ".join(word.text for word in read.words)])
        return replace(layer, doubts=(*layer.doubts, NOT_IN_FORCE)) if is_stamp else layer
    count = len(read.words)
    if holds_words(read.words) and read.turn == layer.turn:
        message = f"{count} words of this page stand in a picture, and were read from it. "
        doubt = Doubt("ocr_picture_read", f"{message}Check them and their order.")
        return add_words(layer, _seen(read, doubt), region)
    if not holds_words(read.words):
        message = f"A picture on this page holds numbers and labels ({count}). They are not "
        doubt = Doubt("ocr_picture_labels", message + _ONLY_THERE)
    elif is_whole and letters > letters_of(layer.words):
        return _seen(read, _STAMP)
    else:
        message = f"A picture on this page holds text in another direction ({count} words). "
        doubt = Doubt("ocr_picture_turned", f"{message}It is not {_ONLY_THERE}")
    return replace(layer, doubts=(*layer.doubts, doubt))


def unsure_lines(page: Page, unsure: Sequence[tuple[Box, float]]) -> Iterator[Doubt]:
    """Yield a doubt for each printed line of a page that OCR was not sure of.

    `unsure` holds boxes on the displayed page and their scores. A line is named once, with its
    lowest score, in order of the text.
    """
    for line in (line for block in page.blocks for line in block.lines):
        scores = [score for box, score in unsure if contains(line.box, middle(box), margin=1)]
        if scores:
            message = f"This line was read with a confidence of {min(scores):.0%}."
            yield Doubt("ocr_line_unsure", message, line.start, line.end)


def _seen(read: PageCells, *doubts: Doubt) -> PageCells:
    """Return the result of OCR with `doubts`, and one for low confidence, before its own."""
    confidence = read.ocr_confidence or 0.0
    if confidence < LOW_CONFIDENCE:
        message = f"The picture of this page was read with a confidence of {confidence:.0%} only."
        doubts = (*doubts, Doubt("ocr_low_confidence", message))
    return replace(read, doubts=(*doubts, *read.doubts))


def _is_blank(picture: Any, known: Sequence[Box], px_per_pt: float) -> bool:
    """Tell whether a picture shows nothing besides words with `known` boxes."""
    from PIL import ImageDraw  # heavy, so late

    grey = picture.convert("L")
    pen = ImageDraw.Draw(grey)
    for box in known:
        left, top, right, bottom = (edge * px_per_pt for edge in box)
        pen.rectangle((left - 2, top - 2, right + 2, bottom + 2), fill=grey.getpixel((0, 0)))
    darkest, lightest = grey.getextrema()
    return bool(lightest - darkest < FAINT)


_ONLY_THERE = "part of the text that is searched: check that nothing needed stands only there."
_STAMP = Doubt(
    "ocr_under_stamp",
    "The page is a picture that lies in another direction than a few words of text over it: the "
    "picture was read, and these words were left out.",
)
_REPLACED = Doubt(
    "ocr_text_replaced",
    "The text that the file holds for this page is not what the page shows: the picture was read.",
)
_SOME_UNKNOWN = Doubt(
    "text_partly_illegible",
    "Some characters of this page's text are unknown, and missing or wrong here. The picture of "
    "the page bears out the rest: compare them where it matters.",
)
_GARBAGE = Doubt(
    "text_illegible",
    "The text of this page is mostly signs, and its picture could not be read.",
)


_LONG = 3
_WORDS_SHARE = 0.45  # of words of three letters: algorithms have two thirds, charts a quarter


def letters_of(words: Sequence[Word]) -> int:
    return sum(c.isalnum() for word in words for c in word.text)


def holds_words(words: Sequence[Word]) -> bool:
    """Tell whether these are words, and not the numbers and letters along the axes of a chart."""
    long = sum(sum(c.isalpha() for c in word.text) >= _LONG for word in words)
    return long >= _WORDS_SHARE * len(words)


def known_boxes(layer: PageCells, region: Box) -> list[Box]:
    """Return the boxes of a page's words in a region, in points from the region's corner."""
    boxes = [layer.displayed(word.box) for word in layer.words]
    inside = [box for box in boxes if contains(region, middle(box))]
    return [shifted(box, -region[0], -region[1]) for box in inside]


def add_words(layer: PageCells, read: PageCells, region: Box) -> PageCells:
    """Return a page with the words read from a region, which has the direction of its text.

    These words get the usual font size of the page: a size measured in a picture is a guess, and
    would make headings of labels. Drawings in the region are dropped, so that no figure takes its
    words as labels.
    """
    size = layer.displayed_size

    def placed(box: Box) -> Box:
        return upright(shifted(read.displayed(box), *region[:2]), size, layer.turn)

    font_size = typical_size(layer.words)
    words = [replace(word, box=placed(word.box), size=font_size) for word in read.words]
    drawn = [box for box in layer.drawn if not contains(region, middle(layer.displayed(box)))]
    confidences = [x.ocr_confidence for x in (layer, read) if x.ocr_confidence is not None]
    return replace(
        layer,
        words=(*layer.words, *words),
        ocr_confidence=min(confidences, default=None),
        doubts=(*layer.doubts, *read.doubts),
        unsure=(*layer.unsure, *((placed(box), score) for box, score in read.unsure)),
        drawn=tuple(drawn),
    )
