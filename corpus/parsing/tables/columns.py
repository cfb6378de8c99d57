"""Find the columns of a table without upright rules by the white strips between them."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from corpus.parsing.geometry import Word, middle, overlap, typical_size, union
from corpus.parsing.layout.runs import RUN_GAP, link_runs
from corpus.parsing.lists import is_bullet
from corpus.parsing.tables.grids import GridCell, Region, tight
from corpus.parsing.types import Box

# Font heights of white that divide two columns; a blank between words has 0.25 to 0.35.
MIN_GAP = 0.5
_REACHED = 2.0  # points of a column's text that a label must overlap to reach the column
_CENTRED = 4.0  # points between the middle of a label and that of the columns that it stands over
_KEPT = 4.0  # points between edges that count as one
_MARKER_GAP = 1.5  # font heights between a bullet and its text in a cell at most
_MARKERS = 2  # lines, at least, that begin with a bullet in a column
_ALIGNED = 1.0  # points between the start of a word and that of its column's text


@dataclass(frozen=True)
class WordGroup:
    """Neighbouring words on one line, and the columns that they reach, half-open."""

    words: tuple[Word, ...]
    left: int
    right: int

    @cached_property
    def box(self) -> Box:
        return union(word.box for word in self.words)

    @property
    def columns(self) -> range:
        return range(self.left, self.right)


@dataclass(frozen=True)
class Columns:
    """The columns of a table: the middles of the white strips, and the extents of their text.

    `has_blanks` if the file prints a blank between two words of a cell.
    """

    edges: tuple[float, ...]
    extents: tuple[tuple[float, float], ...]
    has_blanks: bool = False

    @property
    def count(self) -> int:
        return len(self.edges) - 1

    def nearest(self, box: Box) -> int:
        """Return the column that a box overlaps most; the first or the last if it overlaps none."""
        pairs = itertools.pairwise(self.edges)
        shares = [overlap(box[0], box[2], left, right) for left, right in pairs]
        if max(shares) > 0:
            return shares.index(max(shares))
        return 0 if box[2] <= self.edges[0] else self.count - 1

    def reach(self, box: Box) -> tuple[int, int]:
        """Return the columns, half-open, whose text a box stands above or below."""
        best = self.nearest(box)
        reached = [
            at
            for at, (left, right) in enumerate(self.extents)
            if overlap(box[0], box[2], left, right) > min(_REACHED, 0.5 * (right - left))
        ]
        reached.append(best)
        x = middle(box)[0]
        for at, ((start, left), (right, end)) in enumerate(itertools.pairwise(self.extents)):
            edges = abs(box[0] - start), abs(box[2] - left), abs(box[0] - right), abs(box[2] - end)
            if left < x < right and min(edges) > _KEPT:  # a label between two, at no edge of them
                reached += [at, at + 1]
                break
        return min(reached), max(reached) + 1

    def cut(self, line: Sequence[Word]) -> list[WordGroup]:
        """Cut a line at the white strips, unless its words run across a strip without a gap.

        A cell may end as near to the next one as two words stand. Words that hang over a column
        that has words of its own on the line do not reach that column.
        """
        words = sorted(line, key=lambda word: word.box[0])
        groups: list[list[Word]] = [[words[0]]]
        for before, word in itertools.pairwise(words):
            wide = word.box[0] - before.box[2] >= MIN_GAP * max(before.size, word.size)
            apart = self.nearest(before.box) != self.nearest(word.box)
            if (wide and apart) or self._begins_cell(before, word, groups[-1][0], is_wide=wide):
                groups.append([word])
            else:
                groups[-1].append(word)
        boxes = [union(word.box for word in group) for group in groups]
        own = [self.nearest(box) for box in boxes]
        pieces = []
        for at, (group, box) in enumerate(zip(groups, boxes, strict=True)):
            left, right = self.reach(box)
            left = max([left, *(column + 1 for column in own[:at] if column < own[at])])
            right = min([right, *(column for column in own[at + 1 :] if column > own[at])])
            pieces.append(WordGroup(tuple(group), left, right))
        return pieces

    def _begins_cell(self, before: Word, word: Word, first: Word, *, is_wide: bool) -> bool:
        """Tell whether a column's text begins between a word and the one before it.

        If the gap is not wide, no blank is printed there, as between words of one cell; in a file
        without blanks the word and the `first` of its group begin where the text of columns does.
        """
        starts = [start for start, _ in self.extents]
        if not any(before.box[2] <= x + _ALIGNED and x - _ALIGNED <= word.box[0] for x in starts):
            return False
        if self.has_blanks or is_wide:
            return is_wide or not word.after_blank
        return all(any(abs(w.box[0] - x) <= _ALIGNED for x in starts) for w in (first, word))


def find_columns(region: Region, lines: Sequence[Sequence[Word]]) -> Columns:
    """Return the columns of a table, from the lines of its body, since labels may span columns."""
    lines = _telling_lines(region, lines)
    telling = [word for line in lines for word in line]
    least = MIN_GAP * typical_size(telling)
    spans = sorted((word.box[0], word.box[2]) for word in telling)
    gaps: list[float] = []  # the middles of the white strips that no word crosses
    end = spans[0][1]
    for left, right in spans[1:]:
        since = gaps[-1] if gaps else region.box[0]
        is_gap = left - end >= least or (left > end and _divides(left, lines, since=since))
        if is_gap and not _are_markers(since, left, lines):
            gaps.append((end + left) / 2)
        end = max(end, right)
    edges = (region.box[0], *gaps, region.box[2])
    extents = []
    for left, right in itertools.pairwise(edges):
        inside = [word.box for word in telling if left <= middle(word.box)[0] < right]
        extents.append(
            (min(b[0] for b in inside), max(b[2] for b in inside)) if inside else (left, right)
        )
    return Columns(edges, tuple(extents), any(word.after_blank for word in telling))


def _are_markers(left: float, right: float, lines: Sequence[Sequence[Word]]) -> bool:
    """Tell whether all that stands between two places are bullets right before words.

    A dash before a number, or far from the next text, may be a value of its own.
    """
    least = 0
    for line in lines:
        inside = [word for word in line if left <= word.box[0] < right]
        after = [word for word in line if word.box[0] >= right]
        if not inside:
            continue
        text = min(after, key=lambda word: word.box[0], default=None)
        if len(inside) > 1 or not is_bullet(inside[0].text) or text is None:
            return False
        near = text.box[0] - inside[0].box[2] <= _MARKER_GAP * text.size
        if not (near and text.text[0].isalpha()):
            return False
        least += 1
    return least >= _MARKERS


def _divides(x: float, lines: Sequence[Sequence[Word]], *, since: float) -> bool:
    """Tell whether most lines have a wide gap between `since` and `x`, where a column begins.

    `since` is where the column before begins, which has words in these lines too. Where the widest
    cell of a column ends close to the next cell, the strip is as narrow there.
    """
    pairs = []
    for line in lines:
        before = [word for word in line if word.box[2] <= x]
        after = [word for word in line if word.box[0] >= x]
        if before and after:
            last = max(before, key=lambda word: word.box[2])
            pairs.append((last, min(after, key=lambda word: word.box[0])))
    wide = sum(
        a.box[2] > since and b.box[0] - a.box[2] >= RUN_GAP * max(a.size, b.size) for a, b in pairs
    )
    shared = max((b.box[0] for _, b in pairs), default=0.0) < min(
        (b.box[2] for _, b in pairs), default=0.0
    )
    return shared and wide >= 2 and 2 * wide >= len(pairs)


def _telling_lines(region: Region, lines: Sequence[Sequence[Word]]) -> list[Sequence[Word]]:
    """Return the lines below the labels, without those that are one wide run."""
    top = region.ys[1] if len(region.ys) > 2 else region.ys[0]
    body = [line for line in lines if middle(line[0].box)[1] >= top] or list(lines)
    runs = [len(link_runs(line)) for line in body]
    start = 0 if len(region.ys) > 2 else runs.index(max(runs))  # fewer, wider labels above
    wide = 0.3 * (region.box[2] - region.box[0])
    telling = [
        line
        for line, count in zip(body[start:], runs[start:], strict=True)
        if count > 1 or max(w.box[2] for w in line) - min(w.box[0] for w in line) < wide
    ]
    return telling or body


def label_cells(
    lines: Sequence[Sequence[WordGroup]], columns: Columns, rules: Sequence[Box]
) -> tuple[list[GridCell], int]:
    """Return the cells of the lines above a table's body, and the number of rows they form.

    Without a label over several columns the lines form one row, however many they are. A column
    that no such label covers has one label over all rows.
    """
    if not lines:
        return [], 0
    lines = [
        [_widened(piece, at, lines, columns, rules) for piece in line]
        for at, line in enumerate(lines)
    ]
    levels = _levels(lines)
    spanned = {c for line in lines for p in line if p.right - p.left > 1 for c in p.columns}
    cells: list[GridCell] = []
    box = union(piece.box for line in lines for piece in line)
    for column in set(range(columns.count)) - spanned:
        pieces = [p for level in levels for p in level if p.left == column]
        cells.append(_cell(pieces, 0, len(levels), column, columns, box))
    for at, level in enumerate(levels):
        inside = [p for p in level if p.left in spanned]
        for left, right in sorted({(p.left, p.right) for p in inside}):
            pieces = [p for p in inside if (p.left, p.right) == (left, right)]
            cell = _cell(pieces, at, 1, left, columns, box)
            cells.append(replace(cell, columns=right - left))
        covered = {column for piece in inside for column in piece.columns}
        cells += [_cell([], at, 1, column, columns, box) for column in spanned - covered]
    return cells, len(levels)


def _cell(
    pieces: Sequence[WordGroup], row: int, rows: int, column: int, columns: Columns, within: Box
) -> GridCell:
    words = tuple(word for piece in pieces for word in piece.words)
    empty = (columns.edges[column], within[1], columns.edges[column + 1], within[3])
    return GridCell(row, column, words, tight(words, empty), rows)


def _levels(lines: Sequence[Sequence[WordGroup]]) -> list[list[WordGroup]]:
    """Group the lines of labels into rows.

    A row ends after a line with labels over several columns, unless the next line has labels over
    the same columns.
    """
    levels: list[list[WordGroup]] = [[]]
    before: set[tuple[int, int]] = set()
    for line in lines:
        spans = {(p.left, p.right) for p in line if p.right - p.left > 1}
        if before and spans != before:
            levels.append([])
        levels[-1].extend(line)
        before = spans
    return levels


def _widened(
    piece: WordGroup,
    at: int,
    lines: Sequence[Sequence[WordGroup]],
    columns: Columns,
    rules: Sequence[Box],
) -> WordGroup:
    """Extend a label to the columns that the rule below it covers, or over which it is centred."""
    others = [p for p in lines[at] if p is not piece]  # the columns between them are free
    first = max((p.right for p in others if p.left < piece.left), default=0)
    end = min((p.left for p in others if p.left > piece.left), default=columns.count)
    ruled = _columns_of_rule(piece, columns, rules)
    alone = len(lines) == 1 and not others
    if alone and piece.box[2] > columns.extents[piece.left][1] + _KEPT:
        return replace(piece, left=0, right=columns.count)  # a title
    if ruled is not None:
        return replace(piece, left=max(ruled[0], first), right=min(ruled[1], end))
    below = {column for line in lines[at + 1 :] for p in line for column in p.columns}
    if piece.right - piece.left > 1 or piece.left not in below:
        return piece
    x, extents = middle(piece.box)[0], columns.extents

    def off_centre(left: int, right: int) -> float:
        return abs(x - (extents[left][0] + extents[right - 1][1]) / 2)

    best = (off_centre(piece.left, piece.right), piece.left, piece.right)
    if best[0] <= _CENTRED:
        return piece
    for left in range(first, piece.left + 1):
        for right in range(max(piece.right, left + 2), end + 1):
            off = off_centre(left, right)
            if off <= _CENTRED and set(range(left, right)) <= below:
                best = min(best, (off, left, right))
    return replace(piece, left=best[1], right=best[2])


def _columns_of_rule(
    piece: WordGroup, columns: Columns, rules: Sequence[Box]
) -> tuple[int, int] | None:
    """Return the columns, half-open, above a short rule right below a label; None without one."""
    size = piece.box[3] - piece.box[1]
    x = middle(piece.box)[0]
    for rule in rules:
        short = rule[2] - rule[0] < 0.95 * (columns.edges[-1] - columns.edges[0])
        near = -2 <= rule[1] - piece.box[3] <= 0.8 * size
        if short and near and rule[2] - rule[0] > rule[3] - rule[1] and rule[0] <= x <= rule[2]:
            reached = [
                at
                for at, (left, right) in enumerate(columns.extents)
                if rule[0] - 1 <= (left + right) / 2 <= rule[2] + 1
            ]
            if reached:
                return reached[0], reached[-1] + 1
    return None
