"""Tell signs that are printed otherwise than their file names them. Pure.

A font may name ≤ as ≥ or µ as `m`. The print tells them apart in every font: ≤ opens to the right,
≥ to the left, both above a bar or two; µ reaches below the baseline, `m` does not. Fonts of
publishers hold nothing but signs, and name them by letters, digits or nothing at all: these are
told by their print too, and only where it can be nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
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
# Of a sign's width or height, for prints of which nothing is known but their strokes.
_FULL = 0.8  # of a row or column that a stroke fills
_STRAY = 0.03  # of the ink, outside the strokes
FIRST_SIGN = 0x180  # a wrong encoding names no character above the first Latin letters
_LEAST = 8  # pixels: no sign but a bar can be told from fewer
_SAME_PRINT = {
    "–": "-_~¯\u00ad", "=": "", "+": "", "±": "", "×": "xX", "<": "‹", ">": "›", "≤": "", "≥": "",
    "►": ">", "(": "[{", ")": "]}", "•": ".·",
}  # fmt: skip


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


def could_be(text: str, printed: str) -> bool:
    """Tell whether a character may be printed as this sign by an honest font.

    A comparison that is printed as another one is left to a person, see `is_other_comparison`.
    """
    if one_form(text) in _FORMS:
        return True
    return text == printed or text in _SAME_PRINT.get(printed, "") or ord(text[0]) >= FIRST_SIGN


def printed_sign(ink: Any) -> str:
    """Return the sign that a print is, whatever it is named; empty if it could be anything else.

    `ink` is the print cut to its edges, `(h, w) float32`. Of any bar `–`, of any solid blob `•`.
    """
    marked = _cut(ink > _STROKE * ink.max())
    high, wide = marked.shape
    if wide >= 2.2 * high and wide >= 5 and marked.mean() > _FULL:
        return "–"
    if min(high, wide) < 4 or max(high, wide) < _LEAST:
        return ""
    if high >= 2.5 * wide:
        return _bracket(marked)
    if _are_bars(marked):
        return "="
    rest = _above_bar(marked)
    if rest is None:
        return _crossed(marked) or _wedge(marked) or _solid(marked)
    return {"+": "±", "<": "≤", ">": "≥"}.get(_crossed(rest) or _wedge(rest), _solid(marked))


def _cut(marked: Any) -> Any:
    """Return the part of a picture that has ink."""
    import numpy  # heavy, so late

    rows, columns = numpy.flatnonzero(marked.any(1)), numpy.flatnonzero(marked.any(0))
    return marked[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]


def _are_bars(marked: Any) -> bool:
    """Tell whether a print is two level bars and nothing else."""
    high, wide = marked.shape
    kinds = ["1" if row > _FULL else "0" if row == 0 else "?" for row in marked.mean(1)]
    bars = "".join(kind for kind, _ in groupby(kinds) if kind != "?")
    return wide >= 1.1 * high and bars == "101" and kinds.count("?") <= 2


def _above_bar(marked: Any) -> Any:
    """Return what stands above the bar at the foot of a print; None without a bar or above it."""
    high, wide = marked.shape
    full = marked.mean(1) > _FULL
    foot = high - int(full[::-1].argmin()) if not full.all() else 0
    rest = marked[:foot]
    if foot == high or foot < high / 2 or not rest.any():
        return None
    rest = _cut(rest)
    return rest if rest.shape[1] >= 0.7 * wide else None


def _crossed(marked: Any) -> str:
    """Return `+` or `×` for two strokes that cross in the middle of a square."""
    import numpy  # heavy, so late

    high, wide = marked.shape
    if not 0.75 <= wide / high <= 1.45:
        return ""
    across, down = marked.mean(1) > _FULL, marked.mean(0) > _FULL
    if _is_stroke(across) and _is_stroke(down):
        middles = (numpy.flatnonzero(across).mean() / high, numpy.flatnonzero(down).mean() / wide)
        stray = marked[~across][:, ~down].sum() / marked.sum()
        if stray <= _STRAY and all(0.35 < middle < 0.65 for middle in middles):
            return "+"
    y, x = (numpy.arange(high) + 0.5) / high, (numpy.arange(wide) + 0.5) / wide
    off = numpy.minimum(abs(y[:, None] - x), abs(y[:, None] + x - 1))
    core = (off < 0.05) & (abs(x - 0.5) < 0.4)  # a stroke's end may be cut off aslant
    is_cross = marked[off > 0.3].sum() <= _STRAY * marked.sum() and marked[core].mean() > 0.9
    return "×" if is_cross else ""


def _is_stroke(full: Any) -> bool:
    """Tell whether the full rows or columns of a print are one stroke."""
    edges = int((full[1:] != full[:-1]).sum()) + int(full[0]) + int(full[-1])
    return edges == 2 and full.mean() < 0.4


def _wedge(marked: Any) -> str:
    """Return `<`, `>`, or `≤` and `≥` with a slanting bar, for two straight arms of one tip."""
    for name, slanted, turned in (("<", "≤", marked), (">", "≥", marked[:, ::-1])):
        high, wide = turned.shape
        if wide < 0.6 * high or turned[:, wide // 10].mean() > 0.5:
            continue
        arms = [_strokes(column) for column in turned.T[round(0.35 * wide) : round(0.9 * wide)]]
        counts = {len(strokes) for strokes in arms}
        if len(counts) != 1 or not counts <= {2, 3} or len(arms) < 3:
            continue
        slopes = [_slope([strokes[arm] / high for strokes in arms]) for arm in range(max(counts))]
        if any(slope is None for slope in slopes):
            continue
        up, low, *bar = (slope * len(arms) for slope in slopes if slope is not None)
        tip, end = arms[0], arms[-1]
        is_wedge = up < -0.1 and low > 0.1 and 0.5 < -up / low < 2
        opens = tip[1] - tip[0] < 0.7 * (end[1] - end[0])
        if is_wedge and opens and (not bar or 0.6 < bar[0] / low < 1.6):
            return slanted if bar else name
    return ""


def _strokes(column: Any) -> list[float]:
    """Return the middles of the strokes that cross a column of a print."""
    edges = [at for at in range(1, len(column)) if column[at] != column[at - 1]]
    bounds = [*([0] if column[0] else []), *edges, *([len(column)] if column[-1] else [])]
    return [(start + end) / 2 for start, end in zip(bounds[::2], bounds[1::2], strict=True)]


def _slope(places: Sequence[float]) -> float | None:
    """Return by how much places rise a step; None if they are not on a straight line."""
    import numpy  # heavy, so late

    steps = numpy.arange(len(places))
    slope, start = numpy.polyfit(steps, places, 1)
    apart = abs(start + slope * steps - places).max()
    return float(slope) if apart < 0.06 else None


def _solid(marked: Any) -> str:
    """Return `►` for a solid triangle, `•` for a disc, a square or a diamond."""
    import numpy  # heavy, so late

    high, wide = marked.shape
    if not 0.6 <= wide / high <= 1.5:
        return ""
    columns, rows = marked.sum(0) / high, marked.sum(1) / wide
    x = (numpy.arange(wide) + 0.5) / wide
    if abs(columns - (1 - x)).max() < 0.15:
        return "►"
    half = (numpy.maximum.accumulate(columns) - columns)[: wide // 2].max(initial=0.0)
    tall = (numpy.maximum.accumulate(rows) - rows)[: high // 2].max(initial=0.0)
    mirrored = (marked ^ marked[:, ::-1]).sum() + (marked ^ marked[::-1]).sum()
    even = mirrored <= 0.2 * marked.sum() and max(half, tall) < 0.1
    full = marked[high // 2].all() and marked[:, wide // 2].all() and marked.mean() > 0.48
    return "•" if even and full else ""


def _bracket(marked: Any) -> str:
    """Return `(` or `)` for a thin bow."""
    high, wide = marked.shape
    if wide < 4 or any(len(_strokes(row)) != 1 for row in marked):
        return ""
    places = [_strokes(row)[0] / wide for row in marked]
    top, quarter, centre, low, foot = (places[round(at * (high - 1) / 4)] for at in range(5))
    if abs(top - foot) > 0.2 or abs(quarter - low) > 0.2:
        return ""
    bow, early = (top + foot) / 2 - centre, (quarter + low) / 2 - centre
    if abs(bow) < 0.25 or not 0.05 < early / bow < 0.6:
        return ""
    return "(" if bow > 0 else ")"
