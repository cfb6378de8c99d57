"""Font styles of a document: its body size, its headings and their levels."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from corpus.parsing.geometry import PageCells, width
from corpus.parsing.layout.runs import Line
from corpus.parsing.types import Box

MAX_HEADING_CHARS = 200
MIN_LETTERS = 3
_TEXT = 0.1  # of the letters in the body's size, for a font to be one of body text
_NEARLY = 0.3  # of a size, by which numbered headings of one depth may differ
LARGER = 1.13  # times the body size; sizes of one font differ less by rounding
NUMBERED_LARGER = 1.07
_NUMBERED = re.compile(
    r"^(?:(?:Appendix|Annex|Section|Chapter)\s+)?(\d{1,2}(?:\.\d{1,2}){0,4})\.?\s+(?=[^\W\d_])"
)
_LETTERED = re.compile(r"^(?:Appendix|Annex)\s+[A-Z0-9]\b|^[A-Z]\.(?:\d{1,2}\.?)*\s+[A-Z]")
CAPTION = re.compile(
    r"^(?:Table|Figure|Fig\.|Box|Algorithm|Chart|Appendix Table)\s*[A-Z]?\d{1,3}[a-z]?\s*"
    r"(?:[.:–—-]|[(,]?\s*cont(?:inued\b|['’]?d\b|\.))",
    re.I,
)
_LEADERS = re.compile(r"\.{4}|(?:\. ){4}|…{2}")  # of a table of contents
_TAG = re.compile(r"^\[[^\]]*\]$")  # the year of a recommendation
_TITLE_OF = re.compile(
    r"^(?:Table|Figure|Fig|Box|Algorithm|Chart)\.?\s+[A-Z]?\d{1,3}[a-z]?\b", re.I
)
_SENTENCE_END = re.compile(r"[.;,–-]$")


@dataclass(frozen=True)
class Styles:
    """The body size and body fonts of a document.

    `by_ocr`: sizes were measured in a picture, and which words are bold is unknown.
    """

    body: float
    by_ocr: bool = False
    fonts: frozenset[str] = frozenset()  # of text in the body size

    def is_set_apart(self, lines: Sequence[Line]) -> bool:
        """Tell whether lines are bold, or in fonts in which the document sets no body text."""
        if all(line.bold for line in lines):
            return True
        names = {family(word.font) for line in lines for word in line.words if word.text.isalnum()}
        return bool(names and self.fonts and all(names)) and names.isdisjoint(self.fonts)

    def is_heading(self, lines: Sequence[Line]) -> bool:
        """Tell whether lines that belong together are a heading."""
        text = " ".join(line.text for line in lines)
        if len(text) > MAX_HEADING_CHARS or len(lines) > 4 or not any(c.isalpha() for c in text):
            return False
        if CAPTION.match(text) or text[0].islower() or _SENTENCE_END.search(text):
            return False
        if _LEADERS.search(text) or _TAG.match(text) or sum(map(str.isalpha, text)) < MIN_LETTERS:
            return False
        if any(_is_spread(line) for line in lines):
            return False
        if self.by_ocr:
            return self._is_ocr_heading(lines, text)
        least = LARGER if heading_depth(text) is None else NUMBERED_LARGER
        larger = all(line.size >= least * self.body for line in lines)
        full = min(line.size for line in lines) >= 0.9 * self.body
        return larger or (full and len(lines) <= 2 and self.is_set_apart(lines))

    def _is_ocr_heading(self, lines: Sequence[Line], text: str) -> bool:
        if len(lines) > 2 or len(text) > 100:
            return False
        larger = all(line.size >= 1.3 * self.body for line in lines)
        return larger or (heading_depth(text) is not None and len(lines) == 1 and len(text) <= 70)


def is_title_of(text: str) -> bool:
    """Tell whether a text begins with `Table 3` or `Box 1`; set apart, such a text is a caption."""
    return _TITLE_OF.match(text) is not None


def measure(pages: Sequence[PageCells]) -> Styles:
    """Measure the styles of pages that were all read from text layers, or all by OCR."""
    sizes = Counter[float]()
    fonts = Counter[str]()
    for page in pages:
        for word in page.words:
            if not word.bold:
                sizes[round(word.size * 2) / 2] += len(word.text)
    if not sizes:
        for page in pages:
            sizes.update(round(word.size * 2) / 2 for word in page.words)
    body = max(sizes, key=lambda size: (sizes[size], -size)) if sizes else 10.0
    for page in pages:
        for word in page.words:
            if not word.bold and abs(word.size - body) <= 0.1 * body:
                fonts[family(word.font)] += len(word.text)
    text = frozenset(font for font, count in fonts.items() if count >= _TEXT * fonts.total())
    return Styles(body, any(page.is_scan for page in pages), text)


def family(font: str) -> str:
    """Return a font's name without the prefix of a subset (`ABCDEF+`)."""
    return font.rpartition("+")[2]


