"""Read one untrusted file: `child INPUT TYPE OUTPUT_DIR`.

The program limits its memory and time before it opens anything. Exit status 0 means that
`parsed.json` was written; with `--picture 7` of a PDF `7.webp`; with `--cut` `passages.json`, cut
from the pages in the order INPUT. Status 3 means that `error.json` says what is wrong. Any other
status is a crash.
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import os
import re
import resource
import signal
import sys
import traceback
from pathlib import Path

from corpus.chunking.cutting import write_cut
from corpus.parsing.pdf.render import Renderer
from corpus.parsing.registry import Request, parse_file
from corpus.parsing.serialise import to_json
from corpus.parsing.types import ParseError, too_deep
from corpus.sandbox.failures import CUTTING, READING, out_of_memory, write_failure

_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE = 1, 4
_NO_MEMORY = re.compile(
    r"bad.alloc|allocate memory|insufficient memory|failed to map segment", re.IGNORECASE
)
_NEARLY_ALL = 0.85  # of the limit; the large allocation that failed does not count in the peak
_MAYBE_MEMORY = frozenset({"file_corrupt", "pdf_corrupt", "models_unusable"})
_MAX_FILE_BYTES = 512 * 2**20


def main(argv: list[str] | None = None) -> int:
    """Parse one file, draw a page of it or cut it into passages; return the exit status."""
    arguments = _arguments(argv)
    memory = arguments.memory_mb * 2**20
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CPU, (arguments.cpu_s, arguments.cpu_s + 5))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (_MAX_FILE_BYTES, _MAX_FILE_BYTES))
    die_with(os.getppid())
    _print_progress(0, 0)  # it has started
    request = Request(
        path=Path(arguments.input).resolve(),
        media_type=arguments.media_type,
        output_dir=Path(arguments.output_dir).resolve(),
        max_pages=arguments.max_pages,
        on_page=_print_progress,
        docling_artifacts=arguments.docling_artifacts,
    )
    work = CUTTING if arguments.cut else READING
    try:
        if arguments.picture:
            Renderer(request.path).save_view(arguments.picture, request.output_dir)
        elif arguments.cut:
            write_cut(request.path, request.output_dir)
        else:
            document = parse_file(request)
            (request.output_dir / "parsed.json").write_text(to_json(document), encoding="utf-8")
    except Exception as error:  # noqa: BLE001  parsers raise whatever their libraries do
        return write_failure(request.output_dir, _said_of(error, arguments.memory_mb, work))
    return 0


def _said_of(error: Exception, memory_mb: int, work: str = READING) -> ParseError:
    """Return the error that a person can act on, also for one that no parser foresaw.

    An unforeseen error is retryable only if memory ran short: otherwise the same file would raise
    it again. Its type and place go to stderr; its text goes nowhere, since it may quote the file.
    """
    if isinstance(error, ParseError) and error.code not in _MAYBE_MEMORY:
        return error
    # C code that had no memory to make its own exception leaves a SystemError.
    short = isinstance(error, MemoryError | SystemError) or _NO_MEMORY.search(str(error))
    if short or _ran_short(memory_mb):
        return out_of_memory(memory_mb, work)
    if isinstance(error, ParseError):
        return error
    if isinstance(error, RecursionError):
        return too_deep()
    for frame in traceback.extract_tb(error.__traceback__)[-1:]:
        place = f"{Path(frame.filename).name}:{frame.lineno}"
        print(f"{type(error).__name__} at {place}", file=sys.stderr)
    if work == CUTTING:
        return ParseError(
            f"The text can't be cut into passages ({type(error).__name__}).",
            code="chunking_failed",
            hint="None of it is searched. Report the file to the administrator: the worker's "
            "log says where it failed.",
        )
    return ParseError(
        f"The file can't be read: its content is damaged or unusual ({type(error).__name__}).",
        code="file_unreadable",
        hint="Open it in the program that made it, save it again, or export it as a PDF.",
    )


def _ran_short(memory_mb: int) -> bool:
    """Tell whether the peak of memory was so near the limit that the error may come from it."""
    with contextlib.suppress(OSError):
        peak = re.search(r"VmPeak:\s+(\d+) kB", Path("/proc/self/status").read_text())
        return peak is not None and int(peak.group(1)) > _NEARLY_ALL * memory_mb * 1024
    return False


def _arguments(argv: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="corpus.sandbox.child", description=__doc__)
    parser.add_argument("input")
    parser.add_argument("media_type")
    parser.add_argument("output_dir")
    parser.add_argument("--picture", type=int, default=0, metavar="PAGE")
    parser.add_argument("--cut", action="store_true")
    parser.add_argument("--max-pages", type=int, default=1_000)
    parser.add_argument("--memory-mb", type=int, default=3_072)
    parser.add_argument("--cpu-s", type=int, default=900)
    parser.add_argument("--docling-artifacts", type=Path, default=None)
    return parser.parse_args(argv)


def die_with(parent: int) -> None:
    """Have the kernel kill this process when `parent`, which started it, ends."""
    _control(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it died in between
        sys.exit(1)


def allow_no_tracing() -> None:
    """Forbid processes of the same user to read or write this one's memory."""
    _control(_PR_SET_DUMPABLE, 0)


def _control(option: int, value: int) -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def _print_progress(done: int, total: int) -> None:
    with contextlib.suppress(BrokenPipeError):
        print(f"page {done}/{total}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
