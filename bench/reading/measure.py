"""Read the PDFs of which people transcribed pages, and compare. `manage.py bench --reading`."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import groupby
from operator import attrgetter
from pathlib import Path

from bench.reading.hashing import digest_of, page_key
from bench.reading.judging import Hits, Score, judge, total
from bench.reading.parsed import blocks_of
from bench.reading.truth import read_truth
from bench.reading.types import TruePage, TruthError
from corpus.parsing.doubts.grades import Grade
from corpus.parsing.sniff import PDF
from corpus.parsing.types import ParsedDocument, ParseError
from corpus.sandbox.parent import Limits, parse_in_child
from corpus.statements import PageView, statements_of
from corpus.statements.share import QuotableWords, quotable_line, words_in
from evaluation.metrics.statistics import Interval, interval_of_ratio


@dataclass(frozen=True)
class _Judged:
    """A page as it was read: its score, and the grades of its doubts."""

    page: TruePage
    score: Score
    is_read: bool
    grades: frozenset[Grade | None]


_NAMES = {"headings": "headings", "items": "list items", "cells": "cells", "words": "words"}


def measure_reading(folder: Path, truth: Path) -> Iterator[str]:
    """Read the documents of `truth` that are below `folder`; yield the measures in lines.

    A document that can't be read counts as missed. Raises TruthError.
    """
    pages = sorted(read_truth(truth), key=attrgetter("document", "number"))
    here = {digest_of(path.read_bytes()): path for path in _pdfs(folder)}
    judged: list[_Judged] = []
    quotable = QuotableWords()
    for digest, group in groupby(pages, key=attrgetter("document")):
        if path := here.get(digest):
            document, failure = _read(path)
            found = [_judged(page, document, path.read_bytes()) for page in group]
            judged += found
            quotable += _quotable(document)
            yield f"{path.name}: {len(found)} pages{failure}"
    if not judged:
        raise TruthError(f"{folder} holds no document of {truth}.")
    if missing := {page.document for page in pages} - here.keys():
        yield f"{len(missing)} documents of the truth are not there"
    yield from _overall([one.score for one in judged])
    yield _doubted(judged)
    yield f"of these documents {quotable_line(quotable)}"
    sure = [one for one in judged if not one.page.unsure]
    if 0 < len(sure) < len(judged):
        yield "without those that can be read in two ways:"
        yield from _overall([one.score for one in sure])
        yield _doubted(sure)


def _pdfs(folder: Path) -> list[Path]:
    if not folder.exists():
        raise TruthError(f"{folder}: there is no such file or folder.")
    every = [folder] if folder.is_file() else sorted(folder.rglob("*"))
    return [path for path in every if path.suffix.lower() == ".pdf" and path.is_file()]


def _read(path: Path) -> tuple[ParsedDocument | None, str]:
    """Return the document as a site reads it, or why it could not be read."""
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        try:
            return parse_in_child(
                path,
                media_type=PDF,
                output_dir=Path(folder),
                limits=Limits(max_pages=1000),
                on_progress=lambda done, total: None,
            ), ""
        except ParseError as error:
            return None, f", FAILED: {error.sentence}"


def _quotable(document: ParsedDocument | None) -> QuotableWords:
    """Return what of a document an answer could quote, headings that limit left out."""
    if document is None:
        return QuotableWords()
    pages = asdict(document)["pages"]
    views = {page["number"]: PageView(page["text"], page["blocks"]) for page in pages}
    whole = [((), [(page["number"], 0, len(page["text"]))]) for page in pages]
    said = (one for found in statements_of(whole, views) for one in found)
    pieces = ((each.page, each.start, each.end) for one in said for each in one.pieces)
    return words_in([(page["number"], page["text"], page["blocks"]) for page in pages], pieces)


def _judged(page: TruePage, document: ParsedDocument | None, content: bytes) -> _Judged:
    pages = document.pages if document else ()
    read = next((one for one in pages if one.number == page.number), None)
    blocks = blocks_of(read, page_key(content, page.number)) if read else ()
    grades = {doubt.grade for doubt in read.doubts} if read else set()
    return _Judged(page, judge(page, blocks), read is not None, frozenset(grades))


def _doubted(judged: Sequence[_Judged]) -> str:
    """Return how many of the pages that were misread are in doubt, and the other way round."""
    pages = [one for one in judged if one.is_read]
    wrong = [one for one in pages if one.score.is_wrong]
    value = [one for one in pages if Grade.VALUE in one.grades]
    either = sum(not one.grades.isdisjoint({Grade.VALUE, Grade.STRUCTURE}) for one in wrong)
    return (
        f"{'doubts':<12} {sum(one in value for one in wrong)} of {len(wrong)} pages with a wrong "
        f"cell or lost word have a value in doubt, {either} a value or structure; "
        f"{sum(one.score.is_wrong for one in value)} of {len(value)} with a value in doubt are such"
    )


def _overall(scores: Sequence[Score]) -> Iterator[str]:
    """Yield the measures over all pages, each page weighted by its content."""
    found = total(scores)
    yield f"{len(scores)} pages; in brackets 95 % intervals over pages (bootstrap, seeded)"
    for name, label in _NAMES.items():
        yield _measure(label, getattr(found, name), [getattr(one, name) for one in scores])
    yield f"{'boxes':<12} {found.boxed} of {found.boxes} are a block of their own"
    yield f"{'blocks':<12} {found.placed} of {found.blocks} stand at a place that can be told"
    order = interval_of_ratio([s.inverted for s in scores], [s.pairs for s in scores])
    yield f"{'order':<12} the other way round {_interval(order, 4)} of {found.pairs} pairs"
    leaks = interval_of_ratio([s.leaked for s in scores], [s.dropped for s in scores])
    yield f"{'leaked':<12} {_interval(leaks)} of {found.dropped} running headers and footers"


def _measure(label: str, hits: Hits, pages: Sequence[Hits]) -> str:
    spread = interval_of_ratio([2 * h.found for h in pages], [h.true + h.said for h in pages])
    return (
        f"{label:<12} precision {hits.precision:.3f}  recall {hits.recall:.3f}  "
        f"F1 {_interval(spread)}  {hits.found} found, {hits.true} there, {hits.said} read"
    )


def _interval(spread: Interval, digits: int = 3) -> str:
    low, high = f"{spread.low:.{digits}f}", f"{spread.high:.{digits}f}"
    return f"{spread.mean:.{digits}f} [{low}, {high}] (n={spread.n})"
