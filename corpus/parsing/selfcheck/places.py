"""The order in which words are read by where they stand, whatever order the file has. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from statistics import median

from corpus.parsing.geometry import height, middle, upright
from corpus.parsing.types import Box

_COLUMN_GAP = 2.0  # heights of a word: what parts columns, while words stand half a height apart
_COLUMN_ROWS = 3
_ROW = 0.8  # heights of a word: lower is another row

Boxes = Mapping[int, Box]


def by_place(boxes: Boxes) -> list[int]:
    """Return words in the order in which they are read: rows from above, columns one by one."""
    if len(boxes) < 2:
        return list(boxes)
    size = median(map(height, boxes.values())) or 1.0
    for left in _lefts(boxes, _COLUMN_GAP * size):
        sides = [
            {word: box for word, box in boxes.items() if (word in left) is is_left}
            for is_left in (True, False)
        ]
        if all(len(_rows(side, size)) >= _COLUMN_ROWS for side in sides):
            return [word for side in sides for word in by_place(side)]
    rows = _rows(boxes, size)
    return [word for row in rows for word in sorted(row, key=lambda word: boxes[word][0])]


def uprighted(boxes: Boxes, lines: Sequence[Sequence[int]]) -> Boxes:
    """Return boxes in a frame in which the words of lines follow each other to the right."""
    steps = [
        (after[0] - before[0], after[1] - before[1])
        for points in ([middle(boxes[word]) for word in line] for line in lines)
        for before, after in pairwise(points)
    ]
    right, down = (sum(step[side] for step in steps) for side in (0, 1))
    across, along = (0 if right >= 0 else 180), (90 if down > 0 else 270)
    turn = across if abs(right) >= abs(down) else along
    return {word: upright(box, (0.0, 0.0), turn) for word, box in boxes.items()}


def _lefts(boxes: Boxes, gap: float) -> list[set[int]]:
    """Return what stands to the left of each white strip that runs through all rows."""
    ordered = sorted(boxes, key=lambda word: (boxes[word][0], word))
    right, found = boxes[ordered[0]][2], []
    for index, word in enumerate(ordered):
        if boxes[word][0] - right > gap:
            found.append(set(ordered[:index]))
        right = max(right, boxes[word][2])
    return found


def _rows(boxes: Boxes, size: float) -> list[list[int]]:
    rows: list[list[int]] = []
    anchor = 0.0
    for y, word in sorted((middle(box)[1], word) for word, box in boxes.items()):
        if not rows or y - anchor > _ROW * size:
            rows.append([])
            anchor = y
        rows[-1].append(word)
    return rows
