"""Readers of PDFs, this checkout's and another's: each reads a file in a child process of its own.

A child reads with the limits of the site and one thread; its processor time counts from its start.
Each page gets a share of that time: the child reports when it has read a page, and the time before
the first and after the last page is divided among all.
"""

from __future__ import annotations

import resource
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from django.conf import settings
from django.core.management.base import CommandError

from corpus.parsing.sniff import PDF
from corpus.parsing.types import ParsedDocument, ParseError
from corpus.sandbox.parent import Limits, parse_in_child

_PROGRAMS = ("corpus.sandbox.child", "corpus.parsing.child")  # the second until 0.6


@dataclass(frozen=True)
class Reader:
    """A checkout of this project: its name in reports, and the command that starts its child."""

    name: str
    command: tuple[str, ...]


def readers(against: Path | None) -> list[Reader]:
    """Return this checkout's reader, and another's if given.

    Raises CommandError if that is no checkout.
    """
    found = [Reader("here", _command(settings.BASE_DIR))]
    return found if against is None else [*found, Reader("there", _command(against))]


def _command(checkout: Path) -> tuple[str, ...]:
    for program in _PROGRAMS:
        if checkout.joinpath(*program.split(".")).with_suffix(".py").is_file():
            return ("env", f"PYTHONPATH={checkout.resolve()}", sys.executable, "-m", program)
    raise CommandError(f"{checkout}: no checkout of this project that reads files.")


@dataclass(frozen=True)
class Read:
    """One reader's result for one file; without a document, `failure` is the error's sentence."""

    document: ParsedDocument | None
    failure: str
    code: str
    cpu_s: float
    wall_s: float
    page_shares: dict[int, float]  # of the time, by page; they add up to 1

    @property
    def pages(self) -> int:
        return len(self.document.pages) if self.document else 0

    @property
    def scanned(self) -> frozenset[int]:
        """The numbers of the pages that were read by OCR."""
        pages = self.document.pages if self.document else ()
        return frozenset(page.number for page in pages if page.ocr_confidence is not None)

    @property
    def doubts(self) -> Counter[str]:
        pages = self.document.pages if self.document else ()
        return Counter(doubt.code for page in pages for doubt in page.doubts)

    def seconds_of(self, pages: frozenset[int]) -> tuple[float, float]:
        """Return the processor time and the wall time spent on these pages."""
        share = sum(self.page_shares.get(page, 0.0) for page in pages)
        return share * self.cpu_s, share * self.wall_s


@dataclass(frozen=True)
class ReadFile:
    """A file and its results by the reader's name."""

    path: Path
    content: bytes
    reads: Mapping[str, Read]


def read(reader: Reader, path: Path, *, max_pages: int) -> Read:
    """Read a file with `reader`, and record its times also where it fails."""
    clock = _Clock()
    limits = Limits(max_pages=max_pages)
    document: ParsedDocument | None = None
    failure = code = ""
    before, started = _children_s(), time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        try:
            document = parse_in_child(
                path,
                media_type=PDF,
                output_dir=Path(folder),
                limits=limits,
                on_progress=clock.tick,
                command=reader.command,
            )
        except ParseError as error:
            failure, code = error.sentence, error.code
    wall_s = time.perf_counter() - started
    shares = clock.shares(wall_s)
    return Read(document, failure, code, _children_s() - before, wall_s, shares)


@dataclass
class _Clock:
    """Time each page by the progress that a child reports."""

    took_s: dict[int, float] = field(default_factory=dict)
    total: int = 0
    last: float = 0.0

    def tick(self, done: int, total: int) -> None:
        now = time.perf_counter()
        if not self.total:
            self.total, self.last = total, now
        new = range(len(self.took_s) + 1, done + 1)
        self.took_s |= {page: (now - self.last) / len(new) for page in new}
        self.last = now if new else self.last

    def shares(self, wall_s: float) -> dict[int, float]:
        rest = wall_s - sum(self.took_s.values())
        each = rest / len(self.took_s) if self.took_s else 0.0
        return {page: (took_s + each) / wall_s for page, took_s in self.took_s.items()}


def _children_s() -> float:
    """Return the processor time of all children that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
