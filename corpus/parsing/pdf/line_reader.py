"""Read the picture of one line of print, by the recogniser of PP-OCR.

The model tells for each few pixels which sign they show, of 18,708: nine in ten are Chinese. To
weigh them all takes half of its time, so a line is read with the other signs first.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from core.openvino_runtime import openvino
from corpus.parsing.pdf.ocr_models import READER, compiled, read_model, takes_pixels

HEIGHT_PX = 48  # of the pictures that the model was trained on
# Widths are filled up to a multiple of it: each new one costs as much time as three lines.
_WIDTHS_PX = 160
_MAX_WIDTH_PX = 8_000
_GREY = 128  # what the model was trained to see behind a line
_SURE = 0.85
_FIRST_ASIAN = "\u2e80"  # from here on Unicode has the scripts of East Asia and emoji
_NO_SIGN = 0  # between two equal ones, and where nothing is printed


class LineReader:
    """Loads the model once."""

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
        """Return the text of an RGB picture of a line, and how sure it is, in [0, 1].

        The mean over the signs; 0 where there are none.
        """
        features = self._features(_framed(line))[0].copy()
        readings = []
        for signs, head in self._heads:
            readings.append(_decoded(signs, *head(features)))
            if readings[-1][1] >= _SURE:
                break
        return max(readings, key=lambda reading: reading[1])


def _head(weights: Any, bias: Any) -> Any:
    """Return the model's last layer for some of its signs: the likeliest one at each place, and how
    likely it is.

    In 32 bits: 16 can't tell signs apart that are nearly as likely.
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
    """Return a line's picture at the model's height, on grey: (1, 48, w, 3) uint8."""
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
    """Return the signs one after the other: what is repeated without a gap is one."""
    text, sure = [], []
    before = _NO_SIGN
    for at, share in zip(best.ravel().tolist(), shares.ravel().tolist(), strict=True):
        if at not in (_NO_SIGN, before):
            text.append(signs[at])
            sure.append(share)
        before = at
    return "".join(text), sum(sure) / len(sure) if sure else 0.0
