"""Words of a page's picture, by RapidOCR with the models that its package carries."""

from __future__ import annotations

from typing import Any

from corpus.parsing.clean import clean_line
from corpus.parsing.geometry import PageCells, Word, height, width

SCALE = 3.0  # pixels a point: 216 dpi, docling's default for the same models
MIN_SCORE = 0.5
SURE = 0.85  # upright print reads at 0.95 and more, upside down below 0.8


class Reader:
    """Loads the models once; each call reads one page."""

    def __init__(self) -> None:
        from rapidocr import RapidOCR  # heavy, so late

        self._engine: Any = RapidOCR(
            params={
                "Global.log_level": "critical",
                "Global.text_score": MIN_SCORE,
                # It turns single lines, which would leave the order of a turned page wrong.
                "Global.use_cls": False,
                "EngineConfig.onnxruntime.intra_op_num_threads": 1,
                "EngineConfig.onnxruntime.inter_op_num_threads": 1,
                "EngineConfig.onnxruntime.enable_cpu_mem_arena": False,
            }
        )

    def read(self, picture: Any, *, number: int, size: tuple[float, float]) -> PageCells:
        """Return the words of a picture of a page; where it was scanned askew, by the best of
        turns.

        The confidence is the mean over lines by their length.
        """
        first = self._read(picture, number, size, 0)
        found = [first]
        for turn in (90, 270, 180) if _stands_tall(first) else (180, 90, 270):
            if _reads_well(found[-1]):
                return found[-1]
            found.append(self._read(picture, number, size, turn))
        return max(found, key=_letters_read)

    def _read(self, picture: Any, number: int, size: tuple[float, float], turn: int) -> PageCells:
        import numpy  # loaded by the engine anyway

        frame = size[::-1] if turn in (90, 270) else size
        upright = picture.rotate(turn, expand=True) if turn else picture
        result: Any = self._engine(numpy.asarray(upright)[:, :, ::-1])
        if result is None or result.boxes is None:
            return PageCells(number, *frame, (), ocr_confidence=0.0, turn=turn)
        factor = frame[0] / upright.width
        words: list[Word] = []
        weight = total = 0.0
        for corners, text, score in zip(result.boxes, result.txts, result.scores, strict=True):
            found = _words(clean_line(text), [(float(x), float(y)) for x, y in corners], factor)
            words += found
            length = sum(len(word.text) for word in found)
            weight, total = weight + length, total + length * float(score)
        confidence = round(total / weight, 4) if weight else 0.0
        return PageCells(number, *frame, tuple(words), ocr_confidence=confidence, turn=turn)


def _stands_tall(cells: PageCells) -> bool:
    """Tell whether a fifth of the longer words are higher than wide."""
    long = [word for word in cells.words if len(word.text) >= 4]
    return sum(height(word.box) > width(word.box) for word in long) * 5 >= max(1, len(long))


def _reads_well(cells: PageCells) -> bool:
    """Tell an upright page: its reader is sure of it, and its words are wider than high."""
    sure = (cells.ocr_confidence or 0.0) >= SURE
    return bool(cells.words) and sure and not _stands_tall(cells)


def _letters_read(cells: PageCells) -> float:
    wide = [word for word in cells.words if width(word.box) > 0.5 * height(word.box)]
    return (cells.ocr_confidence or 0.0) ** 4 * sum(len(word.text) for word in wide)


def _words(text: str, corners: list[tuple[float, float]], factor: float) -> list[Word]:
    """Divide a read line into words, by the number of letters: the reader gives no finer boxes."""
    xs, ys = [x * factor for x, _ in corners], [y * factor for _, y in corners]
    left, top, right, bottom = min(xs), min(ys), max(xs), max(ys)
    if not text or right <= left or bottom <= top:
        return []
    step = (right - left) / len(text)
    words, at = [], 0
    for part in text.split(" "):
        box = (left + at * step, top, left + (at + len(part)) * step, bottom)
        words.append(Word(part, box, bottom - top))
        at += len(part) + 1
    return words
