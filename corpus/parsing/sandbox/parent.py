"""Open a file in a child process that can be limited, and killed even in native code.

Light on purpose: no parser is imported here.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from corpus.parsing.sandbox.pipes import PipeReader
from corpus.parsing.serialise import KNOWN_FAILURE, from_json
from corpus.parsing.sniff import PDF
from corpus.parsing.types import ParsedDocument, ParseError

logger = logging.getLogger(__name__)

CHILD: tuple[str, ...] = (sys.executable, "-m", "corpus.parsing.sandbox.child")
PROJECT_ROOT = Path(__file__).resolve().parents[3]
BEAT_S = 1.0  # between two calls of on_progress while nothing happens
MAX_ERROR_BYTES = 64 * 1024

OnProgress = Callable[[int, int], None]
OnStart = Callable[[], None]


@dataclass(frozen=True)
class Limits:
    """What one file may cost. `wall_s` is kept by the parent, the others by the child on itself."""

    max_pages: int = 1_000
    memory_mb: int = 3_072  # address space
    cpu_s: int = 900
    wall_s: float = 1_200.0
    max_output_mb: int = 1_024


def parse_in_child(
    path: Path,
    *,
    media_type: str,
    output_dir: Path,
    limits: Limits,
    on_progress: OnProgress,
    on_start: OnStart = lambda: None,
    command: Sequence[str] = CHILD,
    docling_artifacts: Path | None = None,
) -> ParsedDocument:
    """Parse `path` in a child process and return what it made of it.

    `output_dir` must exist; it gets `parsed.json`.
    `on_progress(done, total)` is called at least every two seconds, with (0, 0) until the number of
    pages is known; what it raises kills the child and goes on to the caller. `on_start()` is called
    when the child begins to read the file. Raises ParseError.
    """
    arguments = _arguments(command, path, media_type, output_dir, limits)
    if docling_artifacts is not None:
        arguments += ["--docling-artifacts", str(docling_artifacts)]
    _run(arguments, output_dir, limits, on_progress, on_start)
    return _read_result(output_dir, limits)


def draw_in_child(path: Path, *, number: int, output_dir: Path, limits: Limits) -> bytes:
    """Draw page `number` of a PDF in a child process; return the picture as WebP.

    Raises ParseError.
    """
    arguments = _arguments(CHILD, path, PDF, output_dir, limits)
    _run([*arguments, f"--picture={number}"], output_dir, limits, _ignore, lambda: None)
    _check_output(output_dir, limits)
    drawn = output_dir / f"{number}.webp"
    content = drawn.read_bytes() if drawn.is_file() and not drawn.is_symlink() else b""
    if content[:4] + content[8:12] != b"RIFFWEBP":
        raise ParseError("What came out is no picture.", code="parser_output")
    return content


def _ignore(done: int, total: int) -> None:
    """Tell nobody: a picture is waited for."""


def _arguments(
    command: Sequence[str], path: Path, media_type: str, output_dir: Path, limits: Limits
) -> list[str]:
    bounds = {"max-pages": limits.max_pages, "memory-mb": limits.memory_mb, "cpu-s": limits.cpu_s}
    return [
        *command,
        *(str(path.resolve()), media_type, str(output_dir.resolve())),
        *(f"--{name}={value}" for name, value in bounds.items()),
    ]


def _run(
    arguments: list[str],
    output_dir: Path,
    limits: Limits,
    on_progress: OnProgress,
    on_start: OnStart,
) -> None:
    """Run the child to its end, in a home of its own. Raises ParseError unless it ended well."""
    with tempfile.TemporaryDirectory(prefix="medrag-parse-") as home:
        status = _status(arguments, home, output_dir, limits, on_progress, on_start)
    if status != 0:
        raise _failure(status, output_dir)


def _status(
    arguments: list[str],
    home: str,
    output_dir: Path,
    limits: Limits,
    on_progress: OnProgress,
    on_start: OnStart,
) -> int:
    """Run the child to its end and return its exit status; leave no process of it behind."""
    child = subprocess.Popen(
        arguments,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=_environment(home),
        cwd=home,
        start_new_session=True,
    )
    reader = PipeReader(child, on_start)
    try:
        _watch(child, reader, output_dir, limits, on_progress)
    finally:
        _kill_group(child)
        reader.close()
    if reader.errors:
        logger.debug("parser of %s wrote %d bytes to stderr", output_dir.name, len(reader.errors))
    return child.returncode


def _watch(
    child: subprocess.Popen[bytes],
    reader: PipeReader,
    output_dir: Path,
    limits: Limits,
    on_progress: OnProgress,
) -> None:
    deadline = time.monotonic() + limits.wall_s
    beat = 0.0
    while child.poll() is None:
        now = time.monotonic()
        if now >= deadline:
            raise _timed_out(limits.wall_s)
        moved = reader.read(timeout_s=min(0.2, deadline - now))
        if moved or time.monotonic() - beat >= BEAT_S:
            on_progress(*reader.progress)
            _check_output(output_dir, limits)
            beat = time.monotonic()
    reader.read(timeout_s=0)
    on_progress(*reader.progress)


def _environment(home: str) -> dict[str, str]:
    """Return the child's whole environment: nothing of ours but the path to programs."""
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": home,
        "TMPDIR": home,
        "LANG": "C.UTF-8",
        "PYTHONPATH": str(PROJECT_ROOT),
        "PYTHONHASHSEED": "0",
        "PYTHONUTF8": "1",
        "HF_HUB_OFFLINE": "1",
        "TRANSFORMERS_OFFLINE": "1",
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "MKL_NUM_THREADS": "1",
    }


