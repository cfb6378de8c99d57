"""Show the progress of a long command: in place on a terminal, a line a minute in a log. Pure."""

from __future__ import annotations

import os
import sys
import time
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TextIO

REDRAWN_S = 0.2  # on a terminal
LOGGED_S = 60.0  # in a file or a pipe; what is done sooner is not worth a line
BYTES = "bytes"


def _standard_error() -> TextIO:
    """Return the current standard error, which tests may have replaced."""
    return sys.stderr


@dataclass
class Progress:
    """A counter shown on standard error during a `with` block.

    A first count above 0 was done before and doesn't affect the estimated speed.
    """

    what: str
    total: int = 0  # 0: not known yet
    unit: str = "files"
    is_quiet: bool = False
    stream: TextIO = field(default_factory=_standard_error)
    clock: Callable[[], float] = time.monotonic
    _done: int = 0
    _before: int | None = None  # the first count
    _columns: int = 0  # that the last line took
    _has_shown: bool = False

    def __enter__(self) -> Progress:
        self._is_terminal = self.stream.isatty()
        self._pause_s = REDRAWN_S if self._is_terminal else LOGGED_S
        self._started = self._shown_at = self.clock()
        self._note = ""
        if self._is_terminal:
            self._show()
        return self

    def __exit__(self, *error: object) -> None:
        """Leave the last state visible; in a log only if lines were written before."""
        if self._has_shown:
            self._show()
            self._write("\n" if self._is_terminal else "")

    def step(self, count: int = 1) -> None:
        self.at(self._done + count)

    def at(self, done: int, total: int | None = None, note: str = "") -> None:
        """Set the total count done; `note` says what is being done."""
        self._done, self._note = done, note
        self.total = self.total if total is None else total
        self._before = done if self._before is None else self._before
        if self.clock() - self._shown_at >= self._pause_s:
            self._show()

    def _show(self) -> None:
        if self.is_quiet or not (self.total or self._done):
            return
        self._shown_at, self._has_shown = self.clock(), True
        line = "".join(c if c.isprintable() else "?" for c in ", ".join(self._parts()))
        if not self._is_terminal:
            self._write(f"{line}\n")
            return
        line = _cut(line, _columns_of(self.stream) - 1)
        before, self._columns = self._columns, sum(map(_width, line))
        self._write(f"\r{line}{' ' * (before - self._columns)}")

    def _parts(self) -> Iterator[str]:
        yield f"{self.what}: {_counted(self._done, self.total, self.unit)}"
        gone_s = self.clock() - self._started
        yield _duration(gone_s)
        made = self._done - (self._before or 0)
        if made > 0 and self._done < self.total:
            yield f"about {_duration(gone_s / made * (self.total - self._done))} left"
        if self._note:
            yield self._note

    def _write(self, text: str) -> None:
        with suppress(OSError, ValueError):  # nobody reads it any more; the work goes on
            self.stream.write(text)
            self.stream.flush()


def _counted(done: int, total: int, unit: str) -> str:
    share = f" ({100 * done // total} %)" if total else ""
    if unit == BYTES:
        of = f" of {total / 1e6:.1f}" if total else ""
        return f"{done / 1e6:.1f}{of} MB{share}"
    return f"{done}{f' of {total}' if total else ''} {unit}{share}"


def _duration(seconds: float) -> str:
    """Return a duration such as 0:07 or 1:02:03."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"


def _columns_of(stream: TextIO) -> int:
    """Return the terminal's width; a default where the terminal reports 0."""
    with suppress(OSError, ValueError):
        return os.get_terminal_size(stream.fileno()).columns or 80
    return 80


def _cut(line: str, columns: int) -> str:
    """Cut a line to the terminal's width: a wrapped line could not be rewritten."""
    if sum(map(_width, line)) <= columns:
        return line
    while line and sum(map(_width, line)) > columns - 1:
        line = line[:-1]
    return f"{line}…"


def _width(character: str) -> int:
    """Return the width in columns: Chinese characters take two, combining marks none."""
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
