"""Find the cells of a table with level and upright rules: each is what no rule divides."""

from __future__ import annotations

import itertools
import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from operator import itemgetter

from corpus.parsing.geometry import Word, base_of, middle, overlap, union
from corpus.parsing.layout.runs import Line, lines_of, link_runs, rows_of
from corpus.parsing.tables.grids import Grid, GridCell, Region, is_value
from corpus.parsing.types import Box

_NEAR = 4.0  # points between a rule and the edge that it draws
_DRAWN = 0.5  # share of a cell's side that a rule must cover to divide it
_MIN_VALUES = 3  # in a cell over several rows that is divided
_LEVEL = 1.5  # points between the baselines of one row
_WHITE = 0.8  # font heights
_DIGIT = re.compile(r"\d")


def lattice_grid(region: Region, words: Sequence[Word]) -> Grid:
    """Return the cells between a region's rules, spanning cells included."""
    uprights = [_near(region.rules, x, across=0) for x in region.xs]
    ys, drawn = _row_edges(region, uprights, words)
    levels = [_near(region.rules, y, across=1) for y in ys]
    spans: list[_Span] = []
    open_: dict[tuple[int, int], _Span] = {}  # the last row's cells, by their columns
    for row in range(len(ys) - 1):
        above, open_ = open_, {}
        band = (ys[row], ys[row + 1])
        inside = [word for word in words if band[0] <= middle(word.box)[1] < band[1]]
        for left, right in _columns_of(region.xs, uprights, band, inside):
            ruled = row in drawn or _covered(levels[row], 0, region.xs[left], region.xs[right])
            merged = None if ruled else above.get((left, right))
            if merged is None:
                merged = _Span(row, row, left, right)
                spans.append(merged)
            merged.bottom = row + 1
            open_[(left, right)] = merged
    held = _Held(region.xs, ys, words)
    return Grid(tuple(_cells(_divided(spans, held), held)))


@dataclass
class _Span:
    """The rows and columns of one cell, half-open."""

    top: int
    bottom: int
    left: int
    right: int


class _Held:
    """The words of a lattice by the place, row and column, in which they stand."""

    def __init__(self, xs: Sequence[float], ys: Sequence[float], words: Sequence[Word]) -> None:
        self.xs, self.ys = xs, ys
        self._inside: dict[tuple[int, int], list[tuple[int, Word]]] = {}
        for order, word in enumerate(words):
            x, y = middle(word.box)
            row = bisect_right(ys, y, 1, len(ys) - 1) - 1
            column = bisect_right(xs, x, 1, len(xs) - 1) - 1
            self._inside.setdefault((row, column), []).append((order, word))

    def words(self, span: _Span) -> tuple[Word, ...]:
        """Return the words of a cell in the order of the page."""
        pairs = (
            pair
            for row in range(span.top, span.bottom)
            for column in range(span.left, span.right)
            for pair in self._inside.get((row, column), ())
        )
        return tuple(word for _, word in sorted(pairs, key=itemgetter(0)))


def _divided(spans: Sequence[_Span], held: _Held) -> list[_Span]:
    """Return the cells, those over several rows divided if they hold a value for each row.

    A shade hides the rules below it. The values stand on the baselines of the rows beside them;
    where they do, the words of another cell over the same rows are divided too.
    """
    bases: dict[int, list[float]] = {}  # of the cells of one row, by row
    for span in spans:
        if span.bottom - span.top == 1:
            bases.setdefault(span.top, []).extend(map(base_of, held.words(span)))
    lines = {id(span): _aligned_lines(span, held, bases) for span in spans}
    shaded = {
        (span.top, span.bottom)
        for span in spans
        if (texts := [line.text for line in lines[id(span)]])
        and 2 * sum(map(is_value, texts)) >= len(texts)
    }
    divided = []
    for span in spans:
        begun = [not line.text[0].islower() for line in lines[id(span)]]
        is_shaded = (span.top, span.bottom) in shaded and begun and all(begun)
        rows = range(span.top, span.bottom) if is_shaded else ()
        divided += [_Span(row, row + 1, span.left, span.right) for row in rows] or [span]
    return divided


