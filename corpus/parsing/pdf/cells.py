"""Words and rules of a PDF's pages, read by docling-parse.

Only words that a reader sees are kept: invisible text (an OCR layer, or something hidden on
purpose) and text outside the page are not what the page says.
"""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from corpus.parsing.clean import clean_line, mend_accents
from corpus.parsing.layout.geometry import (
    PageCells,
    Rule,
    Word,
    height,
    middle,
    union,
    upright,
    width,
)
from corpus.parsing.pdf.letters import Letters
from corpus.parsing.pdf.render import Renderer, unreadable
from corpus.parsing.types import Box

_BOLD = re.compile(r"bold|black|heavy|semib|demi|cmbx|cmssbx|medi(?![a-z])|\bbd\b", re.IGNORECASE)
_UNPAINTED = (3, 7)  # PDF 32000-1, table 106: neither fill nor stroke
_PLACED = ("Sm", "Ps", "Pe")  # signs and brackets
MIN_RULE = 8.0
MAX_THICKNESS = 3.0


class CellReader:
    """An open PDF. Heavy imports happen here, not when the module is imported."""

    def __init__(self, path: Path) -> None:
        from docling_parse.pdf_parser import (  # heavy, so late
            ContentConfig,
            ContentLevel,
            DoclingPdfParser,
        )

        self._content = ContentConfig(
            char_cells_content_level=ContentLevel.COMPUTE,
            word_cells_content_level=ContentLevel.COMPUTE_AND_MATERIALIZE,
            line_cells_content_level=ContentLevel.SKIP,
            shapes_content_level=ContentLevel.COMPUTE_AND_MATERIALIZE,
            bitmaps_content_level=ContentLevel.COMPUTE_AND_MATERIALIZE,
            include_bitmap_bytes=False,
        )
        try:
            self._document = DoclingPdfParser(loglevel="fatal").load(path, lazy=True)
        except RuntimeError as error:  # PDFium mends more than it does
            raise unreadable("") from error

    def read(self, number: int, renderer: Renderer) -> PageCells:
        """Return the cells of page `number` (1-based) in points from its top left corner.

        A page that can't be decoded comes back without words.
        """
        size = renderer.size(number)
        try:
            page: Any = self._document.get_page(number, content_config=self._content)
        except (RuntimeError, ValueError, KeyError, IndexError):
            return PageCells(number, *size, ())
        self._document.unload_pages((number, number + 1))
        turn = _main_turn(page.word_cells)
        letters = renderer.letters(number)
        words = tuple(
            word for cell in page.word_cells for word in _words(cell, size, letters, turn)
        )
        rules = [rule for shape in page.shapes for rule in _rules(shape, size)]
        turned = tuple(Rule(upright(rule.box, size, turn)) for rule in merge_rules(rules))
        drawn = tuple(upright(box, size, turn) for box in _drawn(page, size))
        frame = size[::-1] if turn in (90, 270) else size
        return PageCells(number, *frame, words, turned, turn=turn, drawn=drawn)


def _turn(cell: Any) -> int:
    """Return how far a word is turned clockwise: 0, 90, 180 or 270; -1 for one that is aslant."""
    rect = cell.rect
    x, y = rect.r_x1 - rect.r_x0, rect.r_y1 - rect.r_y0
    if min(abs(x), abs(y)) > 0.2 * max(abs(x), abs(y)) + 0.1:
        return -1
    if abs(x) >= abs(y):
        return 0 if x >= 0 else 180
    return 90 if y < 0 else 270


def _main_turn(cells: Sequence[Any]) -> int:
    """Return the direction of most letters. Others, as of a stamp along the edge, are left out."""
    letters = Counter[int]()
    for cell in cells:
        letters[_turn(cell)] += len(cell.text)
    del letters[-1]
    return max(letters, key=lambda turn: (letters[turn], -turn), default=0)


def _words(cell: Any, size: tuple[float, float], letters: Letters, turn: int) -> list[Word]:
    """Return the word of a cell, or more where PDFium sees blanks in it; none for what is not
    shown."""
    text = mend_accents(clean_line(cell.text))
    if not text or _turn(cell) != turn or cell.rendering_mode.value in _UNPAINTED:
        return []
    rect = cell.rect
    shown = _flip(rect.r_x0, rect.r_y0, rect.r_x2, rect.r_y2, size[1])
    x, y = middle(shown)
    if not (0 <= x <= size[0] and 0 <= y <= size[1]) or min(width(shown), height(shown)) < 0.3:
        return []
    box = upright(shown, size, turn)
    first = letters.at(*_first_letter(shown, len(text), turn))
    if first is None or first.size < 1:
        return [Word(text, box, height(box), bool(_BOLD.search(cell.font_name)))]
    read = [(letter, upright(at, size, turn)) for letter, at in letters.read(first, text)]
    line = upright(first.box, size, turn)
    if not line[1] <= middle(box)[1] <= line[3]:
        word = Word(text, box, height(box), bool(_BOLD.search(cell.font_name)))
        return _scatter(word, _parts(read))
    box = (box[0], min(box[1], line[1]), box[2], max(box[3], line[3]))
    font = first.font or cell.font_name
    return _divide(Word(text, box, first.size, bool(_BOLD.search(font)), font), _parts(read))


