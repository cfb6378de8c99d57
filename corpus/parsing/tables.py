"""Tables of a page as drafts: ruled ones, and rows of cells that are only aligned."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from corpus.parsing.cells import GridRow, cell_rows
from corpus.parsing.drafts import DraftTable
from corpus.parsing.geometry import PageCells, Word, contains, middle, union
from corpus.parsing.grids import Region, ruled_regions
from corpus.parsing.lists import list_marker
from corpus.parsing.runs import Line, link_runs, merge_row, rows_of
from corpus.parsing.styles import CAPTION
from corpus.parsing.types import Box

_DIGIT = re.compile(r"\d")
_MIN_ALIGNED_ROWS = 3
_ALIGNED = 4.0  # points between left (or right) edges of one column


@dataclass(frozen=True)
class FoundTable:
    """A table and the words that it took from the page."""

    draft: DraftTable
    box: Box
    words: frozenset[int]  # ids of the words
    lines: tuple[Line, ...]  # as printed, should it turn out to be a figure

    def with_caption(self, caption: str) -> FoundTable:
        return replace(self, draft=replace(self.draft, caption=caption))


def find_ruled(page: PageCells) -> list[FoundTable]:
    """Return the tables of a page that are drawn with rules."""
    found = []
    for region in ruled_regions(page):
        words = [word for word in page.words if contains(region.box, middle(word.box), margin=1.0)]
        table = build_table(region, words)
        if table is not None:
            found.append(table)
    return found


def build_table(region: Region, words: Sequence[Word]) -> FoundTable | None:
    """Return the table in `region`, or None where it has fewer than two columns or rows."""
    rows = cell_rows(region, words)
    used = (
        [c for c in range(len(rows[0].cells)) if any(row.cells[c] for row in rows)] if rows else []
    )
    if len(rows) < 2 or len(used) < 2:
        return None
    labels = [tuple(row.labels[c] for c in used) for row in rows]
    rows = [GridRow(tuple(row.cells[c] for c in used), row.box) for row in rows]
    count = _header_rows(region, rows)
    header = _labels(labels[:count])
    boxes = [row.box for row in rows[count:]]
    if header:
        boxes.insert(0, union(row.box for row in rows[:count]))
    draft = DraftTable(header, tuple(row.texts for row in rows[count:]), tuple(boxes))
    lines = tuple(merge_row(row) for row in rows_of(link_runs(words)))
    return FoundTable(draft, region.box, frozenset(id(word) for word in words), lines)


def _header_rows(region: Region, rows: Sequence[GridRow]) -> int:
    """Return how many rows are labels: those above the first inner rule, or one that looks like
    it."""
    if not region.xs and len(region.ys) > 2:
        above = sum(middle(row.box)[1] < region.ys[1] for row in rows)
        return above if 0 < above < len(rows) else 0
    first, body = rows[0], rows[1:]
    if _bold(first) and not _bold(body[0]):
        return 2 if len(body) > 1 and first.filled < len(first.cells) and _bold(body[0]) else 1
    key_value = all(_bold_cell(row.cells[0]) for row in rows) and not _bold(first)
    if key_value:
        return 0
    first_digits = sum(bool(_DIGIT.search(text)) for text in first.texts)
    return 1 if first.filled == len(first.cells) and first_digits * 2 <= len(first.cells) else 0


def _bold_cell(words: Sequence[Word]) -> bool:
    return bool(words) and all(word.bold for word in words)


def _bold(row: GridRow) -> bool:
    return all(_bold_cell(words) for words in row.cells if words)


def _labels(rows: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """Return one label a column; where the header has several rows, from the top down."""
    if not rows:
        return ()
    return tuple(
        " ".join(dict.fromkeys(text for text in column if text))
        for column in zip(*rows, strict=True)
    )


def find_aligned(lines: Sequence[Line]) -> list[tuple[list[Line], FoundTable]]:
    """Return the unruled tables among the runs of one column of a page, each with its runs."""
    found = []
    for rows in _aligned_stretches(rows_of(lines)):
        runs = [run for row in rows for run in row]
        box = union(run.box for run in runs)
        announced = _announced(lines, box)
        words = [word for run in runs for word in run.words]
        table = build_table(Region(box, (), (box[1], box[3] + 1), ()), words)
        enough = len(rows) >= (2 if announced else _MIN_ALIGNED_ROWS)
        if table is not None and enough and (announced or _looks_tabular(table.draft)):
            found.append((runs, table))
    return found


def _announced(lines: Sequence[Line], box: Box) -> bool:
    """Tell whether the line right above is the caption of a table."""
    above = [line for line in lines if line.box[3] <= box[1] + 2]
    nearest = max(above, key=lambda line: line.box[3], default=None)
    return nearest is not None and bool(CAPTION.match(nearest.text)) and nearest.text[:3] != "Fig"


def _aligned_stretches(rows: list[list[Line]]) -> list[list[list[Line]]]:
    stretches: list[list[list[Line]]] = []
    current: list[list[Line]] = []
    for row in rows:
        fits = len(row) >= 2 and list_marker(row[0].text) is None
        near = not current or row[0].box[1] - current[-1][0].box[3] < 1.5 * row[0].size
        if (current and _is_wrapped(current, row)) or (
            fits and near and (not current or _columns_agree(_widest(current), row))
        ):
            current.append(row)
        else:
            stretches.append(current)
            current = [row] if fits else []
    stretches.append(current)
    return [stretch for stretch in stretches if len(stretch) >= 2]


def _widest(rows: Sequence[Sequence[Line]]) -> Sequence[Line]:
    return max(rows, key=len)


def _is_wrapped(rows: Sequence[Sequence[Line]], row: Sequence[Line]) -> bool:
    """Tell a line that goes on with cells of the row above: it keeps to their columns."""
    columns = _widest(rows)
    if row[0].box[1] - max(run.box[3] for run in rows[-1]) > 0.6 * row[0].size:
        return False
    edges = [run.box[0] for run in columns]
    return len(row) < len(columns) and all(_keeps_to_column(run, edges) for run in row)


def _keeps_to_column(run: Line, edges: Sequence[float]) -> bool:
    at = next((i for i, edge in enumerate(edges) if abs(run.box[0] - edge) <= _ALIGNED), None)
    return at is not None and (at + 1 == len(edges) or run.box[2] < edges[at + 1])


def _columns_agree(above: Sequence[Line], row: Sequence[Line]) -> bool:
    """Tell whether most runs start or end where one of the row above does."""
    agreeing = sum(
        any(
            abs(run.box[0] - other.box[0]) <= _ALIGNED or abs(run.box[2] - other.box[2]) <= _ALIGNED
            for other in above
        )
        for run in row
    )
    return agreeing >= 2 and agreeing * 2 > len(row)


def _looks_tabular(draft: DraftTable) -> bool:
    """Ask for figures in the cells beside the first column: aligned names and addresses have
    few."""
    cells = [cell for row in draft.rows for cell in row[1:] if cell]
    return bool(cells) and sum(bool(_DIGIT.search(cell)) for cell in cells) * 10 >= 3 * len(cells)
