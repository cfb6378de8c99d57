"""What a list says once for all of it: `5, 10 and 20 mg`, `days 1, 3 and 7`. Pure."""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction

from core.text.quantities.numbers import NUMBER, scaled
from core.text.quantities.types import Quantity
from core.text.quantities.units import UNIT, unit_of

_WRITTEN_UNIT = re.compile(
    rf"-?{NUMBER}(?P<first>{UNIT})?"
    rf"(?:(?:\s?-\s?|\s(?:to|through|up to)\s)-?{NUMBER})?(?P<unit>{UNIT})?"
)
_LIST = re.compile(
    r"\s?(?:,|or|and|but|,\s?or|,\s?and|/)\s?"
    r"(?:(?:less|fewer|younger|up|not|more|older|than|to|under|below)\s|[<≤]\s?){0,3}"
)


def listed(found: list[Quantity], text: str) -> list[Quantity]:
    """Return `5, 10 and 20 mg`: the unit stands once; `days 1, 3 and 7`: the label does."""
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
