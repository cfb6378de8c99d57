"""Import OpenVINO without telemetry, and choose its precision for this processor."""

from __future__ import annotations

import os
import queue
import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any, cast


@cache
def openvino() -> Any:
    """Return the module. Import it nowhere else.

    The package reports each import to an analytics service through `openvino_telemetry`, and works
    without it. Setting a module to `None` is Python's way to mark it as missing.
    """
    cast(dict[str, Any], sys.modules)["openvino_telemetry"] = None
    import openvino as module  # late: only where it is the backend in use

    return module


COMPUTING = "MEDRAG_COMPUTING"  # a setting of `key=value`; here its key `precision` counts

ACTIVATION_GROUP = 64  # values with one scale, as in the weights of the larger models

_cores: dict[int, Any] = {}  # by process: one that is forked makes its own


def core() -> Any:
    """Return the process's only OpenVINO core. Never create another or release this one.

    Releasing the last core unloads its CPU plug-in, which frees the signal stack that it gave to
    the thread that created it. If another thread releases the core, the first thread's next signal
    crashes the process or overwrites memory that is in use for something else.
    """
    known = _cores.get(os.getpid())
    if known is None:
        _meet_numpy()
        known = _cores.setdefault(os.getpid(), openvino().Core())
    return known


@cache
def _meet_numpy() -> None:
    """Make OpenVINO's binding import NumPy while only one thread computes.

    It does so on the first access to a tensor's data, holding a C++ lock and releasing Python's:
    two threads that did it at once would deadlock.
    """
    import numpy as np  # late: not every command computes

    openvino().Tensor(np.zeros(1, dtype=np.int64)).data[:] = 1


def ask_for_32_bits() -> None:
    """Make this process and its children compute in 32 bits, unless the setting says otherwise."""
    settings = os.environ.get(COMPUTING, "")
    if "precision=" not in settings:
        os.environ[COMPUTING] = f"{settings} precision=f32".strip()


@cache
def precision() -> str:
    """Return `bf16` if the processor supports it (AMX, AVX512-BF16), else `f32`.

    With bf16 a vector's cosine to its 32-bit version is 0.9999 or more (`bench --encoder` shows
    it). `precision=f32` in `MEDRAG_COMPUTING` asks for 32 bits everywhere, so that processors
    differ in the last digits only. Read from the environment, since the parser's process has no
    settings.
    """
    if _is_exact():
        return "f32"
    offered = core().get_property("CPU", "OPTIMIZATION_CAPABILITIES")
    return "bf16" if "BF16" in offered else "f32"


def _is_exact() -> bool:
    """Tell whether the setting asks for 32 bits, so that every processor computes the same."""
    return "precision=f32" in shlex.split(os.environ.get(COMPUTING, ""))


def compile_graph(graph: Any, threads: int) -> Any:
    """Compile a model with as many streams as threads: one thread for each text.

    Models with weights in 4 or 8 bits multiply them by activations in 8 bits, in groups, where the
    processor can (VNNI) and exactness was not asked for: more than twice as fast.
    """
    return core().compile_model(
        graph,
        "CPU",
        {
            "INFERENCE_PRECISION_HINT": precision(),
            "DYNAMIC_QUANTIZATION_GROUP_SIZE": 0 if _is_exact() else ACTIVATION_GROUP,
            "NUM_STREAMS": threads,
            "INFERENCE_NUM_THREADS": threads,
            "ENABLE_CPU_PINNING": False,  # several processes would share the first cores
        },
    )


class Requests:
    """A pool of inference requests of one model; callers wait for a free one."""

    def __init__(self, compiled_model: Any, count: int) -> None:
        self._free: queue.SimpleQueue[Any] = queue.SimpleQueue()
        for _ in range(count):
            self._free.put(compiled_model.create_infer_request())

    @contextmanager
    def one(self) -> Iterator[Any]:
        request = self._free.get()
        try:
            yield request
        finally:
            self._free.put(request)
