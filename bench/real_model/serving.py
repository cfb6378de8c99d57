"""Start llama.cpp's server with a model from a folder, in a process of its own, and end it."""

from __future__ import annotations

import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

from core.errors import MedragError

PROGRAM = Path(__file__).with_name("server.py")
PACKAGE = "xllamacpp"  # wheels of llama.cpp with its server
LOAD_S = 600.0  # a gigabyte from a slow disk
WAIT_S = 0.5


class ModelNotServed(MedragError):
    """No server could be started; nothing was asked."""


@dataclass(frozen=True)
class ServerOrder:
    """The model to serve, and by what."""

    folder: Path  # holds one GGUF model
    interpreter: str  # the Python that has the package
    context: int = 8192  # tokens of prompt and answer together
    threads: int = 2

    def model(self) -> Path:
        """Return the model's file, of a split model the first. Raises ModelNotServed."""
        files = sorted(self.folder.glob("*.gguf")) if self.folder.is_dir() else []
        if not files:
            raise ModelNotServed(
                f"{self.folder} is not a folder with a GGUF model (*.gguf). Nothing was asked."
            )
        others = [file.name for file in files if "-of-" not in file.stem]
        if len(files) > 1 and others:
            raise ModelNotServed(
                f"{self.folder} holds {len(files)} models. Nothing was asked.",
                hint="Name a folder with one.",
            )
        return files[0]


@contextmanager
def served(order: ServerOrder, log: Path) -> Iterator[str]:
    """Serve the model inside the context; yields the address for clients.

    What the server prints goes to `log`. Raises ModelNotServed.
    """
    model = order.model()
    _refuse_missing(order.interpreter)
    port = _free_port()
    command = [order.interpreter, str(PROGRAM), str(model.resolve()), f"--port={port}"]
    command += [f"--context={order.context}", f"--threads={order.threads}"]
    with log.open("wb") as said:
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=said, stderr=subprocess.STDOUT
        )
        try:
            _wait_for(process, port, log)
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:  # in the midst of a computation
                process.kill()
                process.wait()


def _refuse_missing(interpreter: str) -> None:
    try:
        found = subprocess.run(
            [interpreter, "-c", f"import {PACKAGE}"], capture_output=True, check=False
        )
    except OSError as error:
        raise ModelNotServed(f"{interpreter} can't be run. Nothing was asked.") from error
    if found.returncode:
        raise ModelNotServed(
            f"{interpreter} has no package {PACKAGE}, which serves the model. Nothing was asked.",
            hint=f"Install it, best in an environment of its own ({interpreter} -m pip install "
            f"{PACKAGE}), and name that environment's Python by --python.",
        )


def _wait_for(process: subprocess.Popen[bytes], port: int, log: Path) -> None:
    """Wait until the model is loaded; until then the server answers with 503 or not at all."""
    ends = time.monotonic() + LOAD_S
    with httpx.Client(trust_env=False, timeout=10) as client:
        while process.poll() is None and time.monotonic() < ends:
            try:
                if client.get(f"http://127.0.0.1:{port}/health").status_code == httpx.codes.OK:
                    return
            except httpx.HTTPError:
                pass
            time.sleep(WAIT_S)
    ended = process.poll()
    how = f"was not ready after {LOAD_S:g} s" if ended is None else f"ended with status {ended}"
    raise ModelNotServed(
        f"The model's server {how}. Nothing was asked.", hint=f"{log} has what it said."
    )


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return int(taken.getsockname()[1])
