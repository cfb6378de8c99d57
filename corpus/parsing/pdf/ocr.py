"""Words of a page's picture, by RapidOCR with the models that its package carries."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from corpus.parsing.clean import clean_line
from corpus.parsing.layout.geometry import PageCells, Word, height, union, width
from corpus.parsing.types import Box, Doubt

SCALE = 3.0  # pixels a point: 216 dpi, docling's default for the same models
MIN_SCORE = 0.5  # lines below it are as often specks as words
SURE = 0.85  # upright print reads at 0.95 and more, upside down below 0.8
# The engine shrinks what is larger: A4 to 2.4 pixels a point, at which print of 6 points is read
# without error; 2,560 pixels read no better and take a third longer.
MAX_SIDE_PX = 2_000
MIN_PX_PER_PT = 1.4  # 100 dpi: a page longer than half a metre
# A narrow blank is lost at times: `5Observation`. Behind a section's number it makes the heading.
_GLUED = re.compile(r"^(\d{1,2}(?:\.\d{1,2}){0,3}\.?)([A-Z][a-z]{2,})")


@dataclass(frozen=True)
class ReadLine:
    """A line as the engine read it, its box in points of the frame in which it was read."""

    text: str
    box: Box
    score: float  # [0, 1]

    @property
    def is_sideways(self) -> bool:
        return len(self.text) >= 3 and height(self.box) > 1.5 * width(self.box)


@dataclass(frozen=True)
class Reading:
    """All lines of a picture that was turned by `turn` degrees against the clock before."""

    turn: int
    frame: tuple[float, float]
    lines: tuple[ReadLine, ...]

    @property
    def confidence(self) -> float:
        """The mean score of all lines found, also of those left out, by their letters."""
        letters = sum(len(line.text) for line in self.lines)
        total = sum(line.score * len(line.text) for line in self.lines)
        return round(total / letters, 4) if letters else 0.0

    @property
    def stands_tall(self) -> bool:
        """Tell whether most letters run downwards or upwards."""
        sideways = sum(len(line.text) for line in self.lines if line.is_sideways)
        return 2 * sideways > sum(len(line.text) for line in self.lines)

    @property
    def legible(self) -> tuple[ReadLine, ...]:
        return tuple(x for x in self.lines if x.score >= MIN_SCORE and not x.is_sideways)

    @property
    def letters_read(self) -> float:
        return self.confidence**4 * sum(len(line.text) for line in self.legible)


class Reader:
    """Loads the models once; each call reads one page."""

    def __init__(self) -> None:
        from rapidocr import RapidOCR  # heavy, so late

        self._turn = 0  # of the page before: those of a scan are mostly turned alike
        self._engine: Any = RapidOCR(
            params={
                "Global.log_level": "critical",
                "Global.text_score": 0.0,  # what it left out itself, nobody would hear of
                "Global.max_side_len": MAX_SIDE_PX,
                # It turns single lines, which would leave the order of a turned page wrong.
                "Global.use_cls": False,
                "EngineConfig.onnxruntime.intra_op_num_threads": 1,
                "EngineConfig.onnxruntime.inter_op_num_threads": 1,
                "EngineConfig.onnxruntime.enable_cpu_mem_arena": False,
            }
        )

    def read(self, picture: Any, *, number: int, size: tuple[float, float]) -> PageCells:
        """Return the words of a picture of a page of `size` points, upright.

        Where the picture was scanned sideways or upside down, it is turned first. Its confidence is
        the mean over all lines by their letters.
        """
        reading = self._upright(picture, size)
        self._turn = reading.turn
        words = [word for line in reading.legible for word in _words(line)]
        return PageCells(
            number,
            *reading.frame,
            tuple(words),
            ocr_confidence=reading.confidence,
            turn=reading.turn,
            doubts=tuple(_doubts(reading, min(MAX_SIDE_PX, max(picture.size)) / max(size))),
            unsure=tuple((line.box, line.score) for line in reading.legible if line.score < SURE),
        )

    def _upright(self, picture: Any, size: tuple[float, float]) -> Reading:
        """Read the picture as the page before lay; where that is not upright, turned further.

        A line that stands on end is turned by the engine before it is read, so that even a page
        that lies on its side tells by its scores to which side.
        """
        first = self._read(picture, size, self._turn)
        sure = first.confidence >= SURE
        if not first.lines or (sure and not first.stands_tall):
            return first
        further = (90 if sure else 270) if first.stands_tall else 180
        second = self._read(picture, size, (first.turn + further) % 360)
        return max(first, second, key=lambda reading: reading.letters_read)

    def _read(self, picture: Any, size: tuple[float, float], turn: int) -> Reading:
        import numpy  # loaded by the engine anyway

        frame = size[::-1] if turn in (90, 270) else size
        upright = picture.rotate(turn, expand=True) if turn else picture
        result: Any = self._engine(numpy.asarray(upright)[:, :, ::-1])
        if result is None or result.boxes is None:
            return Reading(turn, frame, ())
        factor = frame[0] / upright.width
        lines = []
        for corners, text, score in zip(result.boxes, result.txts, result.scores, strict=True):
            spots = [(float(x) * factor, float(y) * factor) for x, y in corners]
            box = union((x, y, x, y) for x, y in spots)
            cleaned = _GLUED.sub(r"\1 \2", clean_line(text))
            if cleaned and width(box) > 0 and height(box) > 0:
                lines.append(ReadLine(cleaned, box, float(score)))
        return Reading(turn, frame, tuple(lines))


def _words(line: ReadLine) -> list[Word]:
    """Divide a read line into words, by the number of letters: the reader gives no finer boxes."""
    left, top, right, bottom = line.box
    step = (right - left) / len(line.text)
    words, at = [], 0
    for part in line.text.split(" "):
        box = (left + at * step, top, left + (at + len(part)) * step, bottom)
        words.append(Word(part, box, bottom - top))
        at += len(part) + 1
    return words


def _doubts(reading: Reading, px_per_pt: float) -> list[Doubt]:
    """Return what the whole page's reading leaves in doubt, apart from its unsure lines."""
    found = []
    if px_per_pt < MIN_PX_PER_PT:
        message = "The page is so large that its picture was shrunk: small print may be missing."
        found.append(Doubt("ocr_page_shrunk", message))
    if reading.turn:
        message = f"The page was scanned askew: its picture was turned by {reading.turn} degrees."
        found.append(Doubt("ocr_page_turned", message))
    if faint := _count(line.score < MIN_SCORE for line in reading.lines):
        message = f"{faint} too unclear to be read, and left out."
        found.append(Doubt("ocr_lines_unclear", message))
    if sideways := _count(x.is_sideways and x.score >= MIN_SCORE for x in reading.lines):
        message = f"{sideways} written in another direction than the page, and left out."
        found.append(Doubt("ocr_lines_sideways", message))
    return found


def _count(found: Sequence[bool] | Any) -> str:
    count = sum(found)
    return f"{count} line{' was' if count == 1 else 's were'}" if count else ""
