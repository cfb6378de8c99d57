"""Tell whether the quantities of a claim occur in its evidence. Pure."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache

from core.language.en.negation import negations
from core.language.en.quantities.codes import PAIR, SIDES
from core.language.en.quantities.levelling import levelled
from core.language.en.quantities.reading import read
from core.language.en.quantities.types import Interval, Quantity, Reading, scaled, value_of
from core.language.en.quantities.units import LABEL_UNIT, unit_of

_TEMPERATURES = {"°c", "°f"}
_DAILY = Interval(Fraction(1), Fraction(1), "/day")
_SECONDS = "s"
_DAY_S, _HOUR_S = 86400, 3600
_EACH_HOUR = Interval(Fraction(24), Fraction(24), "/day")
# Of codes: `14f` is a size, `#2` the second, `140/90` two pressures.
_DIGITS = re.compile(r"(?<![\d.])\d{1,6}(?:\.\d{1,6})?(?![\d.])")
_LONG_CODE = 6  # signs behind the letters of a name: no name of a thing has so many
_AGE = re.compile(r"\bage[sd]?\b")
_YEAR = ("month", Fraction(12))
_AMOUNTS = frozenset(("iu", "tablet", "puff", "g/g", "g/s", "l", "l/g"))
_LEAST_BODY_G = 250  # what weighs less is a dose
_SMALL = 4  # up to which things that are listed are counted: `three drugs`
_HOURLY = re.compile(r"(?:/|per |an |each |every )(?:1 )?h(?:ou)?r?s?(?![a-z])|hourly")
_HOW_OFTEN = re.compile(r"frequen|times|per day|a day|daily|interval")


@dataclass(frozen=True)
class Held:
    """The quantities of several texts together, such as a row and its column heads."""

    intervals: tuple[Interval, ...]
    bare: tuple[Interval, ...]  # of these, the ones without a unit
    numbers: frozenset[Fraction]  # as written, whatever the unit
    sides: frozenset[tuple[Fraction, str]]  # each number with its bound: `low`, `high` or empty
    label_units: tuple[tuple[str, Fraction], ...]  # of column heads: dimension and worth
    rates: tuple[Interval, ...]
    names: tuple[tuple[str, str], ...]
    codes: frozenset[str]
    says_how_often: bool  # somewhere, if only at the head of a column
    says_hourly: bool  # of a rate, such as `mL/h`
    negates: bool  # somewhere: `not above 5` is `5 or below`, and `avoid above 5` nearly


@lru_cache(maxsize=1024)
def held(texts: tuple[str, ...]) -> Held:
    """Read several texts together."""
    readings = [read(text) for text in texts]
    quantities = [one for reading in readings for one in reading.quantities]
    intervals = [each for one in quantities for each in one.readings]
    codes = frozenset[str]().union(*(reading.codes for reading in readings))
    in_codes = {value_of(n) for code in codes if code[:4] != "date" for n in _DIGITS.findall(code)}
    sides = _sides(quantities)
    sides |= {(number, "") for number in in_codes - {number for number, _ in sides}}
    names = {name for text in texts for name in LABEL_UNIT.findall(levelled(text))}
    labels = {_YEAR} if any(_AGE.search(text.lower()) for text in texts) else set()
    labels |= {unit_of(part) for name in names for part in (name, name.partition("/")[0])}
    return Held(
        tuple(intervals),
        tuple(one for one in intervals if not one.unit),
        frozenset(value_of(number) for one in quantities for number in one.written) | in_codes,
        frozenset(sides),
        tuple(sorted(labels)),
        tuple(one.rate for reading in readings for one in reading.frequencies),
        tuple(name for reading in readings for name in reading.names),
        codes,
        any(_HOW_OFTEN.search(reading.text) for reading in readings),
        any(_HOURLY.search(levelled(text)) for text in texts),
        any(negations(text) for text in texts),
    )


def not_held(claim: str, evidence: Held, asked: Held | None = None) -> str:
    """Return the first quantity of the claim that the evidence lacks, in words; empty if none.

    A number of the question may be repeated, with or without a unit, unless it is an amount of
    medicine: amounts are what is asked for. A bound may be left out or, except to an amount, added
    to a value of the evidence, but not reversed, with or without a unit. Quantities that only the
    evidence has don't matter.
    """
    said = read(claim)
    if negations(claim) or evidence.negates:
        evidence = replace(evidence, intervals=(*evidence.intervals, *_turned(evidence.intervals)))
    for one in said.quantities:
        if asked and _repeats(one, asked, evidence):
            continue
        if not any(_stands(each, one, said, evidence) for each in one.readings):
            return f"number not in the evidence: {'-'.join(sorted(one.written))}"
    rates = [one.rate for one in said.frequencies]
    known = (*evidence.rates, *(asked.rates if asked else ()))
    for rate in rates:
        if not any(_same(rate, one) for one in known) and not _is_rate_held(rate, rates, evidence):
            return "frequency not in the evidence"
    codes = _with_bounds(evidence) | (asked.codes if asked else set())
    if missing := {code for code in said.codes - codes if not code.startswith("#")}:
        return f"not in the evidence: {min(missing)}"
    stems = {stem for stem, _ in evidence.names}
    for stem, rest in set(said.names) - set(evidence.names):
        if stem not in stems and len(rest) < _LONG_CODE:
            continue
        return "number of a name not in the evidence"
    return ""


def _with_bounds(evidence: Held) -> set[str]:
    """Return the codes, and with a bound those pairs that have none or are negated."""
    pairs = {code for code in evidence.codes if code.startswith(PAIR) and not code.endswith(SIDES)}
    free = {p for p in pairs if evidence.negates or not {p + s for s in SIDES} & evidence.codes}
    return {*evidence.codes, *(pair + side for pair in free for side in SIDES)}


def _sides(quantities: Iterable[Quantity]) -> set[tuple[Fraction, str]]:
    """Return each number as written, with each bound that a reading gives it."""
    return {
        (value_of(number), _side(reading))
        for one in quantities
        for number in one.written
        for reading in one.readings
    }


def _side(one: Interval) -> str:
    """Return `low` for a minimum, `high` for a maximum; empty for a value or a whole range."""
    if one.high is None:
        return "low"
    return "high" if one.low is None else ""


def _is_told(one: Quantity, text: Held) -> bool:
    """Tell whether a text has the written numbers, none of them only with the opposite bound."""
    sides = {_side(reading) for reading in one.readings}
    either = "" in sides or (text.negates and sides)  # `not above 5` is `5 or below`
    return {value_of(number) for number in one.written} <= (
        text.numbers
        if either
        else {number for number, side in text.sides if side == "" or side in sides}
    )


def _repeats(one: Quantity, asked: Held, evidence: Held) -> bool:
    """Tell whether a claim takes a quantity from the question.

    Amounts of medicine never count, nor a bound on a number that the evidence has itself.
    """
    if not _is_told(one, asked) or any(map(_is_amount, one.readings)):
        return False
    is_bound = "" not in {_side(reading) for reading in one.readings}
    return not (is_bound and {value_of(number) for number in one.written} & evidence.numbers)


def _is_amount(said: Interval) -> bool:
    """Tell whether a quantity may be a dose, not a body weight, concentration, age or rate."""
    ends = [end for end in (said.low, said.high) if end is not None]
    return said.unit in _AMOUNTS or (said.unit == "g" and max(ends, default=0) < _LEAST_BODY_G)


def counted(text: str) -> frozenset[Hashable]:
    """Return all quantities of a text in base units, equal for texts with the same quantities."""
    found = read(text)
    return (
        frozenset(one.readings for one in found.quantities)
        | frozenset(one.rate for one in found.frequencies)
        | found.occasions
        | frozenset(found.names)
        | found.codes
    )


def _stands(said: Interval, one: Quantity, claim: Reading, evidence: Held) -> bool:
    if _is_amount(said) and _side(said):
        # `At least 500 mg` of `500 mg` invites more.
        evidence = replace(
            evidence, intervals=_limits(evidence.intervals), bare=_limits(evidence.bare)
        )
    if any(_same(said, other) for other in evidence.intervals):
        return True
    if any(_same(said, other) for other in (*_under_labels(evidence), *_per_time(evidence))):
        return True
    if said.unit == _SECONDS and said.is_exact and said.low and not _is_end(said, evidence):
        rate = _DAY_S / said.low  # `36 hours apart` of `every 36 hours`
        return any(one.low == one.high == rate for one in evidence.rates)
    if said.unit in ("", "mmhg") or said.unit.startswith("@"):
        return _is_told(one, evidence) or _is_small_count(said, evidence)
    if not said.is_exact and None not in (said.low, said.high):
        ends = (replace(said, high=said.low), replace(said, low=said.high))
        return all(any(_same(end, other) for other in evidence.intervals) for end in ends)
    return said.is_exact and _is_end_of_told_range(said, claim, evidence)


def _limits(intervals: Iterable[Interval]) -> tuple[Interval, ...]:
    return tuple(one for one in intervals if not one.is_exact)


def _is_end(said: Interval, evidence: Held) -> bool:
    """Tell whether a range of the evidence ends at the value: then only the range supports it."""
    return any(one.unit == said.unit and said.low in one.ends for one in evidence.intervals)


def _is_small_count(said: Interval, evidence: Held) -> bool:
    """Tell whether it is a count such as `three drugs`, which evidence lists without a number."""
    small = (one for one in evidence.bare if one.high is not None and one.high <= 2 * _SMALL)
    is_small = not said.unit and said.is_exact and 2 <= (said.low or 0) <= _SMALL
    return is_small and (said.low or 0).denominator == 1 and not any(small)


def _under_labels(evidence: Held) -> Iterator[Interval]:
    """Yield bare numbers with the units of the column heads."""
    for one, (unit, worth) in itertools.product(evidence.bare, evidence.label_units):
        yield scaled(one, worth, unit)


def _per_time(evidence: Held) -> Iterator[Interval]:
    """Yield rates as amounts per hour or day, and the reverse: `mg/day`, `mg daily`."""
    for one in evidence.intervals:
        for seconds in (_DAY_S, _HOUR_S):
            if one.unit.endswith("/s"):
                yield scaled(one, Fraction(seconds), one.unit.removesuffix("/s"))
            elif one.unit:
                yield scaled(one, Fraction(1, seconds), f"{one.unit}/s")


def _turned(intervals: Iterable[Interval]) -> Iterator[Interval]:
    """Yield the bounds reversed, as under a negation."""
    for one in intervals:
        if None in (one.low, one.high):
            yield replace(one, low=one.high, high=one.low)


def _is_end_of_told_range(said: Interval, claim: Reading, evidence: Held) -> bool:
    """Tell whether both ends of a range are given: `from 40 mg up to 50 mg` for `40 to 50 mg`."""
    told = {(each.low, each.unit) for one in claim.quantities for each in one.readings}
    told |= {(each.high, each.unit) for one in claim.quantities for each in one.readings}
    ranges = [one for one in (*evidence.intervals, *_under_labels(evidence)) if not one.is_exact]
    return any(
        said.low in (one.low, one.high)
        and {(one.low, one.unit), (one.high, one.unit)} <= told
        and one.unit == said.unit
        for one in ranges
    )


def _is_rate_held(said: Interval, told: Sequence[Interval], evidence: Held) -> bool:
    """Tell whether the evidence gives the rate in words other than a frequency."""
    if evidence.says_how_often:
        heads = (replace(one, unit=said.unit) for one in evidence.bare)
        if any(_same(said, one) for one in heads):
            return True
    if said == _EACH_HOUR and evidence.says_hourly:
        return True
    ends = {(one.low, one.unit) for one in told if one.is_exact}
    for one in evidence.rates:  # `BD or TDS` of `2 to 3 times daily`
        if said.low in (one.low, one.high) and {(one.low, one.unit), (one.high, one.unit)} <= ends:
            return True
    # Once a day, where the evidence says `over 24 hours`.
    return said == _DAILY and any(
        one.unit == _SECONDS and _DAY_S in one.ends for one in evidence.intervals
    )


def _same(said: Interval, other: Interval) -> bool:
    """Tell whether values are equal after exact conversion, with bounds on the same side.

    `Above 35` and `35 or above` count as equal: free wording doesn't distinguish them.
    """
    if {said.unit, other.unit} == _TEMPERATURES:
        # Each rounds to the other at the precision that the other is written with.
        return _same_degrees(said.low, other.low, said, other) and _same_degrees(
            said.high, other.high, said, other
        )
    if said.unit != other.unit:
        return False
    if (said.low, said.high) == (other.low, other.high):
        return True
    one, bounded = (said, other) if said.is_exact else (other, said)
    is_bound = None in (bounded.low, bounded.high)
    return one.is_exact and is_bound and one.ends == bounded.ends


def _same_degrees(
    one: Fraction | None, two: Fraction | None, said: Interval, other: Interval
) -> bool:
    if one is None or two is None:
        return one is two
    there, back = _converted(two, other.unit), _converted(one, said.unit)
    return _rounded(there, said.places) == one and _rounded(back, other.places) == two


def _converted(degrees: Fraction, unit: str) -> Fraction:
    return (degrees - 32) * 5 / 9 if unit == "°f" else degrees * 9 / 5 + 32


def _rounded(value: Fraction, places: int) -> Fraction:
    """Round half up, as people do."""
    return Fraction(math.floor(value * 10**places + Fraction(1, 2)), 10**places)
