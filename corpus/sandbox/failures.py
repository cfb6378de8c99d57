"""Make errors of failed children, from their own words, their exit status or a limit."""

from __future__ import annotations

import json
import signal
from contextlib import suppress
from pathlib import Path

from corpus.parsing.types import ParseError

KNOWN_FAILURE = 3  # the child's exit status where its file says what is wrong
MAX_ERROR_BYTES = 64 * 1024
_FILE = "error.json"
READING, CUTTING = "Reading the file", "Cutting its text into passages"


def failure(status: int, output_dir: Path, work: str = READING) -> ParseError:
    """Return the error of a child by its exit status: its own words, or how it ended.

    `work` is READING or CUTTING.
    """
    if status == KNOWN_FAILURE:
        with suppress(OSError, ValueError, TypeError), (output_dir / _FILE).open("rb") as stream:
            message, code, hint, again = json.loads(stream.read(MAX_ERROR_BYTES))
            return ParseError(str(message), code=str(code), hint=str(hint), retryable=bool(again))
    if status == -signal.SIGXCPU:
        return ParseError(
            f"{work} took too much processor time, so it was stopped.",
            code="parser_timeout",
            hint="Split the file, or save it again as a simpler PDF.",
        )  # not retryable: the same bytes would take as much again
    how = f"by signal {-status}" if status < 0 else f"with status {status}"
    return ParseError(
        f"The parser ended unexpectedly, {how}.",
        code="parser_killed",
        hint="The file may be damaged or need too much memory. Save it again, or split it, "
        "and upload that.",
        retryable=True,
    )


def write_failure(output_dir: Path, error: ParseError) -> int:
    """Write an error for the parent to read; return the child's exit status."""
    content = [str(error), error.code, error.hint, error.retryable]
    (output_dir / _FILE).write_text(json.dumps(content), encoding="utf-8")
    return KNOWN_FAILURE


def timed_out(wall_s: float, work: str = READING) -> ParseError:
    return ParseError(
        f"{work} took longer than {wall_s:.0f} seconds, so it was stopped.",
        code="parser_timeout",
        hint="Try again when the machine is less busy, or split the file.",
        retryable=True,
    )


def wrote_too_much(max_output_mb: int) -> ParseError:
    return ParseError(
        f"The parser wrote more than {max_output_mb} MB, so it was stopped.",
        code="output_too_large",
        hint="Split the file and upload its parts.",
    )


def out_of_memory(memory_mb: int, work: str = READING) -> ParseError:
    return ParseError(
        f"{work} needs more than {memory_mb} MB of memory.",
        code="parser_memory",
        hint="Split the file, or ask for a higher memory_mb in MEDRAG_PARSING.",
        retryable=True,
    )
