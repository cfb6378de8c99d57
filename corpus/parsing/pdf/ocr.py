"""Read the words in the picture of a page, or of a part of it, by OCR."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from corpus.parsing.clean import clean_line
from corpus.parsing.geometry import (
    PageCells,
    Word,
    contains,
    height,
    middle,
    overlap,
    upright,
    width,
)
from corpus.parsing.pdf.ocr_models import LineFinder, LineReader, Quad
from corpus.parsing.types import Box, Doubt

SCALE = 3.0  # pixels a point: lines of 10 points come at the height that the recogniser wants
FIND_SCALE = 2.0  # pixels a point: at less, marks of single letters are not found
MIN_FIND_PX = 736  # of the shorter side, for small pages
MAX_FIND_PX = 2_000  # of the longer side
MIN_SCORE = 0.5  # lines below it are as often specks as words
SURE = 0.85  # upright print reads at 0.95 and more, upside down below 0.8
MIN_PX_PER_PT = 1.4  # 100 dpi: a page longer than half a metre
SAMPLE = 8  # lines, the longest ones, that tell how a picture lies
COVERED = 0.5  # of a line's length by known words: the line is already known
# OCR sometimes loses a narrow blank: `5Observation`. Behind a section's number the blank marks a
# heading, behind a full stop a sentence; and a long number is no part of a word.
_NEW = r"(?=[A-Z][a-z]{2})"
_GLUED = re.compile(
    rf"(^\d{{1,2}}(?:\.\d{{1,2}}){{0,3}}\.?{_NEW}|[a-z]{{3}}\.{_NEW}|[a-z]{{4}}(?=\d{{3}}))"
)


@dataclass(frozen=True)
class ReadLine:
    """A line read by OCR, with its box in points of the frame in which it was read."""

    text: str
    box: Box
    score: float  # [0, 1]

    @property
    def is_sideways(self) -> bool:
        return len(self.text) >= 3 and height(self.box) > 1.5 * width(self.box)


@dataclass(frozen=True)
class ReadPicture:
    """All lines of a picture, which was turned anticlockwise by `turn` degrees before."""

    turn: int
    frame: tuple[float, float]
    lines: tuple[ReadLine, ...]

    @property
    def confidence(self) -> float:
        """The mean score of all lines, illegible ones too, weighted by characters; 0 for none."""
        letters = sum(len(line.text) for line in self.lines)
        total = sum(line.score * len(line.text) for line in self.lines)
        return round(total / letters, 4) if letters else 0.0

    @property
    def is_tall(self) -> bool:
        """Whether most characters are in lines that run downwards or upwards."""
        sideways = sum(len(line.text) for line in self.lines if line.is_sideways)
        return 2 * sideways > sum(len(line.text) for line in self.lines)

    @property
    def legible(self) -> tuple[ReadLine, ...]:
        return tuple(x for x in self.lines if x.score >= MIN_SCORE and not x.is_sideways)

    @property
    def letters_read(self) -> float:
        return self.confidence**4 * sum(len(line.text) for line in self.legible)


class Reader:
    """An OCR engine for pictures, whose models are loaded once."""

    def __init__(self) -> None:
        self._finder, self._reader = LineFinder(), LineReader()
        self._turn = 0  # of the picture before: those of a scan are mostly turned alike

    def read(
        self, picture: Any, *, number: int, size: tuple[float, float], known: Sequence[Box] = ()
    ) -> PageCells:
        """Return the words of an RGB picture that shows `size` points, upright.

        A picture scanned sideways or upside down is turned first. Lines that `known` boxes of the
        picture cover are left out. `ocr_confidence` is the mean score of the other lines, weighted
        by characters; 0 where there are none.
        """
        # Lines that stand on end are laid down before they are read, so the scores of a few lines
        # show to which side even a sideways page is turned.
        view = self._view(picture, size, self._turn, known)
        tried = view.read(self._reader, view.longest)
        sure = tried.confidence >= SURE
        if tried.lines and not (sure and not tried.is_tall):
            further = (90 if sure else 270) if tried.is_tall else 180
            other = self._view(picture, size, (view.turn + further) % 360, known)
            if other.read(self._reader, other.longest).letters_read > tried.letters_read:
                view = other
        reading = view.read(self._reader, range(len(view.quads)))
        if reading.confidence >= SURE:
            self._turn = reading.turn
        words = [word for line in reading.legible for word in _words(line)]
        return PageCells(
            number,
            *reading.frame,
            tuple(words),
            ocr_confidence=reading.confidence,
            turn=reading.turn,
            doubts=tuple(_doubts(reading, MAX_FIND_PX / max(size))),
            unsure=tuple((line.box, line.score) for line in reading.legible if line.score < SURE),
        )

    def _view(
        self, picture: Any, size: tuple[float, float], turn: int, known: Sequence[Box]
    ) -> _View:
        import numpy  # heavy, so late

        frame = size[::-1] if turn in (90, 270) else size
        turned = picture.rotate(turn, expand=True) if turn else picture
        pixels = numpy.ascontiguousarray(turned)
        factor = frame[0] / turned.width
        wanted = min(max(FIND_SCALE, MIN_FIND_PX / min(size)), MAX_FIND_PX / max(size))
        taken = [upright(box, size, turn) for box in known]
        quads = [
            quad
            for quad in self._finder.find(pixels, min(1.0, wanted * factor))
            if not _is_covered(_scaled(quad.box, factor), taken)
        ]
        return _View(turn, frame, factor, pixels, quads)


class _View:
    """A picture turned by `turn` degrees, with the lines found in it."""

    def __init__(
        self, turn: int, frame: tuple[float, float], factor: float, pixels: Any, quads: list[Quad]
    ) -> None:
        self.turn, self.quads = turn, quads
        self._frame, self._factor, self._pixels = frame, factor, pixels
        self._read: dict[int, ReadLine] = {}

    @property
    def longest(self) -> list[int]:
        """The indexes of the longest lines, which show best how the picture lies."""
        by_length = sorted(
            range(len(self.quads)),
            key=lambda at: -max(self.quads[at].width, self.quads[at].height),
        )
        return by_length[:SAMPLE]

    def read(self, reader: LineReader, chosen: Iterable[int]) -> ReadPicture:
        """Read the lines with these indexes, each once; leave out those without text."""
        lines = []
        for at in chosen:
            if at not in self._read:
                quad = self.quads[at]
                text, score = reader.read(quad.cut_from(self._pixels))
                text, box = spaced(clean_line(text)), _scaled(quad.box, self._factor)
                self._read[at] = ReadLine(text, box, score)
            lines.append(self._read[at])
        return ReadPicture(self.turn, self._frame, tuple(line for line in lines if line.text))


def spaced(text: str) -> str:
    """Restore the blanks that OCR loses before a heading, a sentence or a long number."""
    return _GLUED.sub(r"\1 ", text)


def _scaled(box: Box, factor: float) -> Box:
    left, top, right, bottom = box
    return (left * factor, top * factor, right * factor, bottom * factor)


def _is_covered(line: Box, taken: Sequence[Box]) -> bool:
    """Tell whether words with known boxes cover half of a line's length."""
    along = 0 if width(line) >= height(line) else 1
    on_it = [box for box in taken if contains(line, middle(box), margin=1)]
    length = line[along + 2] - line[along]
    covered = sum(overlap(line[along], line[along + 2], x[along], x[along + 2]) for x in on_it)
    return covered >= COVERED * length


