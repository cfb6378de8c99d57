"""Time the steps of a run."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def timed(durations_ms: dict[str, float], step: str) -> Iterator[None]:
    """Add the milliseconds spent inside to those of `step`, also if it ends in an error."""
    started = time.perf_counter()
    try:
        yield
    finally:
        spent_ms = (time.perf_counter() - started) * 1000
        durations_ms[step] = durations_ms.get(step, 0.0) + spent_ms
