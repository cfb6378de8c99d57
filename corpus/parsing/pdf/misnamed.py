"""Tell signs that are printed otherwise than their file names them. Pure.

A font may name ≤ as ≥ or µ as `m`. The print tells them apart in every font: ≤ opens to the right,
≥ to the left, both above a bar or two; µ reaches below the baseline, `m` does not.
"""

from __future__ import annotations

from typing import Any

COMPARISONS = frozenset("<>≤≥⩽⩾≦≧±")
PREFIXES = frozenset("m\N{MICRO SIGN}\N{GREEK SMALL LETTER MU}")  # before a unit: milli and micro
_OTHER_FORMS = str.maketrans("⩽⩾≦≧\N{MICRO SIGN}", "≤≥≤≥\N{GREEK SMALL LETTER MU}")
_FORMS = frozenset("<>≤≥±+=")
_AFTER_PREFIX = frozenset("gGlLmsUIVSkKECOAWP")  # mg, mL, mmol, ms, mU, mIU, mV, mSv, mEq, mCi
# Measured in 48 fonts at 6 to 12 points: shares of a sign's height.
_LEANS = 0.1  # a comparison is as much higher at its open end: 0.13 and more; other signs 0.0
_FLAT = 0.13  # between the ends and the middle of `=`: 0.11 at most; of + and ±: 0.2 and more
_STROKE = 0.5  # of the darkest ink
_DESCENT = 0.1  # font heights: `m` reaches 0.01 below its baseline, µ 0.2


def one_form(text: str) -> str:
    """Return a text with one character for each sign that has more than one."""
    return text.translate(_OTHER_FORMS)


def is_other_comparison(text: str, ink: Any) -> bool:
    """Tell whether a comparison, ±, + or = is printed as another sign, or can't be told.

    `ink` is the print cut to its edges, `(h, w) float32`; None if there is none.
    """
    named = one_form(text)
    return named in _FORMS and (ink is None or _form(ink) != named)


def is_other_prefix(text: str, after: str, depth: float) -> bool:
    """Tell whether an `m` before a unit is printed with the descender of µ, or µ without.

    `after` is the next letter of the word, or empty; `depth` is how far the ink reaches below the
    baseline, in font heights.
    """
    if text == "m":
        return depth > _DESCENT and (not after or after in _AFTER_PREFIX)
    return text in PREFIXES and depth <= _DESCENT


def _form(ink: Any) -> str:
    """Return which of `_FORMS` a print is, told by where its strokes are; empty if none."""
    import numpy  # heavy, so late

    marked = ink > _STROKE * ink.max()
    rows, columns = marked.shape
    if min(rows, columns) < 4:
        return ""
    fourth = -(-columns // 4)
    middle = (columns - fourth) // 2
    parts = (marked[:, :fourth], marked[:, middle : middle + fourth], marked[:, -fourth:])
    left, centre, right = (_top(part) / rows for part in parts)
    starts = marked & ~numpy.pad(marked, ((1, 0), (0, 0)))[:-1]
    strokes = starts.sum(0)  # that a column crosses
    edge = columns // 10
    inner = strokes[edge : columns - edge]
    if left - right > _LEANS:
        return {2: "<", 3: "≤", 4: "≤"}.get(int(inner[len(inner) // 2 :].max()), "")
    if right - left > _LEANS:
        return {2: ">", 3: "≥", 4: "≥"}.get(int(inner[: -(-len(inner) // 2)].max()), "")
    sides = (int(strokes[edge]), int(strokes[-1 - edge]))
    if min(left, right) - centre > _FLAT:
        return {(1, 1): "+", (2, 2): "±"}.get(sides, "")
    return "=" if sides == (2, 2) and int(strokes[columns // 2]) == 2 else ""


def _top(part: Any) -> int:
    """Return the first row with ink, or the number of rows."""
    inked = part.any(1)
    return int(inked.argmax()) if inked.any() else len(inked)
