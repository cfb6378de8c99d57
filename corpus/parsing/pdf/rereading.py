"""Is what stands under a passage's boxes the passage? Read again from the PDF by PDFium alone.

docling-parse reads words and the layout engine puts them in order; here single characters are taken
by their places, so that a box that lies beside its words, or words that were lost, are seen.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from corpus.parsing.clean import clean_text, mend_accents
from corpus.parsing.layout.geometry import contains, height, middle, width
from corpus.parsing.pdf.render import Renderer
from corpus.parsing.types import Block, BlockKind, Box, Line, Page

Span = tuple[int, int, int]  # page, start, end
Character = tuple[str, Box]

_DASHES = dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2013\u2014\u2212\u00ad\x02"), "-")
_QUOTES = {ord(c): "'" for c in "\u2018\u2019\u02bc`\u00b4"} | {ord(c): '"' for c in "\u201c\u201d"}
_JOINTS = re.compile(r"[\s|]+")
_BETWEEN_CELLS = re.compile(r"[\s|,]*")


@dataclass(frozen=True)
class Verdict:
    """Whether a passage is what is printed under its boxes, and the first page where it is not."""

    equal: bool
    page: int = 0


def reread(
    path: Path, pages: Sequence[Page], passages: Sequence[Sequence[Span]]
) -> list[Verdict | None]:
    """Return a verdict on each passage of a PDF; None for one on a page that was read by OCR.

    Equal means: each line that a span touches holds the same characters as its box does on the
    page, white space, joints between cells and a hyphen at the line's end left aside, and nothing
    of the span but white space stands outside of its lines.
    """
    by_number = {page.number: page for page in pages}
    printed = _Printed(path)
    verdicts: list[Verdict | None] = []
    for spans in passages:
        if any(by_number[number].ocr_confidence is not None for number, _, _ in spans):
            verdicts.append(None)
            continue
        wrong = [span[0] for span in spans if not _holds(by_number[span[0]], span, printed)]
        verdicts.append(Verdict(not wrong, wrong[0] if wrong else 0))
    return verdicts


class _Printed:
    """What PDFium reads in the boxes of blocks, each page and block once."""

    def __init__(self, path: Path) -> None:
        self._renderer = Renderer(path)
        self._characters: dict[int, list[Character]] = {}
        self._read: dict[tuple[int, int], list[bool]] = {}

    def equal_lines(self, page: Page, block: Block) -> list[bool]:
        """Tell for each line of a block whether its box holds its text."""
        key = (page.number, block.start)
        if key not in self._read:
            found = _by_line(block, self._on(page.number))
            texts = [page.text[line.start : line.end] for line in block.lines]
            self._read[key] = [
                any(_bare(text) == _bare("".join(order)) for order in orders)
                for text, orders in zip(texts, found, strict=True)
            ]
        return self._read[key]

    def _on(self, number: int) -> list[Character]:
        if number not in self._characters:
            self._characters[number] = self._renderer.letters(number).all()
        return self._characters[number]


def _holds(page: Page, span: Span, printed: _Printed) -> bool:
    _, start, end = span
    for block in page.blocks:
        if block.end <= start or end <= block.start:
            continue
        equal = printed.equal_lines(page, block)
        touched = [
            (line, same)
            for line, same in zip(block.lines, equal, strict=True)
            if line.start < end and start < line.end
        ]
        if not all(same for _, same in touched):
            return False
        if not _covered(page.text, block, max(start, block.start), min(end, block.end)):
            return False
    return True


def _covered(text: str, block: Block, start: int, end: int) -> bool:
    """Tell whether all of a range but white space, and joints of a table, stands in lines."""
    at, left_out = start, ""
    for line in sorted(block.lines, key=lambda item: item.start):
        left_out += text[at : max(at, min(line.start, end))]
        at = max(at, min(line.end, end))
    left_out += text[at:end]
    if block.kind is BlockKind.TABLE:
        return _BETWEEN_CELLS.fullmatch(left_out) is not None
    return not left_out.strip()


def _by_line(block: Block, characters: Sequence[Character]) -> list[tuple[list[str], list[str]]]:
    """Return the characters in each line's box: in the order of the PDF, and from left to right.

    Where boxes of text overlap, as in a formula, a character belongs to the smallest; cells of a
    table may share the box of one that spans.
    """
    own: Mapping[int, list[Character]] = defaultdict(list)
    for character in characters:
        holding = [
            index
            for index, line in enumerate(block.lines)
            if contains(line.box, middle(character[1]), margin=0.5)
        ]
        if block.kind is not BlockKind.TABLE and holding:
            holding = [min(holding, key=lambda index: (_area(block.lines[index]), index))]
        for index in holding:
            own[index].append(character)
    lines = [own[index] for index in range(len(block.lines))]
    return [(_texts(line), _texts(sorted(line, key=lambda c: c[1][0]))) for line in lines]


def _texts(characters: Iterable[Character]) -> list[str]:
    return [character for character, _ in characters]


def _area(line: Line) -> float:
    return width(line.box) * height(line.box)


def _bare(text: str) -> str:
    """Return a line's characters in one form, without white space, joints and a last hyphen."""
    text = mend_accents(_JOINTS.sub("", clean_text(text.translate(_DASHES))))
    text = unicodedata.normalize("NFKC", text.translate(_QUOTES)).translate(_DASHES)
    text = text.replace("\N{FRACTION SLASH}", "/")
    return _JOINTS.sub("", text).rstrip("-")
