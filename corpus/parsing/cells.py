"""A table's region to rows of cells: which word stands in which row and column."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from corpus.parsing.geometry import Word, middle, overlap, typical_size, union
from corpus.parsing.grids import Region
from corpus.parsing.joining import join_lines
from corpus.parsing.runs import Line, link_runs, merge_row, rows_of
from corpus.parsing.types import Box

_MIN_GAP = (
    0.5  # font heights of white that divide two columns; a blank between words has 0.25 to 0.35
)


@dataclass(frozen=True)
class GridRow:
    """Words of one row by column, and the row's box."""

    cells: tuple[tuple[Word, ...], ...]
    box: Box
    leaders: tuple[int, ...] = ()  # for each column, the first column of the cell that spans it

    @property
    def texts(self) -> tuple[str, ...]:
        return tuple(cell_text(words) for words in self.cells)

    @property
    def labels(self) -> tuple[str, ...]:
        """The texts, with that of a cell which spans columns repeated in each of them."""
        texts = self.texts
        return tuple(texts[leader] for leader in self.leaders) if self.leaders else texts

    @property
    def filled(self) -> int:
        return sum(bool(words) for words in self.cells)


def cell_text(words: Sequence[Word]) -> str:
    """Return a cell's lines as one text."""
    lines = [merge_row(row) for row in rows_of(link_runs(words))] if words else []
    return join_lines([line.text for line in lines])


def cell_rows(region: Region, words: Sequence[Word]) -> list[GridRow]:
    """Return the rows of a table, header rows included, from the top down; empty rows are left
    out."""
    if not words:
        return []
    edges = _column_edges(region, words)
    rows: list[GridRow] = []
    for top, bottom in zip(region.ys, region.ys[1:], strict=False):
        inside = [word for word in words if top <= middle(word.box)[1] < bottom]
        if inside:
            rows += _band_rows(region, inside, edges, (top, bottom))
    return _carry_down(region, rows)


def _column_edges(region: Region, words: Sequence[Word]) -> tuple[float, ...]:
    if len(region.xs) >= 3:
        return region.xs
    return (region.box[0], *column_gaps(_body(region, words)), region.box[2])


def _body(region: Region, words: Sequence[Word]) -> list[Word]:
    """Return the words below the first inner rule: labels above may span columns."""
    top = region.ys[1] if len(region.ys) > 2 else region.ys[0]
    below = [word for word in words if middle(word.box)[1] >= top]
    return below or list(words)


def column_gaps(words: Sequence[Word]) -> list[float]:
    """Return the middles of the white strips that no word crosses."""
    least = _MIN_GAP * typical_size(words)
    spans = sorted((word.box[0], word.box[2]) for word in words)
    gaps: list[float] = []
    reach = spans[0][1]
    for left, right in spans[1:]:
        if left - reach >= least:
            gaps.append((reach + left) / 2)
        reach = max(reach, right)
    return gaps


def _band_rows(
    region: Region, words: Sequence[Word], edges: tuple[float, ...], band: tuple[float, float]
) -> list[GridRow]:
    """Return the rows between two level rules: one where every row is ruled, else one per line."""
    lines = [merge_row(row) for row in rows_of(link_runs(words))]
    rows = [_row(line.words, edges) for line in lines]
    if len(rows) == 1 or (region.xs and not _holds_many(rows)):
        box = (edges[0], band[0], edges[-1], band[1])
        return [_span_columns(_row(words, edges, box), region)]
    return _spread_label(_join_wrapped(rows))


def _spread_label(rows: list[GridRow]) -> list[GridRow]:
    """Give the one label of a band of rows, printed at its middle, to each of them."""
    labelled = [row for row in rows if row.cells[0]]
    if len(rows) < 3 or len(labelled) != 1 or labelled[0].filled != 1:
        return rows
    label, left = labelled[0].cells[0], labelled[0].box[0]
    return [
        GridRow((label, *row.cells[1:]), (min(left, row.box[0]), *row.box[1:]))
        for row in rows
        if row is not labelled[0]
    ]


