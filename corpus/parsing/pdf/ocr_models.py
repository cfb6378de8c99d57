"""The two models of PP-OCR in RapidOCR's package: one finds lines of print, one reads them.

OpenVINO computes both in one thread: ONNX Runtime takes two to six times as long. The finder
returns for each point the probability of print; connected points make a line (Liao et al.,
Real-time Scene Text Detection with Differentiable Binarization, AAAI 2020, section 3.5). The reader
returns for every few pixels the probabilities of 18,708 signs, of which nine in ten are Chinese.
Computing them all takes half of the reader's time, so a line is read with the other signs first.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from core.openvino_runtime import core, openvino, precision
from corpus.parsing.types import ParseError

FINDER = "PP-OCRv6_det_small.onnx"
READER = "PP-OCRv6_rec_small.onnx"

# The published settings of the model, as RapidOCR has them.
_PRINT = 0.3  # a point that is print, in [0, 1]
_LINE = 0.5  # the mean over a line that is one, in [0, 1]
_WIDER = 1.6  # the model marks the core of a line: it grows by its area over its edge, times this
_MIN_SIDE = 3  # pixels of what the model marks
_STRIDE = 32  # of the model: a side is a multiple of it
_SAME_ROW_PX = 10

HEIGHT_PX = 48  # of the pictures that the model was trained on
# Widths are padded to a multiple of it, since each new width costs as much time as three lines.
_WIDTHS_PX = 160
_MAX_WIDTH_PX = 8_000
_GREY = 128  # the padding that the model was trained with
_SURE = 0.85
_FIRST_ASIAN = "\u2e80"  # from here on Unicode has the scripts of East Asia and emoji
_NO_SIGN = 0  # the output between two equal signs, and where nothing is printed

Compiled = Callable[[Any], list[Any]]


def read_model(name: str) -> Any:
    """Return a model of RapidOCR's package as OpenVINO's graph, without importing the package.

    Raises ParseError if the model is not installed.
    """
    spec = find_spec("rapidocr")
    path = Path(spec.origin or "").parent / "models" / name if spec else None
    if path is None or not path.is_file():
        raise ParseError(
            f"Pages without text can't be read: the model {name} is not installed.",
            code="ocr_missing",
            hint="Ask the administrator to install rapidocr 3.10 again.",
        )
    return core().read_model(path)


def compiled(graph: Any, *, hint: str = "") -> Compiled:
    """Return a function that computes a graph's outputs for an input.

    In 16 bits where the processor has them, unless `hint` is `f32`. Each call overwrites the arrays
    that the call before returned.
    """
    options = {
        "NUM_STREAMS": 1,  # and so computed by the thread that calls
        "INFERENCE_NUM_THREADS": 1,
        "INFERENCE_PRECISION_HINT": hint or precision(),
    }
    request = core().compile_model(graph, "CPU", options).create_infer_request()

    def compute(batch: Any) -> list[Any]:
        request.infer([batch], share_inputs=True)
        return [request.get_output_tensor(at).data for at in range(len(request.output_tensors))]

    return compute


def takes_pixels(graph: Any) -> Any:
    """Return the model with RGB pictures, `(n, h, w, 3) uint8`, as its input.

    The model itself takes BGR, channels first, in [-1, 1].
    """
    module = openvino()
    prepared = module.preprocess.PrePostProcessor(graph)
    picture = prepared.input()
    picture.tensor().set_element_type(module.Type.u8).set_layout(module.Layout("NHWC"))
    picture.model().set_layout(module.Layout("NCHW"))
    steps = picture.preprocess().convert_element_type(module.Type.f32)
    steps.reverse_channels().mean(127.5).scale(127.5)
    return prepared.build()


@dataclass(frozen=True)
class Quad:
    """The corners of a line in a picture, clockwise from the upper left: (4, 2) float32, pixels."""

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
        """Return the line as a level picture; a line 1.5 times as high as wide is turned level."""
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
    """The model that finds lines, loaded once."""

    def __init__(self) -> None:
        self._model = compiled(takes_pixels(read_model(FINDER)))

    def find(self, picture: Any, scale: float) -> list[Quad]:
        """Return the lines of an RGB picture `(h, w, 3) uint8`, row by row, each from the left.

        The picture is first made smaller by `scale`, in (0, 1].
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
    """Yield the corners of each line in the model's output, `(h, w) float32`."""
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
    """Order four corners clockwise from the upper left, and clip them to the picture."""
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


