"""Find words that are struck through, by an annotation or by a line drawn through their middle.

Nobody says them any more: they are withheld, as words under a box are.
"""

from __future__ import annotations

import itertools
import math
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from core.language.words import STRUCK
from corpus.parsing.geometry import PageCells, contains, middle, overlap, same_row, union, upright
from corpus.parsing.layout.doubts import WORDS_STRUCK
from corpus.parsing.pdf.characters import Character, displayed
from corpus.parsing.pdf.drawings import Placed, Point, Segment
from corpus.parsing.types import Box, Doubt, Page

# Font heights above the baseline between which a line strikes through a word: an underline is below
# them, and the rule of a table or a fraction above.
_LOW, _HIGH = 0.12, 0.55
_LAPPED, _BESIDE = 0.3, 1.0  # font heights between a covered word and one beside it
_LONG, _SLANT = 100.0, 0.1  # points, and the least slope of a line over words, either way
_CROSSED = 3  # words under such lines
_MOST_SLANTING = 50  # of a page, the longest
_WITHIN = 0.5  # of a character's width that a line must cross
_RAISED = 0.2  # font heights from the baseline of a word to that of a mark behind it

Piece = Sequence[Character]


def struck(
    pieces: Sequence[Piece],
    boxes: Sequence[Box],
    lines: Sequence[Placed],
    covers: Sequence[tuple[int, Box]],
    size: Point,
) -> set[int]:
    """Return the indexes of words in struck-out boxes, or through which lines are drawn.

    A line over which something was painted later, as a box over an arrow, does not count, nor one
    that runs above a word and only meets the raised mark behind it, as the rule of a table does.
    All are on the displayed page, which has this `size`.
    """
    found = set()
    turns: dict[int, list[tuple[int, Character, Character]]] = {}
    before: Character | None = None
    for at, char in ((at, char) for at, piece in enumerate(pieces) for char in piece):
        if boxes and any(contains(box, middle(displayed([char], size))) for box in boxes):
            found.add(at)
        if char.font.turn >= 0 and char.text.isalnum():
            turns.setdefault(char.font.turn, []).append((at, char, before or char))
        before = char
    for turn, chars in turns.items():
        chars.sort(key=lambda each: each[1].base)
        bases = [char.base for _, char, _ in chars]
        largest = max(char.font.size for _, char, _ in chars)
        for place, line in lines:
            start, end = sorted(upright((*point, *point), size, turn)[:2] for point in line)
            if abs(end[1] - start[1]) > end[0] - start[0]:
                continue
            first = bisect_left(bases, min(start[1], end[1]))
            last = bisect_right(bases, max(start[1], end[1]) + _HIGH * largest)
            found |= {
                at
                for at, char, before in chars[first:last]
                if _crosses(start, end, char)
                and not _runs_above(start, end, before, char)
                and not _is_over(place, char, covers, size)
            }
    return found


def are_crossed_out(
    pieces: Sequence[Piece],
    lines: Sequence[Placed],
    covers: Sequence[tuple[int, Box]],
    size: Point,
) -> bool:
    """Tell whether long slanting lines are drawn over words, as over a page no longer in force.

    All are on the displayed page, which has this `size`.
    """
    words = [piece for piece in pieces if any(char.text.isalnum() for char in piece)]
    boxes = [displayed(piece, size) for piece in words]
    slanting = [(place, line) for place, line in lines if _is_slanting(line)]
    slanting.sort(key=lambda each: -math.dist(*each[1]))
    crossed = {
        at
        for place, line in slanting[:_MOST_SLANTING]
        for at, box in enumerate(boxes)
        if _passes(line, box) and not _is_over(place, words[at][0], covers, size)
    }
    return len(crossed) >= _CROSSED


def _is_slanting(line: Segment) -> bool:
    (x, y), (to_x, to_y) = line
    across, down = abs(to_x - x), abs(to_y - y)
    return math.hypot(across, down) >= _LONG and min(across, down) >= _SLANT * max(across, down)


def _passes(line: Segment, box: Box) -> bool:
    """Tell whether a slanting line goes through a box at half its height."""
    (x, y), (to_x, to_y) = line
    level = middle(box)[1]
    if not min(y, to_y) < level < max(y, to_y):
        return False
    return box[0] < x + (to_x - x) * (level - y) / (to_y - y) < box[2]


def _is_over(place: int, char: Character, covers: Sequence[tuple[int, Box]], size: Point) -> bool:
    at = middle(displayed([char], size))
    return any(later > place and contains(box, at) for later, box in covers)


