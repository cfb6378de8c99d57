"""Measure questions a second with several clients at once, each a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from django.conf import settings
from django.core.management.base import CommandError


@dataclass(frozen=True)
class Load:
    """The throughput and durations with a number of clients."""

    clients: int
    per_second: float
    p50_ms: float
    p95_ms: float


def measure_load(name: str, questions: Sequence[str], *, clients: int, seconds: float) -> Load:
    """Ask from several clients for `seconds`; all are loaded before they start together.

    Raises CommandError where one fails.
    """
    with tempfile.TemporaryDirectory(dir=settings.DATA_DIR) as scratch:
        path = Path(scratch) / "questions.json"
        path.write_text(json.dumps(list(questions)))
        running = [_start(name, seconds, path, n * 7) for n in range(clients)]
        try:
            for client in running:
                _wait_until_ready(client)
            for client in running:
                client.stdin.write("go\n")  # type: ignore[union-attr]
                client.stdin.flush()  # type: ignore[union-attr]
            found = [json.loads(client.stdout.readline() or "null") for client in running]  # type: ignore[union-attr]
        finally:
            for client in running:
                client.kill()
                client.wait()
    if None in found:
        raise CommandError("A client of the benchmark ended early; its error is above.")
    took_ms = [took for client in found for took in client]
    return Load(clients, len(took_ms) / seconds, *map(float, np.percentile(took_ms, [50, 95])))


def _start(name: str, seconds: float, questions: Path, number: int) -> subprocess.Popen[str]:
    module = ["-m", "bench.speed.client"]
    return subprocess.Popen(
        [sys.executable, *module, name, str(seconds), str(questions), str(number)],
        cwd=settings.BASE_DIR,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def _wait_until_ready(client: subprocess.Popen[str]) -> None:
    line = client.stdout.readline() if client.stdout else ""
    if line.strip() != "ready":
        raise CommandError("A client of the benchmark could not start; its error is above.")
