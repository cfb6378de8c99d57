"""Find the lines of print in a picture, by the detector of PP-OCR.

Its answer is a picture of how surely each point is print; what hangs together is a line (Liao et
al., Real-time Scene Text Detection with Differentiable Binarization, AAAI 2020, section 3.5).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from corpus.parsing.pdf.ocr_models import FINDER, compiled, read_model, takes_pixels

# The published settings of the model, as RapidOCR has them.
_PRINT = 0.3  # a point that is print, in [0, 1]
_LINE = 0.5  # the mean over a line that is one, in [0, 1]
_WIDER = 1.6  # the model marks the heart of a line: its area to its edge, times this, are left out
_MIN_SIDE = 3  # pixels of what the model marks
_STRIDE = 32  # of the model: a side is a multiple of it
_SAME_ROW_PX = 10


@dataclass(frozen=True)
class Quad:
    """The four corners of a line in a picture, from the upper left one clockwise: (4, 2) float32,
    pixels."""

    corners: Any

    @property
    def width(self) -> float:
        return max(_distance(self.corners, 0, 1), _distance(self.corners, 2, 3))

    @property
    def height(self) -> float:
        return max(_distance(self.corners, 0, 3), _distance(self.corners, 1, 2))

    @property
    def box(self) -> tuple[float, float, float, float]:
        (left, top), (right, bottom) = self.corners.min(axis=0), self.corners.max(axis=0)
        return float(left), float(top), float(right), float(bottom)

    def cut_from(self, picture: Any) -> Any:
        """Return the line as a picture of its own, level; one that stands on end is laid down."""
        import cv2  # heavy, so late
        import numpy

        wide, high = max(1, int(self.width)), max(1, int(self.height))
        level = numpy.array([(0, 0), (wide, 0), (wide, high), (0, high)], numpy.float32)
        cut = cv2.warpPerspective(
            picture,
            cv2.getPerspectiveTransform(self.corners, level),
            (wide, high),
            borderMode=cv2.BORDER_REPLICATE,
            flags=cv2.INTER_CUBIC,
        )
        return numpy.rot90(cut) if high >= 1.5 * wide else cut


class LineFinder:
    """Loads the model once."""

    def __init__(self) -> None:
        self._model = compiled(takes_pixels(read_model(FINDER)))

    def find(self, picture: Any, scale: float) -> list[Quad]:
        """Return the lines of an RGB picture `(h, w, 3) uint8`, from the top down, then from the
        left.

        They are looked for in the picture made smaller by `scale`, in (0, 1].
        """
        import cv2  # heavy, so late
        import numpy

        size = picture.shape[1], picture.shape[0]
        shrunk = [max(_STRIDE, round(side * scale / _STRIDE) * _STRIDE) for side in size]
        small = cv2.resize(picture, shrunk, interpolation=cv2.INTER_AREA)
        surely = self._model(small[numpy.newaxis])[0][0, 0]
        factors = numpy.array([size[0] / shrunk[0], size[1] / shrunk[1]])
        quads = [_quad(corners * factors, size) for corners in _marked(surely)]
        return _in_rows([quad for quad in quads if min(quad.width, quad.height) > _MIN_SIDE])


def _marked(surely: Any) -> Iterator[Any]:
    """Yield the corners of all lines in the model's answer, `(h, w) float32`."""
    import cv2  # heavy, so late
    import numpy

    mask = cv2.dilate((surely > _PRINT).astype(numpy.uint8), numpy.ones((2, 2), numpy.uint8))
    outlines, _ = cv2.findContours(mask, cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)
    for outline in outlines:
        centre, (width, height), angle = cv2.minAreaRect(outline)
        if min(width, height) < _MIN_SIDE:
            continue
        if _mean_inside(surely, cv2.boxPoints((centre, (width, height), angle))) >= _LINE:
            more = 2 * _WIDER * width * height / (2 * (width + height))
            yield cv2.boxPoints((centre, (width + more, height + more), angle))


def _mean_inside(surely: Any, corners: Any) -> float:
    import cv2  # heavy, so late
    import numpy

    limits = surely.shape[1] - 1, surely.shape[0] - 1
    left, top = numpy.clip(numpy.floor(corners.min(axis=0)).astype(int), 0, limits)
    right, bottom = numpy.clip(numpy.ceil(corners.max(axis=0)).astype(int), 0, limits)
    mask = numpy.zeros((bottom - top + 1, right - left + 1), numpy.uint8)
    cv2.fillPoly(mask, [(corners - (left, top)).astype(numpy.int32)], 1)
    return float(cv2.mean(surely[top : bottom + 1, left : right + 1], mask)[0])


def _quad(corners: Any, size: tuple[int, int]) -> Quad:
    """Order four corners, and keep them in the picture."""
    import numpy

    inside = numpy.clip(corners, 0, (size[0] - 1, size[1] - 1))
    by_side = inside[numpy.argsort(inside[:, 0], kind="stable")]
    left = by_side[:2][numpy.argsort(by_side[:2, 1], kind="stable")]
    right = by_side[2:][numpy.argsort(by_side[2:, 1], kind="stable")]
    return Quad(numpy.array([left[0], right[0], right[1], left[1]], numpy.float32))


def _in_rows(quads: list[Quad]) -> list[Quad]:
    rows: list[list[Quad]] = []
    for quad in sorted(quads, key=lambda quad: (quad.corners[0][1], quad.corners[0][0])):
        if not rows or quad.corners[0][1] - rows[-1][-1].corners[0][1] >= _SAME_ROW_PX:
            rows.append([])
        rows[-1].append(quad)
    return [quad for row in rows for quad in sorted(row, key=lambda quad: quad.corners[0][0])]


def _distance(corners: Any, one: int, other: int) -> float:
    x, y = corners[one] - corners[other]
    return float((x * x + y * y) ** 0.5)