def _crosses(start: Point, end: Point, char: Character) -> bool:
    """Tell whether a line, level or nearly so, goes through the middle of a character."""
    left, _, right, _ = char.box
    if overlap(left, right, start[0], end[0]) < _WITHIN * (right - left):
        return False
    x = (max(left, start[0]) + min(right, end[0])) / 2
    y = start[1] + (end[1] - start[1]) * (x - start[0]) / max(end[0] - start[0], 1e-6)
    return _LOW * char.font.size <= char.base - y <= _HIGH * char.font.size


def _runs_above(start: Point, end: Point, word: Character, mark: Character) -> bool:
    """Tell whether a line through a raised mark runs above the word that the mark stands behind."""
    left, _, right, _ = word.box
    is_beside = abs(mark.box[0] - right) <= _LAPPED * word.font.size
    is_raised = word.base - mark.base > _RAISED * word.font.size
    is_along = overlap(left, right, start[0], end[0]) >= _WITHIN * (right - left)
    return (
        word.font.turn == mark.font.turn
        and is_beside
        and is_raised
        and is_along
        and not _crosses(start, end, word)
    )


def withheld(
    pieces: Sequence[list[Character]], gone: Collection[int], inner: Collection[int]
) -> Iterator[tuple[list[Character], bool]]:
    """Yield each word, or one mark for those of a row that are gone; true with a mark.

    Those in `inner` get a mark only close beside a word of their row that stays.
    """
    rows = itertools.groupby(
        enumerate(_rows(pieces, gone)), key=lambda each: (each[1], each[0] in gone)
    )
    for (_, is_gone), group in rows:
        places = [at for at, _ in group]
        if not is_gone:
            yield from ((pieces[at], False) for at in places)
            continue
        beside = [at for at in (places[0] - 1, places[-1] + 1) if 0 <= at < len(pieces)]
        box = union(char.box for at in places for char in pieces[at])
        near = any(_is_beside(pieces[at], pieces[places[0]], box) for at in beside)
        if near or not set(places) <= set(inner):
            yield [replace(pieces[places[0]][0], text=STRUCK, box=box)], True


def _rows(pieces: Sequence[Piece], gone: Collection[int]) -> Iterator[int]:
    """Yield for each word the number of its row."""
    row = 0
    for at, piece in enumerate(pieces):
        row += bool(at and not _in_row(pieces[at - 1], piece))
        yield row


def _in_row(piece: Piece, other: Piece) -> bool:
    boxes = [union(char.box for char in each) for each in (piece, other)]
    return piece[0].font.turn == other[0].font.turn and same_row(*boxes)


def _is_beside(piece: Piece, other: Piece, box: Box) -> bool:
    own = union(char.box for char in piece)
    gap = max(own[0] - box[2], box[0] - own[2]) / piece[0].font.size
    return _in_row(piece, other) and -_LAPPED <= gap <= _BESIDE


def placed(
    pieces: Sequence[list[Character]], added: Sequence[list[Character]]
) -> list[list[Character]]:
    """Return words with those of annotations added, each behind the word at its left in its row.

    Words that reach a little under a field end there, or they would seem printed over each other.
    """
    whole = list(pieces)
    for piece in added:
        x, y = middle(piece[0].box)
        left = [
            at
            for at, other in enumerate(whole)
            if other[0].box[1] < y < other[0].box[3] and middle(other[0].box)[0] < x
            if other[0].font.turn == piece[0].font.turn
        ]
        if not left:
            whole.append(piece)
            continue
        at = max(left, key=lambda at: whole[at][-1].box[2])
        edge = piece[0].box[0] - _LOW * piece[0].font.size
        whole[at] = [_ended(char, edge) for char in whole[at]]
        whole.insert(at + 1, [replace(piece[0], after_blank=True), *piece[1:]])
    return whole


def _ended(char: Character, edge: float) -> Character:
    left, top, right, bottom = char.box
    return replace(char, box=(min(left, edge), top, edge, bottom)) if right > edge else char


def struck_doubts(page: Page, cells: PageCells) -> Iterator[Doubt]:
    """Yield the doubts about words that are gone, and about annotations, at the lines of a page."""
    yield from lines_at(page, cells.gone, WORDS_STRUCK)
    for doubt, box in cells.notes:
        yield from lines_at(page, [box], doubt)


def lines_at(page: Page, boxes: Sequence[Box], doubt: Doubt) -> Iterator[Doubt]:
    """Yield a doubt for each line that holds one of the displayed boxes, or one for the page."""
    places = [middle(box) for box in boxes]
    lines = [line for block in page.blocks for line in block.lines]
    held = [line for line in lines if any(contains(line.box, at, margin=1) for at in places)]
    if places and not held:
        yield doubt
    for line in held:
        yield replace(doubt, start=line.start, end=line.end)
