"""A number as it is written, and what it is worth. Pure."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

from core.text.quantities.types import Interval

# Longer ones are read as codes: no amount has so many digits, and they cost time.
NUMBER = r"(?:\d{1,20}(?:\.\d{1,20})?(?:e\d{1,2}(?!\d))?)"


def value_of(number: str) -> Fraction:
    """Return `0.5`, `-2`, `minus 2` and `50e9` exactly."""
    return Fraction(number.replace("minus ", "-"))


def written(value: Fraction) -> str:
    """In digits, for a value that ends."""
    exact = Decimal(value.numerator) / Decimal(value.denominator)
    return f"{exact.normalize():f}"


def scaled(interval: Interval, worth: Fraction, unit: str) -> Interval:
    """Return the same in base units, where one is worth `worth`."""
    return replace(
        interval,
        low=None if interval.low is None else interval.low * worth,
        high=None if interval.high is None else interval.high * worth,
        unit=unit,
    )
