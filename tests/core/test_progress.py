"""Progress on a terminal, which is a real one, and in a log."""

import fcntl
import io
import os
import pty
import select
import struct
import subprocess
import sys
import termios
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TextIO

import pytest

from core.progress import BYTES, Progress

ROOT = Path(__file__).resolve().parents[2]
WIDTH = 60


class Clock:
    """A clock that tests advance."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def terminal() -> Iterator[tuple[TextIO, int]]:
    """Yield a terminal's stream for programs, and the descriptor that reads what they write."""
    reader, program = pty.openpty()
    fcntl.ioctl(program, termios.TIOCSWINSZ, struct.pack("HHHH", 24, WIDTH, 0, 0))
    with os.fdopen(program, "w", encoding="utf-8") as stream:
        yield stream, reader
    os.close(reader)


def read(reader: int) -> str:
    r"""Return all that was written; a terminal delivers it in parts, with `\r\n` at line ends."""
    parts = []
    while select.select([reader], [], [], 0)[0]:
        with suppress(OSError):  # the program's side is closed and all is read
            if part := os.read(reader, 65536):
                parts.append(part)
                continue
        break
    return b"".join(parts).decode().replace("\r\n", "\n")


def screen(text: str) -> list[str]:
    r"""Return the lines that a terminal shows: text after `\r` overwrites what was there."""
    shown = []
    for line in text.split("\n"):
        columns: dict[int, str] = {}
        for written in line.split("\r"):
            columns |= dict(enumerate(written))
        shown.append("".join(columns.values()).rstrip())
    return shown


def test_a_terminal_shows_one_line_that_is_rewritten(terminal: tuple[TextIO, int]) -> None:
    stream, reader = terminal
    clock = Clock()
    with Progress("Indexing", 200, stream=stream, clock=clock) as progress:
        for done in range(1, 201):
            clock.now += 0.5
            progress.at(done, note="a long name.pdf is being read" if done < 150 else "")
    text = read(reader)
    assert text.count("\n") == 1
    assert text.count("\r") > 100
    assert screen(text) == ["Indexing: 200 of 200 files (100 %), 1:40", ""]


def test_a_line_never_wraps(terminal: tuple[TextIO, int]) -> None:
    stream, reader = terminal
    with Progress("Indexing", 2, stream=stream) as progress:
        progress.at(1, note="指" * 100)
    for line in read(reader).replace("\n", "").split("\r"):
        wide = sum(2 if char == "指" else 1 for char in line)
        assert wide < WIDTH


def test_a_terminal_is_not_written_to_faster_than_it_is_read(terminal: tuple[TextIO, int]) -> None:
    stream, reader = terminal
    clock = Clock()
    with Progress("Queueing", 1000, stream=stream, clock=clock) as progress:
        for _ in range(1000):
            clock.now += 0.001
            progress.step()
    assert read(reader).count("\r") <= 7  # five in a second, the first and the last


def test_a_log_gets_a_line_a_minute_and_the_last_state() -> None:
    log, clock = io.StringIO(), Clock()
    with Progress("Encoding", 400, "passages", stream=log, clock=clock) as progress:
        for done in range(1, 401):
            clock.now += 0.5
            progress.at(done)
    assert log.getvalue().splitlines() == [
        "Encoding: 120 of 400 passages (30 %), 1:00, about 2:21 left",
        "Encoding: 240 of 400 passages (60 %), 2:00, about 1:20 left",
        "Encoding: 360 of 400 passages (90 %), 3:00, about 0:20 left",
        "Encoding: 400 of 400 passages (100 %), 3:20",
    ]


def test_what_was_there_before_says_nothing_of_the_speed() -> None:
    log, clock = io.StringIO(), Clock()
    with Progress("Encoding", unit="passages", stream=log, clock=clock) as progress:
        progress.at(900, 1000)
        clock.now = 60.0
        progress.at(910, 1000)
    assert log.getvalue().splitlines()[0].endswith("1:00, about 9:00 left")


def test_what_is_soon_done_leaves_nothing_in_a_log() -> None:
    log = io.StringIO()
    with Progress("Queueing", 3, stream=log) as progress:
        for _ in range(3):
            progress.step()
    assert log.getvalue() == ""


def test_quiet_is_quiet_on_a_terminal_too(terminal: tuple[TextIO, int]) -> None:
    stream, reader = terminal
    with Progress("Encoding", 2, is_quiet=True, stream=stream) as progress:
        progress.step(2)
    stream.write("end")
    stream.flush()
    assert read(reader) == "end"


def test_bytes_are_told_in_megabytes() -> None:
    log, clock = io.StringIO(), Clock()
    with Progress("Reading", 300_000_000, BYTES, stream=log, clock=clock) as progress:
        clock.now = 3723.0
        progress.step(150_000_000)
    assert log.getvalue().splitlines()[0].startswith("Reading: 150.0 of 300.0 MB (50 %), 1:02:03")


def test_a_name_cannot_steer_the_terminal(terminal: tuple[TextIO, int]) -> None:
    stream, reader = terminal
    with Progress("Indexing", 2, stream=stream) as progress:
        progress.at(1, note="evil\x1b[2J\nname")
    assert "\x1b" not in read(reader)


def test_a_log_that_nobody_reads_stops_no_work() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    clock = Clock()
    stream = os.fdopen(writer, "w")
    with Progress("Queueing", 2, stream=stream, clock=clock) as progress:
        clock.now = 61.0
        progress.step()
    with pytest.raises(BrokenPipeError):
        stream.close()


PROGRAM = """
from core.progress import Progress
with Progress("Queueing", 3) as progress:
    for _ in range(3):
        progress.step()
print("3 queued.")
"""


def test_a_program_sees_by_itself_where_it_writes_to() -> None:
    piped = subprocess.run(
        [sys.executable, "-c", PROGRAM], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert (piped.stdout, piped.stderr) == ("3 queued.\n", "")
    reader, program = pty.openpty()
    subprocess.run([sys.executable, "-c", PROGRAM], cwd=ROOT, stderr=program, check=True)
    os.close(program)
    assert screen(read(reader)) == ["Queueing: 3 of 3 files (100 %), 0:00", ""]
    os.close(reader)
