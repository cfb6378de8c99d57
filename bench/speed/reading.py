"""Compare how fast this checkout and another read PDFs, and how well where the truth is known."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from django.core.management.base import CommandError

from bench.reading.hashing import digest_of, page_key
from bench.reading.judging import judge
from bench.reading.parsed import blocks_of
from bench.reading.scores import Judged, total
from bench.reading.telling import HEAD, LEGEND, compared, listed, overall, page_line
from bench.reading.truth import read_truth, write_truth
from bench.reading.types import FACTS, Block, TruePage, TruthError
from bench.reading.written import read_written
from bench.speed import speeds
from bench.speed.readers import Reader, ReadFile, read, readers

_EVERY_PAGE = 1_000  # as on a site
_TOO_MANY = "too_many_pages"

Truth = Mapping[str, Sequence[TruePage]]  # by document


@dataclass(frozen=True)
class Plan:
    """The PDFs to read, and what to compare the readings with."""

    folder: Path  # or one file
    against: Path | None = None
    pages: int | None = None  # at most
    truth: Path | None = None
    listed: bool = False


def write_reading_truth(written: Path, documents: Path, truth: Path) -> Iterator[str]:
    """Write a truth file from pages that people transcribed. Raises CommandError."""
    try:
        pages = read_written(written, documents)
    except TruthError as error:
        raise CommandError(f"{error} Nothing was written.") from error
    write_truth(truth, pages)
    counts = Counter(name for page in pages for name in FACTS if getattr(page, name))
    yield f"{truth}: {len(pages)} pages of {len({page.document for page in pages})} documents"
    yield ", ".join(f"{name} {counts[name]}" for name in FACTS)


def measure_reading(plan: Plan) -> Iterator[str]:
    """Read the PDFs of a folder and yield a report in lines. Raises CommandError."""
    truth = _truth(plan.truth) if plan.truth else None
    found = readers(plan.against)
    files: list[ReadFile] = []
    yield speeds.HEAD
    for file in _read_files(plan, found, truth):
        files.append(file)
        yield from speeds.file_lines(file)
    if not files:
        raise CommandError(f"{plan.folder}: no PDF in it was to be read.")
    names = [reader.name for reader in found]
    for name in names:
        yield from speeds.summary(name, [file.reads[name] for file in files])
    if len(names) > 1:
        yield from speeds.ratios(names[0], names[1], files)
    if truth is not None:
        yield from _judgement(files, names, truth, with_list=plan.listed)


def _truth(path: Path) -> Truth:
    pages: dict[str, list[TruePage]] = {}
    try:
        for page in read_truth(path):
            pages.setdefault(page.document, []).append(page)
    except TruthError as error:
        raise CommandError(str(error)) from error
    return pages


def _read_files(plan: Plan, found: Sequence[Reader], truth: Truth | None) -> Iterator[ReadFile]:
    """Yield each file after all readers have read it; the readers take turns at going first.

    With a truth only its documents are read; with `pages` a document that would exceed it is
    skipped.
    """
    left = plan.pages or _EVERY_PAGE
    for path in _paths(plan):
        content = path.read_bytes()
        if truth is not None and digest_of(content) not in truth:
            continue
        reads = {reader.name: read(reader, path, max_pages=left) for reader in found}
        found = [*found[1:], *found[:1]]
        if plan.pages:
            if any(one.code == _TOO_MANY for one in reads.values()):
                continue
            left -= max(one.pages for one in reads.values())
        yield ReadFile(path, content, reads)
        if left <= 0:
            return


def _paths(plan: Plan) -> list[Path]:
    """Return the PDFs by name; with `pages` by SHA-256, an arbitrary but fixed order."""
    if not plan.folder.exists():
        raise CommandError(f"{plan.folder}: there is no such file or folder.")
    every = [plan.folder] if plan.folder.is_file() else plan.folder.rglob("*")
    paths = sorted(path for path in every if path.suffix.lower() == ".pdf" and path.is_file())
    return sorted(paths, key=lambda path: digest_of(path.read_bytes())) if plan.pages else paths


def _judgement(
    files: Sequence[ReadFile], names: Sequence[str], truth: Truth, *, with_list: bool
) -> Iterator[str]:
    here = {digest_of(file.content) for file in files}
    if missing := len(set(truth) - here):
        yield f"{missing} of the {len(truth)} documents of the truth were not read"
    yield from ("", LEGEND)
    totals = {}
    for name in names:
        judged: list[Judged] = []
        yield from ("", f"read by {name}:", HEAD)
        for file in files:
            for page in truth[digest_of(file.content)]:
                said = _said(file, name, page)
                judged.append(judge(page, said))
                yield page_line(file.path.stem, judged[-1])
                yield from listed(judged[-1], said) if with_list else ()
        yield from overall(judged)
        sure = [one for one in judged if not one.page.unsure]
        if 0 < len(sure) < len(judged):
            yield "without those that can be read in two ways:"
            yield from overall(sure)
        totals[name] = total(one.score for one in judged)
    yield from compared(totals) if len(names) > 1 else ()


def _said(file: ReadFile, name: str, page: TruePage) -> tuple[Block, ...]:
    """Return the blocks that a reader found on a page; empty where it could not read the file."""
    document = file.reads[name].document
    pages = document.pages if document else ()
    key = page_key(file.content, page.number)
    return next((blocks_of(one, key) for one in pages if one.number == page.number), ())
