"""Read all quantities of a text once: values, frequencies, names with digits, codes. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache

from core.language.en.quantities.bounds import Bound, bound_after, bound_before
from core.language.en.quantities.codes import blanked, codes_of, names_of, ratios_of
from core.language.en.quantities.levelling import LABELS, levelled
from core.language.en.quantities.often import frequencies_of, occasions_of
from core.language.en.quantities.types import NUMBER, Interval, Quantity, Reading, scaled, value_of
from core.language.en.quantities.units import MONTHS, SECONDS, UNIT, unit_of

_SIGN = r"(?:(?<![\w)%-])-|minus\s)?"
_QUANTITY = re.compile(
    rf"(?<![\w^])(?<!\d\.)(?P<low>{_SIGN}{NUMBER})(?!\d|\.\d|/\d|e-?\d)(?P<unit>{UNIT})?"
    rf"(?:(?P<by>\s?-\s?|\sto\s|\sthrough\s|\sup\sto\s)"
    rf"(?P<high>{_SIGN}{NUMBER})(?!\d|\.\d|/\d|e-?\d)(?P<unit2>{UNIT})?)?"
)
_LABEL = re.compile(rf"(?<![a-z])({LABELS})s?\s?$")
_LOOK_CHARS = 100


@lru_cache(maxsize=4096)
def read(text: str) -> Reading:
    """Read the quantities of a text. Labels above a row's cells give their numbers a unit."""
    return _read(levelled(text))


def _read(text: str) -> Reading:
    codes: set[str] = set()
    text = blanked(text, codes_of(text, codes))
    often = frequencies_of(text)
    occasions = occasions_of(text)
    plain, text = text, blanked(text, [(one.start, one.end) for one in often])
    ratios: list[Quantity] = []
    names: list[tuple[str, str]] = []
    text = blanked(text, ratios_of(text, ratios))
    text = blanked(text, names_of(text, names, codes))
    quantities = (*ratios, *listed(list(_quantities(text, plain)), text))
    return Reading(quantities, often, occasions, tuple(names), frozenset(codes), text)


def _quantities(text: str, plain: str) -> Iterator[Quantity]:
    """Yield the numbers of `text`, with bounds read in `plain`: `maximum daily dose 4 g`."""
    place = 0
    while match := _QUANTITY.search(text, place):
        part = match.groupdict()
        is_range = part["high"] is not None and _is_range(match)
        end = match.end() if is_range or part["high"] is None else match.start("by")
        yield _quantity(match, text, plain, is_range=is_range, end=end)
        place = max(end, match.start() + 1)


def _is_range(match: re.Match[str]) -> bool:
    low, high = _ends(match)
    return low.unit == high.unit and (low.low or 0) < (high.high or 0)


def _ends(match: re.Match[str]) -> tuple[Interval, Interval]:
    """Return both ends of a range; a unit or power of ten of one applies to the other."""
    unit, unit2 = match["unit"] or match["unit2"] or "", match["unit2"] or match["unit"] or ""
    low, high = match["low"], match["high"]
    if "e" in high and "e" not in low:
        low += high[high.index("e") :]
    return _exact(low, unit), _exact(high, unit2)


def _exact(number: str, written_unit: str) -> Interval:
    base, worth = unit_of(written_unit)
    value = value_of(number) * worth
    places = len(number.partition(".")[2].partition("e")[0])
    return Interval(value, value, base, places=places)


def _quantity(match: re.Match[str], text: str, plain: str, *, is_range: bool, end: int) -> Quantity:
    interval = _interval(match, text, is_range=is_range)
    bound = bound_before(plain, match.start())
    after, end = bound_after(text, end) if not bound.side else (bound, end)
    used = bound if bound.side else after
    readings = _bounded(interval, used)
    numbers = frozenset((match["low"], match["high"]) if is_range else (match["low"],))
    return Quantity(readings, match.start(), end, numbers)


def _interval(match: re.Match[str], text: str, *, is_range: bool) -> Interval:
    """Return a number without bounds; without a unit, its label takes the unit's place."""
    interval = _exact(match["low"], match["unit"] or "")
    if is_range:
        interval, second = _ends(match)
        places = max(interval.places, second.places)
        interval = replace(interval, high=second.high, places=places)
    label = _LABEL.search(text[max(0, match.start() - _LOOK_CHARS) : match.start()])
    return replace(interval, unit=f"@{label[1]}") if label and not interval.unit else interval


def _bounded(interval: Interval, bound: Bound) -> tuple[Interval, ...]:
    """Return both readings of `over 30 minutes`: a duration and a bound."""
    if not bound.side:
        return (interval,)
    low_side = bound.side == "low"
    limited = replace(
        interval,
        low=interval.low if low_side or not interval.is_exact else None,
        high=None if low_side and interval.is_exact else interval.high,
        low_open=low_side and bound.is_open,
        high_open=not low_side and bound.is_open,
    )
    is_duration = bound.word.split()[0] == "over" and interval.unit in (SECONDS, MONTHS)
    return (limited, interval) if is_duration else (limited,)


_WRITTEN_UNIT = re.compile(
    rf"-?{NUMBER}(?P<first>{UNIT})?"
    rf"(?:(?:\s?-\s?|\s(?:to|through|up to)\s)-?{NUMBER})?(?P<unit>{UNIT})?"
)
_LIST = re.compile(
    r"\s?(?:,|or|and|but|,\s?or|,\s?and|/)\s?"
    r"(?:(?:less|fewer|younger|up|not|more|older|than|to|under|below)\s|[<≤]\s?){0,3}"
)


def listed(found: list[Quantity], text: str) -> list[Quantity]:
    """Read `5, 10 and 20 mg`, where the unit is given once, and `days 1, 3 and 7`."""
    unit, worth = "", Fraction(1)
    for index in range(len(found) - 1, -1, -1):
        one = found[index]
        if any(reading.unit for reading in one.readings):
            written = _WRITTEN_UNIT.match(text, one.start)
            unit, worth = (
                unit_of(written["first"] or written["unit"] or "") if written else ("", Fraction(1))
            )
        elif unit and index + 1 < len(found) and _adjoin(one, found[index + 1], text):
            readings = (*one.readings, *(scaled(r, worth, unit) for r in one.readings))
            found[index] = replace(one, readings=readings)
        else:
            unit = ""
    for index in range(1, len(found)):
        before, one = found[index - 1], found[index]
        if _adjoin(before, one, text) and all(not reading.unit for reading in one.readings):
            label = before.readings[0].unit
            if label.startswith("@"):
                readings = tuple(replace(r, unit=label) for r in one.readings)
                found[index] = replace(one, readings=readings)
    return found


def _adjoin(one: Quantity, after: Quantity, text: str) -> bool:
    return bool(_LIST.fullmatch(text[one.end : after.start]))