def _words(line: ReadLine) -> list[Word]:
    """Divide a line into words, their boxes estimated by number of characters.

    The recogniser gives no finer boxes.
    """
    left, top, right, bottom = line.box
    step = (right - left) / len(line.text)
    words, at = [], 0
    for part in line.text.split(" "):
        box = (left + at * step, top, left + (at + len(part)) * step, bottom)
        words.append(Word(part, box, bottom - top))
        at += len(part) + 1
    return words


def _doubts(reading: ReadPicture, px_per_pt: float) -> list[Doubt]:
    """Return the doubts about a page's reading as a whole, without its unsure lines."""
    doubts = []
    if px_per_pt < MIN_PX_PER_PT:
        message = "The page is so large that its picture was shrunk: small print may be missing."
        doubts.append(Doubt("ocr_page_shrunk", message))
    if reading.turn:
        message = f"The page was scanned askew: its picture was turned by {reading.turn} degrees."
        doubts.append(Doubt("ocr_page_turned", message))
    if faint := _count(line.score < MIN_SCORE for line in reading.lines):
        message = f"{faint} too unclear to be read, and left out."
        doubts.append(Doubt("ocr_lines_unclear", message))
    if sideways := _count(x.is_sideways and x.score >= MIN_SCORE for x in reading.lines):
        message = f"{sideways} written in another direction than the page, and left out."
        doubts.append(Doubt("ocr_lines_sideways", message))
    return doubts


def _count(flags: Sequence[bool] | Any) -> str:
    count = sum(flags)
    return f"{count} line{' was' if count == 1 else 's were'}" if count else ""
