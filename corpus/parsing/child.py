"""The program that reads one hostile file: `python -m corpus.parsing.child INPUT TYPE OUTPUT_DIR`.

It limits itself before it opens anything. Exit status 0 means `parsed.json` is there, 3 means that
`error.json` says what is wrong; all else is a crash.
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import json
import os
import re
import resource
import signal
import sys
from pathlib import Path

from corpus.parsing.registry import Request, parse_file
from corpus.parsing.sandbox import KNOWN_FAILURE
from corpus.parsing.serialise import to_json
from corpus.parsing.types import ParseError

_PR_SET_PDEATHSIG = 1
_NO_MEMORY = re.compile(r"bad.alloc|allocate memory|insufficient memory", re.IGNORECASE)
_MAX_FILE_BYTES = 512 * 2**20


def main(argv: list[str] | None = None) -> int:
    """Parse one file; return the exit status."""
    arguments = _arguments(argv)
    _limit(arguments.memory_mb, arguments.cpu_s)
    if arguments.docling_artifacts is None:
        _leave_out_torch()
    request = Request(
        path=Path(arguments.input).resolve(),
        media_type=arguments.media_type,
        output_dir=Path(arguments.output_dir).resolve(),
        max_pages=arguments.max_pages,
        on_page=_print_progress,
        docling_artifacts=arguments.docling_artifacts,
    )
    try:
        document = parse_file(request)
        (request.output_dir / "parsed.json").write_text(to_json(document), encoding="utf-8")
    except ParseError as error:
        return _write_error(request.output_dir, error)
    except (MemoryError, RuntimeError) as error:
        if isinstance(error, MemoryError) or _NO_MEMORY.search(str(error)):
            return _write_error(request.output_dir, _out_of_memory(arguments.memory_mb))
        raise
    return 0


def _arguments(argv: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="corpus.parsing.child", description=__doc__)
    parser.add_argument("input")
    parser.add_argument("media_type")
    parser.add_argument("output_dir")
    parser.add_argument("--max-pages", type=int, default=1_000)
    parser.add_argument("--memory-mb", type=int, default=3_072)
    parser.add_argument("--cpu-s", type=int, default=900)
    parser.add_argument("--docling-artifacts", type=Path, default=None)
    return parser.parse_args(argv)


def _limit(memory_mb: int, cpu_s: int) -> None:
    """Bound memory, processor time and file size, and die with the parent."""
    memory = memory_mb * 2**20
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CPU, (cpu_s, cpu_s + 5))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (_MAX_FILE_BYTES, _MAX_FILE_BYTES))
    if sys.platform == "linux":
        parent = os.getppid()
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:  # it died in between
            sys.exit(1)


def _leave_out_torch() -> None:
    """Let docling import as where torch is not installed: it saves two seconds and 230 MB a
    file."""
    for name in ("torch", "transformers"):
        sys.modules[name] = None  # type: ignore[assignment]  # how Python itself marks "not there"


def _print_progress(done: int, total: int) -> None:
    with contextlib.suppress(BrokenPipeError):
        print(f"page {done}/{total}", flush=True)


def _write_error(output_dir: Path, error: ParseError) -> int:
    body = {
        "code": error.code,
        "message": str(error),
        "hint": error.hint,
        "retryable": error.retryable,
    }
    (output_dir / "error.json").write_text(json.dumps(body), encoding="utf-8")
    return KNOWN_FAILURE


def _out_of_memory(memory_mb: int) -> ParseError:
    return ParseError(
        f"Reading the file needs more than {memory_mb} MB of memory.",
        code="parser_memory",
        hint="Split the file, or ask for a higher limit.",
        retryable=True,
    )


if __name__ == "__main__":
    sys.exit(main())
