"""Labels above the columns of a table that no upright rules divide: which of them span."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from corpus.parsing.geometry import middle, union
from corpus.parsing.tables.cells import GridCell, tight
from corpus.parsing.tables.columns import Columns, Piece
from corpus.parsing.types import Box

_CENTRED = 4.0  # points between the middle of a label and that of the columns that it stands over


def label_cells(
    lines: Sequence[Sequence[Piece]], columns: Columns, rules: Sequence[Box]
) -> tuple[list[GridCell], int]:
    """Return the cells of the lines above a table's body, and how many rows they make.

    Without a label over several columns they make one row, however many lines that has. A column
    below no such label has one label over all rows.
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
    pieces: Sequence[Piece], row: int, rows: int, column: int, columns: Columns, within: Box
) -> GridCell:
    words = tuple(word for piece in pieces for word in piece.words)
    empty = (columns.edges[column], within[1], columns.edges[column + 1], within[3])
    return GridCell(row, column, words, tight(words, empty), rows)


def _levels(lines: Sequence[Sequence[Piece]]) -> list[list[Piece]]:
    """Return the lines as rows: one ends where lines of other columns follow one that spans."""
    levels: list[list[Piece]] = [[]]
    before: set[tuple[int, int]] = set()
    for line in lines:
        spans = {(p.left, p.right) for p in line if p.right - p.left > 1}
        if before and spans != before:
            levels.append([])
        levels[-1].extend(line)
        before = spans
    return levels


def _widened(
    piece: Piece,
    at: int,
    lines: Sequence[Sequence[Piece]],
    columns: Columns,
    rules: Sequence[Box],
) -> Piece:
    """Let a label reach the columns that the rule below it covers, or over which it is centred."""
    free = _free_columns(piece, lines[at], columns.count)
    ruled = _columns_of_rule(piece, columns, rules)
    if ruled is not None:
        return replace(piece, left=max(ruled[0], free[0]), right=min(ruled[1], free[1]))
    below = {column for line in lines[at + 1 :] for p in line for column in p.columns}
    if piece.right - piece.left > 1 or piece.left not in below:
        return piece
    x = middle(piece.box)[0]
    best = (abs(x - _middle(columns, piece.left, piece.right)), piece.left, piece.right)
    if best[0] <= _CENTRED:
        return piece
    for left in range(free[0], piece.left + 1):
        for right in range(max(piece.right, left + 2), free[1] + 1):
            off = abs(x - _middle(columns, left, right))
            if off <= _CENTRED and set(range(left, right)) <= below:
                best = min(best, (off, left, right))
    return replace(piece, left=best[1], right=best[2])


def _middle(columns: Columns, left: int, right: int) -> float:
    return (columns.extents[left][0] + columns.extents[right - 1][1]) / 2


def _free_columns(piece: Piece, line: Sequence[Piece], count: int) -> tuple[int, int]:
    """Return the columns around a label that no other label of its line stands in, half-open."""
    others = [p for p in line if p is not piece]
    left = max((p.right for p in others if p.left < piece.left), default=0)
    right = min((p.left for p in others if p.left > piece.left), default=count)
    return left, right


def _columns_of_rule(
    piece: Piece, columns: Columns, rules: Sequence[Box]
) -> tuple[int, int] | None:
    """Return the columns above a short rule right below a label; None where there is none."""
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
