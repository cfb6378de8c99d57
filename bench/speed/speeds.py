"""Report how fast files were read, text pages and scanned pages apart. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from bench.speed.readers import Read, ReadFile

_LINE = "{:<40.40} {:<8.8} {:>5} {:>7} {:>10} {:>10}  {}"
HEAD = _LINE.format("document", "by", "pages", "scanned", "p/s of cpu", "p/s", "doubts")

Seconds = tuple[float, float]  # of processor time and of wall time


def file_lines(file: ReadFile) -> Iterator[str]:
    """Yield a line for each reader, with the error's sentence where it could not read the file."""
    for name, one in file.reads.items():
        rates = (f"{one.pages / seconds:.2f}" for seconds in (one.cpu_s, one.wall_s))
        told = f"FAILED: {one.failure}" if one.failure else _counts(one.doubts)
        yield _LINE.format(file.path.name, name, one.pages, len(one.scanned), *rates, told)


def summary(name: str, reads: Sequence[Read]) -> Iterator[str]:
    """Yield one reader's totals over all files; rates count only the files it could read."""
    good, bad = [one for one in reads if not one.failure], [one for one in reads if one.failure]
    pages, seconds = _pages(good), _sum((one.cpu_s, one.wall_s) for one in good)
    yield f"{name}: {len(good)} documents read; {_rate('pages', pages, seconds)}"
    if bad:
        lost_s = sum(one.cpu_s for one in bad)
        yield f"{name}: {len(bad)} documents failed, after {lost_s:.1f} s of processor time"
    for kind, scanned in (("text pages", False), ("scanned pages", True)):
        chosen = [_pages_of(one, scanned=scanned) for one in good]
        spent = _sum(one.seconds_of(some) for one, some in zip(good, chosen, strict=True))
        yield f"{name}: {_rate(kind, sum(map(len, chosen)), spent)}"
    yield f"{name}: doubts: {_counts(sum((one.doubts for one in reads), Counter()))}"


def ratios(name: str, other: str, files: Sequence[ReadFile]) -> Iterator[str]:
    """Yield how many times as fast the first reader is, on files that both could read.

    Text pages and scanned pages are compared apart, and only pages of the same kind for both.
    """
    both = [(f.reads[name], f.reads[other]) for f in files]
    both = [(one, two) for one, two in both if not one.failure and not two.failure]
    yield f"{name} against {other}, on the {len(both)} documents that both read:"
    for kind, scanned in (("text pages", False), ("scanned pages", True)):
        shared = [_pages_of(a, scanned=scanned) & _pages_of(b, scanned=scanned) for a, b in both]
        spent = [
            _sum(pair[at].seconds_of(pages) for pair, pages in zip(both, shared, strict=True))
            for at in (0, 1)
        ]
        yield f"{kind}: {sum(map(len, shared))}, {_times(*spent)}"
    every = [_sum((pair[at].cpu_s, pair[at].wall_s) for pair in both) for at in (0, 1)]
    yield f"documents: {len(both)}, {_times(*every)}"


def _times(mine: Seconds, others: Seconds) -> str:
    if not all(mine):
        return "none to compare"
    cpu, wall = (theirs / own for own, theirs in zip(mine, others, strict=True))
    return f"{cpu:.2f} times as fast by processor time, {wall:.2f} by the clock"


def _rate(kind: str, pages: int, seconds: Seconds) -> str:
    if not pages or not all(seconds):
        return f"{pages} {kind}"
    cpu, wall = seconds
    return (
        f"{pages} {kind} in {cpu:.1f} s of processor time and {wall:.1f} s by the clock: "
        f"{pages / cpu:.2f} and {pages / wall:.2f} pages/s"
    )


def _pages(reads: Sequence[Read]) -> int:
    return sum(one.pages for one in reads)


def _pages_of(one: Read, *, scanned: bool) -> frozenset[int]:
    every = frozenset(range(1, one.pages + 1))
    return one.scanned if scanned else every - one.scanned


def _sum(seconds: Iterator[Seconds]) -> Seconds:
    found = list(seconds)
    return sum(cpu for cpu, _ in found), sum(wall for _, wall in found)


def _counts(codes: Counter[str]) -> str:
    return ", ".join(f"{code} {codes[code]}" for code in sorted(codes)) or "-"