def _kill_group(child: subprocess.Popen[bytes]) -> None:
    """Kill the child and all that it started. Its group lives as long as one of them does."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGKILL)
    child.wait()


def _check_output(output_dir: Path, limits: Limits) -> None:
    total = 0
    for file in output_dir.rglob("*"):
        with contextlib.suppress(FileNotFoundError):  # the child may remove what it wrote
            total += 0 if file.is_dir() else file.lstat().st_size
    if total > limits.max_output_mb * 2**20:
        raise ParseError(
            f"The parser wrote more than {limits.max_output_mb} MB, so it was stopped.",
            code="output_too_large",
            hint="Split the file and upload its parts.",
        )


def _read_result(output_dir: Path, limits: Limits) -> ParsedDocument:
    _check_output(output_dir, limits)
    try:
        text = (output_dir / "parsed.json").read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        text = ""
    return from_json(text)


def _failure(status: int, output_dir: Path) -> ParseError:
    """Return what an exit status says: the child's own words, or which signal ended it."""
    if status == KNOWN_FAILURE:
        known = _known_failure(output_dir / "error.json")
        if known is not None:
            return known
    if status == -signal.SIGXCPU:
        return ParseError(
            "Reading the file took too much processor time, so it was stopped.",
            code="parser_timeout",
            hint="Split the file, or save it again as a simpler PDF.",
        )  # not retryable: the same bytes would take as much again
    how = f"by signal {-status}" if status < 0 else f"with status {status}"
    return ParseError(
        f"The program that reads files ended unexpectedly, {how}.",
        code="parser_killed",
        hint="The file may be damaged or need too much memory: save it again, or split it.",
        retryable=True,
    )


def _known_failure(path: Path) -> ParseError | None:
    try:
        with path.open("rb") as stream:
            raw = json.loads(stream.read(MAX_ERROR_BYTES))
        return ParseError(
            str(raw["message"]),
            code=str(raw["code"]),
            hint=str(raw["hint"]),
            retryable=bool(raw["retryable"]),
        )
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _timed_out(wall_s: float) -> ParseError:
    return ParseError(
        f"Reading the file took longer than {wall_s:.0f} seconds, so it was stopped.",
        code="parser_timeout",
        hint="Try again when the machine is less busy, or split the file.",
        retryable=True,
    )