def _divide(word: Word, parts: Sequence[Sequence[tuple[str, Box]]]) -> list[Word]:
    """Return a word as the letters that PDFium read for it divide it; there may be none.

    docling-parse overlooks the blanks of some fonts (`BERTModel`) and writes a dash between words
    as a hyphen. What PDFium takes for blanks in letter-spaced capitals divides nothing.
    """
    if any(len(part) == len(after) == 1 for part, after in itertools.pairwise(parts)):
        return [word]
    if len(parts) < 2:
        text = "".join(letter for part in parts for letter, _ in part)
        return [replace(word, text=text or word.text)]
    if any(_is_elsewhere(part[-1], after[0]) for part, after in itertools.pairwise(parts)):
        return _scatter(word, parts)
    lefts = [word.box[0], *(part[0][1][0] for part in parts[1:])]
    rights = [*(part[-1][1][2] for part in parts[:-1]), word.box[2]]
    return [
        replace(
            word,
            text="".join(letter for letter, _ in part),
            box=(left, word.box[1], max(left, right), word.box[3]),
        )
        for part, left, right in zip(parts, lefts, rights, strict=True)
    ]


def _scatter(word: Word, parts: Sequence[Sequence[tuple[str, Box]]]) -> list[Word]:
    """Return the parts of a word that stand over and under each other, each where it stands."""
    if len(parts) < 2:
        return [word]
    return [
        replace(word, text="".join(letter for letter, _ in part), box=union(box for _, box in part))
        for part in parts
    ]


def _parts(read: Sequence[tuple[str, Box]]) -> list[list[tuple[str, Box]]]:
    """Return letters divided at blanks, and where one stands on another line than that before."""
    parts: list[list[tuple[str, Box]]] = []
    blank = True
    for letter, box in read:
        if letter.isspace():
            blank = True
            continue
        if blank or _is_elsewhere(parts[-1][-1], (letter, box)):
            parts.append([])
        parts[-1].append((letter, box))
        blank = False
    return parts


def _is_elsewhere(before: tuple[str, Box], letter: tuple[str, Box]) -> bool:
    """Tell a sum's sign below its limit; an accent is printed over or under its own letter."""
    apart = letter[1][1] > before[1][3] or letter[1][3] < before[1][1]
    return apart and all(
        c.isalnum() or unicodedata.category(c) in _PLACED for c, _ in (before, letter)
    )


def _first_letter(box: Box, count: int, turn: int) -> tuple[float, float]:
    """Return a point inside the first letter of a word of `count` letters on the displayed page."""
    x, y = middle(box)
    along = 0.4 / count
    return {
        0: (box[0] + along * width(box), y),
        90: (x, box[1] + along * height(box)),
        180: (box[2] - along * width(box), y),
        270: (x, box[3] - along * height(box)),
    }[turn]


def _flip(x0: float, y0: float, x1: float, y1: float, page_height: float) -> Box:
    return (min(x0, x1), page_height - max(y0, y1), max(x0, x1), page_height - min(y0, y1))


def _drawn(page: Any, size: tuple[float, float]) -> list[Box]:
    """Return the boxes of pictures and paths on the displayed page, without its background."""
    rects = [bitmap.rect for bitmap in page.bitmap_resources]
    corners = [([r.r_x0, r.r_x1, r.r_x2, r.r_x3], [r.r_y0, r.r_y1, r.r_y2, r.r_y3]) for r in rects]
    shapes = [shape.points for shape in page.shapes if shape.points]
    corners += [([point.x for point in ps], [point.y for point in ps]) for ps in shapes]
    boxes = [_flip(min(xs), min(ys), max(xs), max(ys), size[1]) for xs, ys in corners]
    return [box for box in boxes if width(box) * height(box) < 0.7 * size[0] * size[1]]


def _rules(shape: Any, size: tuple[float, float]) -> list[Rule]:
    """Return the straight, level or upright edges of a path that are long enough to be rules."""
    points = [(point.x, point.y) for point in shape.points]
    if not points:
        return []
    xs, ys = [x for x, _ in points], [y for _, y in points]
    box = _flip(min(xs), min(ys), max(xs), max(ys), size[1])
    if (box[2] - box[0]) * (box[3] - box[1]) > 0.8 * size[0] * size[1]:
        return []  # the page's background
    if min(box[0], box[1], size[0] - box[2], size[1] - box[3]) < -2:
        return []  # of a drawing that is cut off
    thin = min(box[2] - box[0], box[3] - box[1]) <= MAX_THICKNESS
    if thin:
        return [Rule(box)] if max(box[2] - box[0], box[3] - box[1]) >= MIN_RULE else []
    edges = itertools.pairwise(points)
    boxes = [_flip(x0, y0, x1, y1, size[1]) for (x0, y0), (x1, y1) in edges]
    return [
        Rule(edge)
        for edge in boxes
        if min(edge[2] - edge[0], edge[3] - edge[1]) <= 0.5
        and max(edge[2] - edge[0], edge[3] - edge[1]) >= MIN_RULE
    ]


def merge_rules(rules: list[Rule]) -> list[Rule]:
    """Join pieces of one line: tables are often drawn cell by cell."""
    level = _merge([rule.box for rule in rules if rule.horizontal], along=0)
    upright = _merge([rule.box for rule in rules if not rule.horizontal], along=1)
    return [Rule(box) for box in level + upright]


def _merge(boxes: list[Box], *, along: int) -> list[Box]:
    across = 1 - along
    merged: list[Box] = []
    for box in sorted(boxes, key=lambda b: (round(b[across]), b[along])):
        for place, other in enumerate(merged):
            close = abs(other[across] - box[across]) <= 1.5
            if close and box[along] <= other[along + 2] + 2 and box[along + 2] >= other[along] - 2:
                merged[place] = (
                    min(other[0], box[0]),
                    min(other[1], box[1]),
                    max(other[2], box[2]),
                    max(other[3], box[3]),
                )
                break
        else:
            merged.append(box)
    return merged