def heading_depth(text: str) -> int | None:
    """Return the depth of a heading's number: 1 for `2 Dosing` or `Appendix A`, 2 for `2.1 Adults`.

    None without a number.
    """
    match = _NUMBERED.match(text)
    if match:
        return match.group(1).count(".") + 1
    return 1 if _LETTERED.match(text) else None


def _is_spread(line: Line) -> bool:
    """Tell whether a line is names or labels side by side, with a wide gap between them.

    The gap behind a heading's number does not count.
    """
    words = line.words[1:] if heading_depth(line.text) else line.words
    gaps = (b.box[0] - a.box[2] for a, b in itertools.pairwise(words))
    return any(gap > 2.5 * line.size for gap in gaps)


@dataclass(frozen=True)
class HeadingStyle:
    """The style of a heading, its size rounded to half points so that equals compare equal."""

    size: float
    bold: bool
    capitals: bool

    @classmethod
    def of(cls, lines: Sequence[Line]) -> HeadingStyle:
        text = "".join(line.text for line in lines)
        size = max(line.size for line in lines)
        return cls(round(size * 2) / 2, all(line.bold for line in lines), text.isupper())


def heading_levels(headings: Sequence[tuple[HeadingStyle, str]]) -> list[int]:
    """Return the level of each heading of a document, in reading order; 1 is the highest.

    Styles are ranked by size, then weight, then capitals, and within a style by depth of number:
    `2.1` is one level below `2`. Numbered headings of one depth whose sizes nearly agree, as in a
    scan, count as set in the style of most of them.
    """
    ranks = _style_ranks({style for style, _ in headings})
    depths = [heading_depth(text) for _, text in headings]
    numbered: dict[int, Counter[HeadingStyle]] = {}
    for (style, _), depth in zip(headings, depths, strict=True):
        if depth:
            numbered.setdefault(depth, Counter())[style] += 1
    keys = []
    for (style, _), depth in zip(headings, depths, strict=True):
        usual = numbered[depth].most_common(1)[0][0] if depth else style  # the first of equals
        near = abs(style.size - usual.size) <= _NEARLY * usual.size and style.bold == usual.bold
        keys.append((ranks[usual if near else style], depth))
    highest = {rank: min((d for r, d in keys if r == rank and d), default=1) for rank, _ in keys}
    full = [(rank, (depth or highest[rank]) - highest[rank]) for rank, depth in keys]
    levels = {key: at for at, key in enumerate(sorted(set(full)), start=1)}
    return [levels[key] for key in full]


def _style_ranks(styles: set[HeadingStyle]) -> dict[HeadingStyle, int]:
    """Return the rank of each style, from 1.

    Styles whose sizes differ by less than a point, or a tenth, and by nothing else share a rank.
    """
    ranked = sorted(styles, key=lambda s: (-s.size, not s.bold, not s.capitals))
    ranks: dict[HeadingStyle, int] = {}
    rank, before = 0, None
    for style in ranked:
        alike = before and (before.bold, before.capitals) == (style.bold, style.capitals)
        if before is None or not alike or before.size - style.size >= max(1, 0.1 * style.size):
            rank += 1
        before = style
        ranks[style] = rank
    return ranks


_SIGN = re.compile("[=\u2211\u220f\u222b\u221a\u2264\u2265\u2248\u221d\u2225\U0001d400-\U0001d7ff]")
_WORD = re.compile(r"[A-Za-z]{4,}")
_MAX_CHARS = 160
_MAX_WORDS = 6
_MAX_LIMIT = 10  # characters


def is_formula(lines: Sequence[Line], column: Box) -> bool:
    """Tell whether lines are a formula set apart: indented, with signs and few words."""
    text = " ".join(line.text for line in lines)
    inset = min(line.box[0] for line in lines) - column[0] > lines[0].size
    narrow = all(width(line.box) < width(column) for line in lines)
    few = len(text) <= _MAX_CHARS and len(_WORD.findall(text)) <= _MAX_WORDS
    return inset and narrow and few and _SIGN.search(text) is not None


def is_sum(text: str) -> bool:
    """Tell whether a text has a sum, product or integral sign, with limits above and below it."""
    return any(sign in text for sign in "\u2211\u220f\u222b")


def is_limit(line: Line, formula: Line) -> bool:
    """Tell whether a line is the limit of a sum, right above or below the `formula`."""
    gap = max(formula.box[1] - line.box[3], line.box[1] - formula.box[3])
    over = formula.box[0] <= line.box[0] and line.box[2] <= formula.box[2]
    short = len(line.text) <= _MAX_LIMIT and _WORD.search(line.text) is None
    return short and over and gap < 0.6 * formula.size and _SIGN.search(formula.text) is not None


def is_scrap(line: Line) -> bool:
    """Tell whether a line is part of a formula, such as a numerator or a limit.

    It is short, and has a mathematical sign or no word.
    """
    return len(line.text) <= 40 and (
        _SIGN.search(line.text) is not None or _WORD.search(line.text) is None
    )
