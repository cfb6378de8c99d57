"""OpenVINO: imported so that it tells nobody, and what it can do on this processor."""

from __future__ import annotations

import sys
from functools import cache
from typing import Any, cast


@cache
def openvino() -> Any:
    """The module. Import it nowhere else.

    Its package reports each import to an analytics service by `openvino_telemetry`; where that
    can't be imported it goes on without. `None` is Python's own mark for such a module.
    """
    cast(dict[str, Any], sys.modules)["openvino_telemetry"] = None
    import openvino as module  # late: only where it is the backend in use

    return module


@cache
def precision() -> str:
    """`bf16` where the processor computes in it (AMX, AVX512-BF16), else `f32`.

    With bf16 a vector's cosine to that of 32 bits is 0.9999 or more (`bench --encoder` shows it).
    """
    offered = openvino().Core().get_property("CPU", "OPTIMIZATION_CAPABILITIES")
    return "bf16" if "BF16" in offered else "f32"
