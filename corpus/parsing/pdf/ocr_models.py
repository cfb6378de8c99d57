"""The two models of PP-OCR that RapidOCR's package carries, computed by OpenVINO in one thread.

ONNX Runtime takes two to six times as long for them.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from core.openvino_runtime import core, openvino, precision
from corpus.parsing.types import ParseError

FINDER = "PP-OCRv6_det_small.onnx"
READER = "PP-OCRv6_rec_small.onnx"

Compiled = Callable[[Any], list[Any]]


def read_model(name: str) -> Any:
    """Return a model as OpenVINO's graph. Its package is not imported. Raises ParseError."""
    found = find_spec("rapidocr")
    path = Path(found.origin or "").parent / "models" / name if found else None
    if path is None or not path.is_file():
        raise ParseError(
            f"Pages without text can't be read: the model {name} is not installed.",
            code="ocr_missing",
            hint="Ask whoever installed the program to install rapidocr 3.10 again.",
        )
    return core().read_model(path)


def compiled(graph: Any, *, hint: str = "") -> Compiled:
    """Return a function from the graph's input to its outputs, in 16 bits where the processor has
    them unless `hint` says `f32`.

    What it returns is overwritten by its next call.
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
    """Return a model that takes RGB pictures, `(n, h, w, 3) uint8`.

    The models themselves take BGR, channels first, in [-1, 1].
    """
    module = openvino()
    prepared = module.preprocess.PrePostProcessor(graph)
    picture = prepared.input()
    picture.tensor().set_element_type(module.Type.u8).set_layout(module.Layout("NHWC"))
    picture.model().set_layout(module.Layout("NCHW"))
    steps = picture.preprocess().convert_element_type(module.Type.f32)
    steps.reverse_channels().mean(127.5).scale(127.5)
    return prepared.build()
