"""Types of numbers as written and as read. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from decimal import Decimal
from fractions import Fraction


@dataclass(frozen=True)
class Interval:
    """Values from `low` to `high` in `unit`; None means no bound on that side.

    `unit` is a dimension in base units (`g/g/s`), a label before the number (`@type` and the like),
    or empty for a bare number.
    """

    low: Fraction | None
    high: Fraction | None
    unit: str = ""
    low_open: bool = False
    high_open: bool = False
    places: int = field(default=0, compare=False)  # decimals as written, for temperatures

    @property
    def is_exact(self) -> bool:
        return self.low == self.high

    @property
    def ends(self) -> set[Fraction]:
        return {end for end in (self.low, self.high) if end is not None}


@dataclass(frozen=True)
class Quantity:
    """A number, range or bound at `[start, end)` of the normalised text."""

    readings: tuple[Interval, ...]  # one, or several where the text leaves it open
    start: int
    end: int
    written: frozenset[str] = frozenset()  # its numbers as they stand there


@dataclass(frozen=True)
class Frequency:
    """A frequency, in times a day or month, at `[start, end)` of the normalised text."""

    rate: Interval
    start: int
    end: int


@dataclass(frozen=True)
class Reading:
    """All quantities of a text."""

    quantities: tuple[Quantity, ...] = ()
    frequencies: tuple[Frequency, ...] = ()
    occasions: frozenset[str] = frozenset()  # `night`, `morning`, `as needed`, `stat`
    names: tuple[tuple[str, str], ...] = ()  # `("il", "6")`: letters, then digits
    codes: frozenset[str] = frozenset()  # dates, ratios of two numbers, `1555a`
    text: str = ""  # levelled, with what was read as something else blanked out


# Longer ones are read as codes: no amount has so many digits, and they cost time.
NUMBER = r"(?:\d{1,20}(?:\.\d{1,20})?(?:e-?\d{1,2}(?!\d))?)"


def value_of(number: str) -> Fraction:
    """Parse `0.5`, `-2`, `minus 2` or `50e9` exactly."""
    return Fraction(number.replace("minus ", "-"))


def written(value: Fraction) -> str:
    """Return a terminating value in digits."""
    exact = Decimal(value.numerator) / Decimal(value.denominator)
    return f"{exact.normalize():f}"


def scaled(interval: Interval, worth: Fraction, unit: str) -> Interval:
    """Convert to base units, where one unit equals `worth`."""
    return replace(
        interval,
        low=None if interval.low is None else interval.low * worth,
        high=None if interval.high is None else interval.high * worth,
        unit=unit,
    )
