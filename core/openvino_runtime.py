"""OpenVINO: imported so that it tells nobody, and what it can do on this processor."""

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

    Its package reports each import to an analytics service by `openvino_telemetry`; where that
    can't be imported it goes on without. `None` is Python's own mark for such a module.
    """
    cast(dict[str, Any], sys.modules)["openvino_telemetry"] = None
    import openvino as module  # late: only where it is the backend in use

    return module


COMPUTING = "MEDRAG_COMPUTING"  # a setting of `key=value`; here its key `precision` counts

_cores: dict[int, Any] = {}  # by process: one that is forked makes its own


def core() -> Any:
    """Return the one of this process. Make no other, and never let go of it.

    With the last one its plug-in for processors goes, and with that the stack for signals that it
    gave to the thread that made it. Where another thread lets go of it, the first goes on with a
    stack that is not there, or by then is somebody else's memory: the next signal ends the process,
    or is written over that memory.
    """
    known = _cores.get(os.getpid())
    if known is None:
        _meet_numpy()
        known = _cores.setdefault(os.getpid(), openvino().Core())
    return known


@cache
def _meet_numpy() -> None:
    """Have OpenVINO's binding look up NumPy while one thread computes.

    It does so at the first use of a tensor's data, under a lock of C++ and with Python's own given
    up in between: two threads that were first together would wait for each other for ever.
    """
    import numpy as np  # late: not every command computes

    openvino().Tensor(np.zeros(1, dtype=np.int64)).data[:] = 1


def ask_for_32_bits() -> None:
    """Have this process and those that it starts compute in 32 bits, unless the setting speaks."""
    asked = os.environ.get(COMPUTING, "")
    if "precision=" not in asked:
        os.environ[COMPUTING] = f"{asked} precision=f32".strip()


@cache
def precision() -> str:
    """Return `bf16` where the processor computes in it (AMX, AVX512-BF16), else `f32`.

    With bf16 a vector's cosine to that of 32 bits is 0.9999 or more (`bench --encoder` shows it).
    `precision=f32` in `MEDRAG_COMPUTING` asks for 32 bits everywhere, so that processors differ in
    the last digits alone. It is read from the environment: a parser's process has no settings.
    """
    if "precision=f32" in shlex.split(os.environ.get(COMPUTING, "")):
        return "f32"
    offered = core().get_property("CPU", "OPTIMIZATION_CAPABILITIES")
    return "bf16" if "BF16" in offered else "f32"


def compile_graph(graph: Any, threads: int) -> Any:
    """Return the model ready to run: as many streams as threads, so one thread for each text."""
    return core().compile_model(
        graph,
        "CPU",
        {
            "INFERENCE_PRECISION_HINT": precision(),
            "NUM_STREAMS": threads,
            "INFERENCE_NUM_THREADS": threads,
            "ENABLE_CPU_PINNING": False,  # several processes would share the first cores
        },
    )


class Requests:
    """What computes with one model, each for one text at a time; who comes too many waits."""

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
