"""Report scores of pages in lines. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from bench.reading.scores import Hits, Judged, Score, total
from bench.reading.types import Block
from evaluation.metrics.statistics import Interval, interval_of_ratio

_NAMES = {
    "headings": "headings",
    "items": "list items",
    "cells": "cells",
    "cells_aligned": "cells, aligned",
    "cells_anywhere": "cells, wherever",
    "words": "words",
}
_WIDTH = 40  # of a document's name
_SHOWN = 90  # characters of a block

HEAD = (
    f"{'page':<{_WIDTH + 6}} {'headings':>9} {'items':>9} {'cells':>11} {'aligned':>7}"
    f" {'wherever':>8} {'words':>12} {'order':>9} {'leaked':>6}"
)
LEGEND = (
    "headings, items, cells: found/true/read; aligned: cells found where rows and columns that "
    "were lost or made up don't shift the others; wherever: in any row and column of the table; "
    "words: recall, precision; order: pairs of blocks the other way round/pairs found; "
    "leaked: running headers and footers in the text/there are"
)


def page_line(name: str, judged: Judged) -> str:
    score, page = judged.score, judged.page
    words = f"{score.words.recall:.3f} {score.words.precision:.3f}"
    return (
        f"{name[:_WIDTH]:<{_WIDTH}} {page.number:5} {_hits(score.headings):>9}"
        f" {_hits(score.items):>9} {_hits(score.cells):>11} {score.cells_aligned.found:>7}"
        f" {score.cells_anywhere.found:>8}"
        f" {words:>12} {_share(score.inverted, score.pairs):>9}"
        f" {_share(score.leaked, score.dropped):>6}{_marks(judged)}"
    )


def overall(judged: Sequence[Judged]) -> Iterator[str]:
    """Yield the measures over all pages, each page weighted by its content."""
    scores = [one.score for one in judged]
    found = total(scores)
    yield f"{len(judged)} pages; in brackets 95 % intervals over pages (bootstrap, seeded)"
    for name, label in _NAMES.items():
        yield _measure(label, getattr(found, name), [getattr(one, name) for one in scores])
    yield from _shares(found, scores)


def listed(judged: Judged, said: Sequence[Block]) -> Iterator[str]:
    """Yield a page's errors: numbers of true blocks, and the text of wrongly read blocks."""
    missed, blocks = judged.missed, judged.page.blocks
    for at in (*missed.headings, *missed.items, *missed.boxes):
        yield f"  true block {at}: {_kind(blocks[at])}, not found as such"
    for at, row, column in missed.cells:
        yield f"  true block {at}: cell at row {row}, column {column} not found"
    for at in missed.not_found:
        yield f"  true block {at}: {_kind(blocks[at])}, stands nowhere for certain"
    for at in missed.leaked:
        yield f"  running header or footer {at} stands in the text"
    for at in (*missed.false_headings, *missed.false_items, *missed.false_tables):
        yield f"  read block {at}: {_kind(said[at])}, is none: {_text(said[at])}"


def _kind(block: Block) -> str:
    return f"{block.kind.value.replace('_', ' ')} of {len(block.words)} words"


def compared(totals: Mapping[str, Score]) -> Iterator[str]:
    """Yield a table that compares the readers."""
    yield f"{'':<24}" + "".join(f"{name:>12}" for name in totals)
    for name, label in _NAMES.items():
        values = (getattr(score, name).f1 for score in totals.values())
        yield f"{label + ', F1':<24}" + "".join(f"{value:12.3f}" for value in values)


def _measure(label: str, hits: Hits, pages: Sequence[Hits]) -> str:
    if not hits.true and not hits.said:
        return f"{label:<16} none"
    spread = interval_of_ratio([2 * h.found for h in pages], [h.true + h.said for h in pages])
    return (
        f"{label:<16} precision {hits.precision:.3f}  recall {hits.recall:.3f}  "
        f"F1 {_interval(spread)}  {_hits(hits)}"
    )


def _shares(found: Score, scores: Sequence[Score]) -> Iterator[str]:
    if found.boxes:
        yield f"{'boxes':<16} {found.boxed} of {found.boxes} are a block of their own"
    yield f"{'blocks':<16} {found.placed} of {found.blocks} stand at a place that can be told"
    order = interval_of_ratio([s.inverted for s in scores], [s.pairs for s in scores])
    turned = sum(score.inverted > 0 for score in scores)
    yield (
        f"{'order':<16} the other way round {_interval(order, 4)} of {found.pairs} pairs, "
        f"on {turned} pages"
    )
    leaks = interval_of_ratio([s.leaked for s in scores], [s.dropped for s in scores])
    yield f"{'leaked':<16} {_interval(leaks)} of {found.dropped} running headers and footers"


def _interval(spread: Interval, digits: int = 3) -> str:
    low, high = f"{spread.low:.{digits}f}", f"{spread.high:.{digits}f}"
    return f"{spread.mean:.{digits}f} [{low}, {high}] (n={spread.n})"


def _hits(hits: Hits) -> str:
    return f"{hits.found}/{hits.true}/{hits.said}" if hits.true or hits.said else "-"


def _share(part: int, whole: int) -> str:
    return f"{part}/{whole}" if whole else "-"


def _marks(judged: Judged) -> str:
    return "".join(f" {name}" for name in ("scanned", "unsure") if getattr(judged.page, name))


def _text(block: Block) -> str:
    text = " ".join(block.text.split())
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"
