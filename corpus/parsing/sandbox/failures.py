"""What a child's end says: the error for a person, from an exit status or a limit."""

from __future__ import annotations

import json
import signal
from pathlib import Path

from corpus.parsing.serialise import KNOWN_FAILURE
from corpus.parsing.types import ParseError

MAX_ERROR_BYTES = 64 * 1024
READING, CUTTING = "Reading the file", "Cutting its text into passages"


def failure(status: int, output_dir: Path, work: str = READING) -> ParseError:
    """Return what an exit status says: the child's own words, or which signal ended it.

    `work` is READING or CUTTING.
    """
    if status == KNOWN_FAILURE:
        known = _known_failure(output_dir / "error.json")
        if known is not None:
            return known
    if status == -signal.SIGXCPU:
        return ParseError(
            f"{work} took too much processor time, so it was stopped.",
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
