"""Open a file in a child process, which can be limited, and killed even in native code.

Light on purpose: no parser is imported here.
"""

from __future__ import annotations

import contextlib
import logging
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from corpus.chunking.cutting import CUT, Order, Passage, order_json, passages_from
from corpus.parsing.serialise import from_json
from corpus.parsing.sniff import PDF, TEXT
from corpus.parsing.types import ParsedDocument, ParseError
from corpus.sandbox.child_process import PipeReader, Program, Running
from corpus.sandbox.failures import CUTTING, READING, failure, timed_out, wrote_too_much
from corpus.sandbox.fork_servers import fork_child

logger = logging.getLogger(__name__)

CHILD: tuple[str, ...] = (sys.executable, "-m", "corpus.sandbox.child")
BEAT_S = 1.0  # between two calls of on_progress while nothing happens
POLL_S = 0.2

OnProgress = Callable[[int, int], None]
OnStart = Callable[[], None]


@dataclass(frozen=True)
class Limits:
    """The limits for one file.

    The parent enforces `wall_s` and `max_output_mb`, the child the others on itself.
    """

    max_pages: int = 1_000
    memory_mb: int = 3_072  # address space
    cpu_s: int = 900
    wall_s: float = 1_200.0
    max_output_mb: int = 1_024


@dataclass(frozen=True)
class _Watch:
    """The output and limits to check while a child runs, and the functions to call."""

    output_dir: Path
    limits: Limits
    on_progress: OnProgress = lambda done, total: None
    on_start: OnStart = lambda: None
    work: str = READING


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
    """Parse `path` in a child process and return the document.

    `output_dir` must exist; the child writes `parsed.json` into it. `on_progress(done, total)` is
    called at least every two seconds, with (0, 0) until the number of pages is known; an error that
    it raises kills the child and is passed on to the caller. `on_start()` is called when the child
    begins to read the file. Raises ParseError.
    """
    arguments = _arguments(path, media_type, output_dir, limits)
    start = _started(arguments, command)
    if docling_artifacts is not None:  # docling's own models need torch
        more = ["--docling-artifacts", str(docling_artifacts)]
        start = partial(Program, [*command, *arguments, *more])
    _run(start, _Watch(output_dir, limits, on_progress, on_start))
    return from_json(_result(output_dir, limits, "parsed.json"))


def cut_in_child(
    order: Order,
    *,
    output_dir: Path,
    limits: Limits,
    on_progress: OnProgress,
    command: Sequence[str] = CHILD,
) -> list[Passage]:
    """Cut the pages in `order` into passages in a child process; limits as for parsing.

    Raises ParseError.
    """
    written = output_dir / "order.json"
    written.write_text(order_json(order), encoding="utf-8")
    arguments = [*_arguments(written, TEXT, output_dir, limits), "--cut"]
    _run(_started(arguments, command), _Watch(output_dir, limits, on_progress, work=CUTTING))
    return passages_from(_result(output_dir, limits, CUT))


def _started(arguments: Sequence[str], command: Sequence[str]) -> Callable[[str], Running]:
    """Return a function that starts the child, by a fork server unless `command` is not CHILD."""
    if tuple(command) == CHILD:
        return partial(fork_child, arguments)
    return partial(Program, [*command, *arguments])


def draw_in_child(path: Path, *, number: int, output_dir: Path, limits: Limits) -> bytes:
    """Draw page `number` of a PDF in a child process; return the picture as WebP.

    Raises ParseError.
    """
    arguments = [*_arguments(path, PDF, output_dir, limits), f"--picture={number}"]
    _run(partial(Program, [*CHILD, *arguments]), _Watch(output_dir, limits))
    _check_output(output_dir, limits)
    drawn = output_dir / f"{number}.webp"
    content = drawn.read_bytes() if drawn.is_file() and not drawn.is_symlink() else b""
    if content[:4] + content[8:12] != b"RIFFWEBP":
        raise ParseError("The parser's output is not a picture.", code="parser_output")
    return content


def _arguments(path: Path, media_type: str, output_dir: Path, limits: Limits) -> list[str]:
    bounds = {"max-pages": limits.max_pages, "memory-mb": limits.memory_mb, "cpu-s": limits.cpu_s}
    return [
        *(str(path.resolve()), media_type, str(output_dir.resolve())),
        *(f"--{name}={value}" for name, value in bounds.items()),
    ]


def _run(start: Callable[[str], Running], watch: _Watch) -> None:
    """Run a child to its end, in a home folder of its own, and leave none of its processes.

    Raises ParseError unless its exit status is 0.
    """
    with tempfile.TemporaryDirectory(prefix="medrag-parse-") as home:
        child = start(home)
        reader = PipeReader(child, watch.on_start)
        try:
            status = _status(child, reader, watch)
        finally:
            child.end()
            reader.close()
    if reader.errors:
        logger.debug("a parser wrote %d bytes to stderr", len(reader.errors))
    if status != 0:
        raise failure(status, watch.output_dir, watch.work)


def _status(child: Running, reader: PipeReader, watch: _Watch) -> int:
    """Wait for the child's end and return its exit status. Raises ParseError past a limit."""
    deadline = time.monotonic() + watch.limits.wall_s
    beat = 0.0
    while (status := child.poll()) is None:
        now = time.monotonic()
        if now >= deadline:
            raise timed_out(watch.limits.wall_s, watch.work)
        moved = reader.read(timeout_s=min(POLL_S, deadline - now))
        if moved or time.monotonic() - beat >= BEAT_S:
            watch.on_progress(*reader.progress)
            _check_output(watch.output_dir, watch.limits)
            beat = time.monotonic()
    reader.read(timeout_s=0)
    watch.on_progress(*reader.progress)
    return status


def _check_output(output_dir: Path, limits: Limits) -> None:
    total = 0
    for file in output_dir.rglob("*"):
        with contextlib.suppress(FileNotFoundError):  # the child may remove what it wrote
            total += 0 if file.is_dir() else file.lstat().st_size
    if total > limits.max_output_mb * 2**20:
        raise wrote_too_much(limits.max_output_mb)


def _result(output_dir: Path, limits: Limits, name: str) -> str:
    _check_output(output_dir, limits)
    try:
        return (output_dir / name).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return ""