def _distance(corners: Any, first: int, second: int) -> float:
    x, y = corners[first] - corners[second]
    return float((x * x + y * y) ** 0.5)


class LineReader:
    """The model that reads lines, loaded once."""

    def __init__(self) -> None:
        graph = read_model(READER)
        every = ["", *str(graph.get_rt_info()["framework"]["character"].value).splitlines(), " "]
        some = [at for at, sign in enumerate(every) if sign < _FIRST_ASIAN]
        last = [node for node in graph.get_ordered_ops() if node.get_type_name() == "MatMul"][-1]
        (added,) = last.output(0).get_target_inputs()
        weights = last.input_value(1).get_node().get_data()
        bias = added.get_node().input_value(1).get_node().get_data()
        self._heads = [
            ([every[at] for at in chosen], _head(weights[:, chosen], bias[chosen]))
            for chosen in (some, list(range(len(every))))
        ]
        features = openvino().Model([last.input_value(0)], graph.get_parameters(), "features")
        self._features = compiled(takes_pixels(features))

    def read(self, line: Any) -> tuple[str, float]:
        """Return the text in an RGB picture of a line, and its confidence in [0, 1].

        The confidence is the mean probability of the signs; 0 where there are none.
        """
        features = self._features(_framed(line))[0].copy()
        readings = []
        for signs, head in self._heads:
            readings.append(_decoded(signs, *head(features)))
            if readings[-1][1] >= _SURE:
                break
        return max(readings, key=lambda reading: reading[1])


def _head(weights: Any, bias: Any) -> Any:
    """Return the model's last layer for some of its signs.

    It gives the likeliest sign at each place, and its probability. In 32 bits: 16 can't tell apart
    signs that are nearly as likely.
    """
    import numpy  # heavy, so late

    module = openvino()
    operations = module.opset13
    features = operations.parameter([1, -1, weights.shape[0]], module.Type.f32)
    scores = operations.matmul(features, operations.constant(weights), False, False)
    shares = operations.softmax(operations.add(scores, operations.constant(bias)), -1)
    best = operations.topk(shares, numpy.int32(1), -1, "max", "none")
    return compiled(module.Model([best.output(1), best.output(0)], [features], "head"), hint="f32")


def _framed(line: Any) -> Any:
    """Scale a line's picture to the model's height, padded with grey: `(1, 48, w, 3) uint8`."""
    import cv2  # heavy, so late
    import numpy

    high, wide = line.shape[:2]
    width = min(_MAX_WIDTH_PX, max(1, math.ceil(HEIGHT_PX * wide / high)))
    shrinks = cv2.INTER_AREA if high > 1.5 * HEIGHT_PX else cv2.INTER_LINEAR
    frame = numpy.full(
        (1, HEIGHT_PX, math.ceil(width / _WIDTHS_PX) * _WIDTHS_PX, 3), _GREY, numpy.uint8
    )
    frame[0, :, :width] = cv2.resize(line, (width, HEIGHT_PX), interpolation=shrinks)
    return frame


def _decoded(signs: Sequence[str], best: Any, shares: Any) -> tuple[str, float]:
    """Return the text of the likeliest signs and their mean probability.

    A sign that repeats without a gap counts once. The probability is 0 without signs.
    """
    text, sure = [], []
    before = _NO_SIGN
    for at, share in zip(best.ravel().tolist(), shares.ravel().tolist(), strict=True):
        if at not in (_NO_SIGN, before):
            text.append(signs[at])
            sure.append(share)
        before = at
    return "".join(text), sum(sure) / len(sure) if sure else 0.0
