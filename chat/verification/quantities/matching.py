"""Whether what is said stands in what is quoted. Pure."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from fractions import Fraction

from chat.verification.quantities.numbers import value_of
from chat.verification.quantities.types import Interval, Quantity, Role
from chat.verification.types import Label

_TEMPERATURES = {"°c", "°f"}
# What the quote may call a time that the claim gives a role to.
_MAY_BE = {
    Role.NONE: {Role.NONE, Role.AGE},  # an age is written without its unit, too
    Role.UNKNOWN: set(Role),
    Role.DURATION: {Role.DURATION, Role.UNKNOWN},
    Role.MOMENT: {Role.MOMENT, Role.UNKNOWN, Role.DURATION, Role.AGE},
    Role.AGE: {Role.AGE, Role.UNKNOWN, Role.MOMENT, Role.NONE},
}


def stands_in(said: Quantity, quoted: Iterable[Quantity]) -> bool:
    """Whether a quantity of the quotes says the same: value, unit, bounds and role."""
    return any(
        other.role in _MAY_BE[said.role]
        and _shared(said.readings, other.readings)
        and (not said.side or not other.side or said.side == other.side)
        for other in quoted
    )


def is_of_another(said: Quantity, quoted: Iterable[Quantity]) -> bool:
    """Whether the word that it stands behind has, wherever a number of that unit follows it in the
    quotes, another one: `doxycycline 500 mg` of `amoxicillin 500 mg or doxycycline 100 mg`.
    """
    units = {reading.unit for reading in said.readings}
    same_subject = [
        one
        for one in quoted
        if said.subject and one.subject == said.subject and units & {r.unit for r in one.readings}
    ]
    return bool(same_subject) and not stands_in(said, same_subject)


def is_said_too_often(one: Quantity, said: Sequence[Quantity], quoted: Sequence[Quantity]) -> bool:
    """`10 or 10 mg` of `5 or 10 mg`: one number took the place of another.

    `1 g (1,000 mg)` says one thing in two ways.
    """
    numbers = set(map(value_of, one.written))
    alike = [other for other in said if set(map(value_of, other.written)) == numbers]
    return _count(one, alike) > max(1, _count(one, quoted))


def _count(one: Quantity, others: Iterable[Quantity]) -> int:
    return sum(stands_in(one, [other]) for other in others)


def same(said: Interval, quoted: Interval) -> bool:
    """One value after exact conversion, with the same bounds."""
    if {said.unit, quoted.unit} == _TEMPERATURES:
        return _same_temperature(said, quoted)
    if "" in (said.unit, quoted.unit) and "@" in said.unit + quoted.unit:
        said, quoted = replace(said, unit=""), replace(quoted, unit="")
    return said == quoted


def why_not(said: Quantity, quoted: Sequence[Quantity]) -> tuple[Label, str]:
    """What the quotes have instead; they contradict where they have a value of that unit."""
    intervals = [reading for one in quoted for reading in one.readings]
    units = {reading.unit for reading in said.readings}
    ends = {end for reading in said.readings for end in reading.ends}
    alike = [one for one in intervals if one.unit in units]
    if any(_shared(said.readings, other.readings) for other in quoted):
        return Label.CONTRADICTED, "number of something else in the quote"
    if any(ends & one.ends for one in alike):
        return Label.CONTRADICTED, "bound differs from the quote"
    if any(said.written & other.written for other in quoted):
        return Label.CONTRADICTED, "unit not in the quote"
    return (Label.CONTRADICTED if alike else Label.NOT_FOUND), "number not in the quote"


def _shared(one: Sequence[Interval], other: Sequence[Interval]) -> bool:
    return any(same(a, b) for a in one for b in other)


def _same_temperature(said: Interval, quoted: Interval) -> bool:
    """Each rounds to the other at the precision that the other is written with."""
    return (
        (said.low_open, said.high_open) == (quoted.low_open, quoted.high_open)
        and _same_degrees(said.low, quoted.low, said, quoted)
        and _same_degrees(said.high, quoted.high, said, quoted)
    )


def _same_degrees(
    one: Fraction | None, other: Fraction | None, said: Interval, quoted: Interval
) -> bool:
    if one is None or other is None:
        return one is other
    there, back = _converted(other, quoted.unit), _converted(one, said.unit)
    return _rounded(there, said.places) == one and _rounded(back, quoted.places) == other


def _converted(degrees: Fraction, unit: str) -> Fraction:
    return (degrees - 32) * 5 / 9 if unit == "°f" else degrees * 9 / 5 + 32


def _rounded(value: Fraction, places: int) -> Fraction:
    """Half up, as people round."""
    return Fraction(math.floor(value * 10**places + Fraction(1, 2)), 10**places)