def _holds_many(rows: Sequence[GridRow]) -> bool:
    """Tell several rows without rules between them from one row whose cells are wrapped."""
    full = sum(row.filled == len(row.cells) for row in rows)
    return full >= 2 and full == len(rows) and len(rows) >= 3


def _row(words: Sequence[Word], edges: Sequence[float], box: Box | None = None) -> GridRow:
    cells: list[list[Word]] = [[] for _ in range(len(edges) - 1)]
    for run in link_runs(words) if box is None else [Line((word,)) for word in words]:
        cells[_column(run.box, edges)].extend(run.words)
    return GridRow(tuple(tuple(cell) for cell in cells), box or union(word.box for word in words))


def _span_columns(row: GridRow, region: Region) -> GridRow:
    """Give the words of columns that no upright rule divides in this row to the first of them."""
    if not region.xs:
        return row
    leaders = [0]
    for column in range(1, len(row.cells)):
        divided = any(
            abs(rule[0] - region.xs[column]) <= 4
            and overlap(rule[1], rule[3], row.box[1], row.box[3]) > 0.5 * (row.box[3] - row.box[1])
            for rule in region.rules
            if rule[3] - rule[1] > rule[2] - rule[0]
        )
        leaders.append(column if divided else leaders[-1])
    cells: list[tuple[Word, ...]] = [() for _ in row.cells]
    for column, words in enumerate(row.cells):
        cells[leaders[column]] += words
    return GridRow(tuple(cells), row.box, tuple(leaders))


def _column(box: Box, edges: Sequence[float]) -> int:
    shares = [overlap(box[0], box[2], left, right) for left, right in itertools.pairwise(edges)]
    best = max(shares)
    if best > 0:
        return shares.index(best)
    return 0 if box[2] <= edges[0] else len(edges) - 2


def _join_wrapped(rows: Sequence[GridRow]) -> list[GridRow]:
    """Add a line to the row above it where it only goes on with some of its cells."""
    tight = _tight_gap(rows)
    joined: list[GridRow] = []
    for row in rows:
        if joined and _goes_on(joined[-1], row, tight):
            cells = tuple(a + b for a, b in zip(joined[-1].cells, row.cells, strict=True))
            joined[-1] = GridRow(cells, union([joined[-1].box, row.box]))
        else:
            joined.append(row)
    return joined


def _tight_gap(rows: Sequence[GridRow]) -> float:
    """Return the gap that divides lines of one row from rows; -inf where all gaps are alike."""
    body = rows[1:]  # the gap below the header tells nothing
    gaps = [below.box[1] - row.box[3] for row, below in itertools.pairwise(body)]
    if not gaps or max(gaps) - min(gaps) < 0.3 * (rows[0].box[3] - rows[0].box[1]):
        return float("-inf")
    return (min(gaps) + max(gaps)) / 2


def _goes_on(above: GridRow, row: GridRow, tight: float) -> bool:
    gap = row.box[1] - above.box[3]
    few = row.filled <= max(1, len(row.cells) // 2)
    if gap >= 0.6 * (row.box[3] - row.box[1]) or not (few or gap < tight):
        return False
    if any(words and not cell for words, cell in zip(row.cells, above.cells, strict=True)):
        return False
    return not row.cells[0] or row.cells[0][0].text[0].islower()


def _carry_down(region: Region, rows: list[GridRow]) -> list[GridRow]:
    """Repeat a cell that spans rows in each of them, so that every row can be read alone."""
    if not region.xs:
        return rows
    carried: list[GridRow] = []
    for row in rows:
        cells = list(row.cells)
        for column, words in enumerate(cells):
            leads = not row.leaders or row.leaders[column] == column
            if not words and leads and carried and not _ruled_above(region, row, column):
                cells[column] = carried[-1].cells[column]
        carried.append(GridRow(tuple(cells), row.box, row.leaders))
    return carried


def _ruled_above(region: Region, row: GridRow, column: int) -> bool:
    left, right = region.xs[column], region.xs[column + 1]
    return any(
        abs(rule[1] - row.box[1]) <= 3
        and overlap(rule[0], rule[2], left, right) > 0.5 * (right - left)
        for rule in region.rules
        if rule[2] - rule[0] > rule[3] - rule[1]
    )
