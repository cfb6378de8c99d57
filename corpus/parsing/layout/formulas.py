"""Displayed formulas, told by their signs and by how few words they hold."""

from __future__ import annotations

import re
from collections.abc import Sequence

from corpus.parsing.geometry import width
from corpus.parsing.layout.runs import Line
from corpus.parsing.types import Box

_SIGN = re.compile("[=\u2211\u220f\u222b\u221a\u2264\u2265\u2248\u221d\u2225\U0001d400-\U0001d7ff]")
_WORD = re.compile(r"[A-Za-z]{4,}")
_MAX_CHARS = 160
_MAX_WORDS = 6
_MAX_LIMIT = 10  # characters


def is_formula(lines: Sequence[Line], column: Box) -> bool:
    """Tell a formula that stands by itself: set off from the left edge, signs, and few words."""
    text = " ".join(line.text for line in lines)
    inset = min(line.box[0] for line in lines) - column[0] > lines[0].size
    narrow = all(width(line.box) < width(column) for line in lines)
    few = len(text) <= _MAX_CHARS and len(_WORD.findall(text)) <= _MAX_WORDS
    return inset and narrow and few and _SIGN.search(text) is not None


def is_sum(text: str) -> bool:
    """Tell the sign of a sum, a product or an integral, whose limits stand over and under it."""
    return any(sign in text for sign in "\u2211\u220f\u222b")


def is_limit(line: Line, formula: Line) -> bool:
    """Tell the limit of a sum, right above or below the line that the sum stands in."""
    gap = max(formula.box[1] - line.box[3], line.box[1] - formula.box[3])
    over = formula.box[0] <= line.box[0] and line.box[2] <= formula.box[2]
    short = len(line.text) <= _MAX_LIMIT and _WORD.search(line.text) is None
    return short and over and gap < 0.6 * formula.size and _SIGN.search(formula.text) is not None


def is_scrap(line: Line) -> bool:
    """Tell a part of a formula: a numerator, a limit of a sum. It holds no word."""
    return len(line.text) <= 40 and (
        _SIGN.search(line.text) is not None or _WORD.search(line.text) is None
    )
