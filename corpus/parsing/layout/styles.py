"""What the letters of a document say: its body size, which lines are headings, and of which
level."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from corpus.parsing.layout.geometry import PageCells
from corpus.parsing.layout.runs import Line

MAX_HEADING_CHARS = 200
LARGER = 1.13  # times the body size; sizes of one font differ less by rounding
NUMBERED_LARGER = 1.07
_NUMBERED = re.compile(
    r"^(?:(?:Appendix|Annex|Section|Chapter)\s+)?(\d{1,2}(?:\.\d{1,2}){0,4})\.?\s+(?=[^\W\d_])"
)
_LETTERED = re.compile(r"^(?:Appendix|Annex)\s+[A-Z0-9]\b|^[A-Z]\.(?:\d{1,2}\.?)*\s+[A-Z]")
CAPTION = re.compile(
    r"^(?:Table|Figure|Fig\.|Box|Algorithm|Chart|Appendix Table)\s*[A-Z]?\d{1,3}[a-z]?\s*[.:–—-]",
    re.I,
)
_SENTENCE_END = re.compile(r"[.;,]$")


@dataclass(frozen=True)
class Styles:
    """Sizes of a document. `by_ocr` tells that sizes are read off an image and weights unknown."""

    body: float
    by_ocr: bool = False

    def is_heading(self, lines: Sequence[Line]) -> bool:
        """Tell whether lines that belong together are a heading."""
        text = " ".join(line.text for line in lines)
        if len(text) > MAX_HEADING_CHARS or len(lines) > 4 or not any(c.isalpha() for c in text):
            return False
        if CAPTION.match(text) or text[0].islower() or _SENTENCE_END.search(text):
            return False
        if any(_is_spread(line) for line in lines):
            return False
        if self.by_ocr:
            return self._is_ocr_heading(lines, text)
        least = LARGER if heading_depth(text) is None else NUMBERED_LARGER
        larger = all(line.size >= least * self.body for line in lines)
        bold = (
            all(line.bold for line in lines) and min(line.size for line in lines) >= 0.9 * self.body
        )
        return larger or (bold and len(lines) <= 2)

    def _is_ocr_heading(self, lines: Sequence[Line], text: str) -> bool:
        if len(lines) > 2 or len(text) > 100:
            return False
        larger = all(line.size >= 1.3 * self.body for line in lines)
        return larger or (heading_depth(text) is not None and len(lines) == 1 and len(text) <= 70)


def measure(pages: Sequence[PageCells]) -> Styles:
    """Return the styles of pages that were read in the same way."""
    sizes = Counter[float]()
    for page in pages:
        for word in page.words:
            if not word.bold:
                sizes[round(word.size * 2) / 2] += len(word.text)
    if not sizes:
        for page in pages:
            sizes.update(round(word.size * 2) / 2 for word in page.words)
    body = max(sizes, key=lambda size: (sizes[size], -size)) if sizes else 10.0
    return Styles(body, by_ocr=any(page.is_scan for page in pages))


def heading_depth(text: str) -> int | None:
    """Return 1 for `2 Dosing` or `Appendix A`, 2 for `2.1 Adults`, None without a number."""
    match = _NUMBERED.match(text)
    if match:
        return match.group(1).count(".") + 1
    return 1 if _LETTERED.match(text) else None


def _is_spread(line: Line) -> bool:
    """Tell names or labels side by side: a wide gap between words, save after a number."""
    words = line.words[1:] if heading_depth(line.text) else line.words
    gaps = (b.box[0] - a.box[2] for a, b in itertools.pairwise(words))
    return any(gap > 2.5 * line.size for gap in gaps)


@dataclass(frozen=True)
class HeadingStyle:
    """How a heading is set. Sizes are rounded to half points, so that equals compare equal."""

    size: float
    bold: bool
    capitals: bool

    @classmethod
    def of(cls, lines: Sequence[Line]) -> HeadingStyle:
        text = "".join(line.text for line in lines)
        size = max(line.size for line in lines)
        return cls(round(size * 2) / 2, all(line.bold for line in lines), text.isupper())


def heading_levels(headings: Sequence[tuple[HeadingStyle, str]]) -> list[int]:
    """Return the level of each heading of a document, in reading order; the first is 1.

    Styles are ranked by size, then weight, then capitals. Numbers decide between headings of one
    kind: `2.1` stands one below `2`, whatever its style.
    """
    ranked = sorted(
        {style for style, _ in headings}, key=lambda s: (-s.size, not s.bold, not s.capitals)
    )
    ranks: list[int] = []
    rank, before = 0, None
    for style in ranked:
        if (
            before is None
            or before.size - style.size >= 1
            or before.bold != style.bold
            or (before.capitals != style.capitals)
        ):
            rank += 1
        before = style
        ranks.append(rank)
    by_style = dict(zip(ranked, ranks, strict=True))
    depths = [heading_depth(text) for _, text in headings]
    tops = [
        by_style[style] for (style, _), depth in zip(headings, depths, strict=True) if depth == 1
    ]
    top = min(tops) if tops else None
    return [
        by_style[style] if depth is None or top is None else top + depth - 1
        for (style, _), depth in zip(headings, depths, strict=True)
    ]