def _aligned_lines(span: _Span, held: _Held, bases: dict[int, list[float]]) -> list[Line]:
    """Return the lines of a cell over several rows; empty unless each is in line with one row."""
    if span.bottom - span.top < _MIN_VALUES:
        return []
    lines = lines_of(held.words(span))
    rows = [bisect_right(held.ys, middle(line.box)[1]) - 1 for line in lines]
    aligned = all(
        any(abs(base_of(line.words[0]) - base) <= _LEVEL for base in bases.get(row, ()))
        for row, line in zip(rows, lines, strict=True)
    )
    return lines if aligned and len(set(rows)) == len(rows) >= _MIN_VALUES else []


def _cells(spans: Sequence[_Span], held: _Held) -> Iterator[GridCell]:
    for span in spans:
        box = (held.xs[span.left], held.ys[span.top], held.xs[span.right], held.ys[span.bottom])
        tall, wide = span.bottom - span.top, span.right - span.left
        yield GridCell(span.top, span.left, held.words(span), box, tall, wide)


def _near(rules: Sequence[Box], edge: float, *, across: int) -> list[Box]:
    """Return the rules that draw an edge; `across` is 0 for upright and 1 for level rules."""
    along = 1 - across
    return [
        rule
        for rule in rules
        if abs(rule[across] - edge) <= _NEAR
        and rule[along + 2] - rule[along] > rule[across + 2] - rule[across]
    ]


def _covered(rules: Sequence[Box], along: int, start: float, end: float) -> bool:
    return any(
        overlap(rule[along], rule[along + 2], start, end) > _DRAWN * (end - start) for rule in rules
    )


def _columns_of(
    xs: Sequence[float],
    uprights: Sequence[Sequence[Box]],
    band: tuple[float, float],
    words: Sequence[Word],
) -> list[tuple[int, int]]:
    """Return the spans of columns, half-open, of the cells in a band of rows.

    Columns are divided by an upright rule, or by a white gap where other rows have a rule.
    """
    last = len(uprights) - 1
    ruled = [at for at in range(1, last) if _covered(uprights[at], 1, *band)]
    edges = [0]
    for left, right in itertools.pairwise([0, *ruled, last]):
        inside = [word for word in words if xs[left] <= middle(word.box)[0] < xs[right]]
        for at in range(left + 1, right):
            before = [word.box[2] for word in inside if middle(word.box)[0] < xs[at]]
            after = [word.box[0] for word in inside if middle(word.box)[0] >= xs[at]]
            if before and after and min(after) - max(before) >= _WHITE * inside[0].size:
                edges.append(at)  # the gap is too wide for a blank
        edges.append(right)
    return list(itertools.pairwise(edges))


def _row_edges(
    region: Region, uprights: Sequence[Sequence[Box]], words: Sequence[Word]
) -> tuple[list[float], set[int]]:
    """Return the edges of rows, and the indexes of those found by lines of text, without rules."""
    bands = list(itertools.pairwise(region.ys))
    edges = [region.ys[0]]
    added: set[int] = set()
    for top, bottom in bands:
        inside = [word for word in words if top <= middle(word.box)[1] < bottom]
        whole = len(_columns_of(region.xs, uprights, (top, bottom), inside)) + 1 < len(region.xs)
        lines = rows_of(link_runs(inside)) if inside and not whole else []
        if _holds_many(region, lines, is_one_of=len(bands)):
            for above, below in itertools.pairwise(lines):
                foot = union(run.box for run in above)[3]
                head = union(run.box for run in below)[1]
                added.add(len(edges))
                edges.append((foot + head) / 2)
        edges.append(bottom)
    return edges, added


def _holds_many(region: Region, lines: Sequence[Sequence[Line]], *, is_one_of: int) -> bool:
    """Tell whether lines are several rows without rules between, not one row of wrapped cells.

    In a table of ruled rows only lines of figures count as several rows.
    """
    width = len(region.xs) - 1
    places = [
        {bisect_right(region.xs, middle(word.box)[0]) for run in line for word in run.words}
        for line in lines
    ]
    full = [columns for columns in places if len(columns) == width]
    if len(lines) < 3 or len(full) < len(lines):
        return False
    texts = [run.text for line in lines for run in line[1:]]
    figures = sum(bool(_DIGIT.search(text)) for text in texts)
    return is_one_of <= 2 or 2 * figures >= len(texts)
