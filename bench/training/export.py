"""Write the trained network in OpenVINO's form, with weights in 8 bits."""

from __future__ import annotations

import tempfile
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import torch

from bench.training.network import Network, tensors
from core.openvino_runtime import openvino
from corpus.encoders.pair_model import INPUTS, MAX_TOKENS, MODEL, WEIGHTS
from corpus.encoders.pairs import Window

SMALLEST = 4096  # values: smaller matrices stay in 32 bits


def write_model(network: Network, out: Path, *, max_tokens: int) -> None:
    """Write `model.xml` and `model.bin`, each atomically.

    The input is one window of up to `max_tokens`.
    """
    window = Window(tuple(range(16)), 8, ())
    network = network.cpu().eval()
    inputs = tensors([window])
    with torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the tracer warns of branches in the encoder's own code
        graph = openvino().convert_model(
            network, example_input={name: inputs[name] for name in INPUTS}
        )
    graph.reshape({name: [1, -1] for name in INPUTS})
    graph.set_rt_info(str(max_tokens), MAX_TOKENS)
    _compress(graph)
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=out) as made:
        openvino().save_model(graph, Path(made) / MODEL, compress_to_fp16=False)
        for name in (WEIGHTS, MODEL):
            (Path(made) / name).replace(out / name)


def _compress(graph: Any) -> None:
    """Quantise matrices to 8-bit integers with a scale for each row.

    The error is at most 1/254 of the row's largest value. This is the form that OpenVINO's plug-ins
    compute with directly: integers, their conversion, and a product with the scales.
    """
    from openvino import opset13  # late: `openvino()` has switched off its telemetry first

    for node in graph.get_ops():
        if node.get_type_name() != "Constant" or node.get_element_type().to_string() != "f32":
            continue
        weights = node.get_data()
        if weights.ndim != 2 or weights.size < SMALLEST:
            continue
        takers = list(node.output(0).get_target_inputs())
        scale = np.abs(weights).max(axis=1, keepdims=True) / 127
        whole = np.rint(weights / np.where(scale == 0, 1, scale)).astype(np.int8)
        kept = opset13.constant(whole, dtype=np.int8)
        product = opset13.multiply(
            opset13.convert(kept, "f32"), opset13.constant(scale.astype(np.float32))
        )
        for taker in takers:
            taker.replace_source_output(product.output(0))
