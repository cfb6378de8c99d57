"""Compare blood pressures, which are two numbers: `185/110`. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

_PAIR = re.compile(r"(?<![\d/.])(\d{2,3})\s?/\s?(\d{2,3})(?![\d/]|\.\d)")
_PAIR_BOUND = re.compile(
    r"(?:(?P<over>above|over|exceed(?:s|ing)?|(?:greater|higher|more) than|>|≥)"
    r"|below|under|(?:less|lower) than|<|≤)\s*(\d{2,3})\s?/\s?(\d{2,3})(?![\d/]|\.\d)",
    re.IGNORECASE,
)
_OR_MORE = re.compile(
    r"(?<![\d/.])(\d{2,3})\s?/\s?(\d{2,3})(?:\s?mm\s?Hg)?"
    r"\s+(?:or|and) (?:more|above|over|higher)\b",
    re.IGNORECASE,
)


def pressures(text: str) -> tuple[tuple[int, int], ...]:
    """Return the blood pressures of a text, in mmHg: systolic and diastolic."""
    return tuple((int(upper), int(lower)) for upper, lower in _PAIR.findall(text))


def is_beyond(values: Sequence[tuple[int, int]], text: str) -> bool:
    """Tell whether one of two pressures lies beyond the bound of its kind: `above 185/110`."""
    at_least = _OR_MORE.findall(text)
    if any(
        upper >= int(top) or lower >= int(low) for top, low in at_least for upper, lower in values
    ):
        return True
    return any(
        (upper > int(top) or lower > int(low)) if over else (upper < int(top) or lower < int(low))
        for over, top, low in _PAIR_BOUND.findall(text)
        for upper, lower in values
    )
