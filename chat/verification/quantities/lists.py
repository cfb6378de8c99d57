"""What a list says once for all of it: `5, 10 and 20 mg`, `days 1, 3 and 7`. Pure."""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction

from chat.verification.quantities.numbers import NUMBER, scaled
from chat.verification.quantities.types import Quantity, Role
from chat.verification.quantities.units import MONTHS, UNIT, unit_of

_WRITTEN_UNIT = re.compile(
    rf"-?{NUMBER}(?P<first>{UNIT})?"
    rf"(?:(?:\s?-\s?|\s(?:to|through|up to)\s)-?{NUMBER})?(?P<unit>{UNIT})?"
)
_LIST = re.compile(
    r"\s?(?:,|or|and|but|,\s?or|,\s?and|/)\s?"
    r"(?:(?:less|fewer|younger|up|not|more|older|than|to|under|below)\s|[<≤]\s?){0,3}"
)


def listed(found: list[Quantity], text: str) -> list[Quantity]:
    """`5, 10 and 20 mg`: the unit stands once; `days 1, 3 and 7`: the label does."""
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
            found[index] = replace(one, readings=readings, role=found[index + 1].role)
        else:
            unit = ""
    for index in range(1, len(found)):
        before, one = found[index - 1], found[index]
        if _adjoin(before, one, text) and all(not reading.unit for reading in one.readings):
            found[index] = _like(before, one)
    return found


def _like(before: Quantity, one: Quantity) -> Quantity:
    """A bare number of a list, with what the one before it is: a label, an age."""
    label = before.readings[0].unit
    if label.startswith("@"):
        return replace(one, readings=tuple(replace(r, unit=label) for r in one.readings))
    if before.role is Role.AGE and not label:
        years = (scaled(r, Fraction(12), MONTHS) for r in one.readings)
        return replace(one, readings=(*one.readings, *years), role=Role.AGE)
    return one


def _adjoin(one: Quantity, after: Quantity, text: str) -> bool:
    return bool(_LIST.fullmatch(text[one.end : after.start]))
