"""The amount at a number, in base units, so that 3 g and 3,000 mg are one. Pure."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

from chat.verification.quantities.reading import read
from chat.verification.quantities.types import Interval

_LOOK_CHARS = 40  # behind a number: its unit, or the other end of its range


@lru_cache(maxsize=4096)
def amount_at(text: str, start: int) -> str:
    """`3000 mg` for a number with a unit that begins there; empty without one.

    Degrees Fahrenheit are rounded to a tenth of a degree Celsius, as clinical thermometers show.
    """
    found = read(text[start : start + _LOOK_CHARS]).quantities
    units = [each for one in found[:1] if one.start == 0 for each in one.readings if each.unit]
    return _written(units[0]) if units else ""


def _written(interval: Interval) -> str:
    ends = [end for end in (interval.low, interval.high) if end is not None]
    if interval.unit != "°f":
        return f"{'..'.join(map(str, ends))} {interval.unit}"
    celsius = [round((end - 32) * Fraction(5, 9), 1) for end in ends]
    return f"{'..'.join(str(Fraction(each)) for each in celsius)} °c"
