"""Read frequencies: `twice daily`, `every 12 hours`, `BD` and `12-hourly` are one. Pure.

A rate is in times a day; for months and years, in times a month.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from fractions import Fraction

from core.language.en.quantities.bounds import Bound, bound_after, bound_before
from core.language.en.quantities.types import Frequency, Interval
from core.language.en.quantities.units import MONTHS, UNITS

PER_DAY, PER_MONTH = "/day", "/month"
_DAY_S = 86400
_NUMBER = r"\d{1,6}(?:\.\d{1,6})?"
_UP_TO = r"\s?(?:-|to|or)\s?"
_TIME = (
    r"(?:seconds?|secs?|minutes?|mins?|hours?|hrs?|h|days?|d|weeks?|wks?|fortnights?|months?|mths?"
    r"|years?|yrs?)(?![a-z0-9])"
)
_ADVERBS = {
    "hourly": "hour", "daily": "day", "weekly": "week", "fortnightly": "fortnight",
    "monthly": "month", "yearly": "year", "annually": "year", "nightly": "day",
}  # fmt: skip
_ADVERB = "|".join(_ADVERBS)
_WORDS = {"once": 1, "twice": 2, "thrice": 3}
_ABBREVIATIONS = {
    r"o\.?d|q\.?d": 1, r"b\.?d|b\.?i\.?d|b\.?d\.?s": 2,
    r"t\.?d\.?s|t\.?i\.?d": 3, r"q\.?d\.?s|q\.?i\.?d": 4,
}  # fmt: skip
_COUNT = (
    rf"(?:(?P<low>{_NUMBER})(?:{_UP_TO}(?P<high>{_NUMBER}))?[\s-]?(?:times|time|doses|x)"
    rf"|(?P<word>once|twice|thrice)(?:{_UP_TO}(?:(?P<word2>twice|thrice)|(?P<high2>{_NUMBER})[\s-]times))?)"
)
_IN_PERIOD = (
    rf"(?:[\s-](?P<adverb>{_ADVERB})(?![a-z])|(?:\s(?:in\s)?(?:an?|every|each|in|per|in\sany)\s|/)"
    rf"(?P<span>{_NUMBER})?[\s-]?(?P<period>{_TIME}|night(?![a-z])|morning(?![a-z])))"
)
_COUNTED = re.compile(rf"(?<![a-z0-9.-]){_COUNT}{_IN_PERIOD}")
_EVERY = re.compile(
    rf"(?:(?<![a-z0-9])(?:every|each)\s|(?<![a-z0-9])q\.?\s?(?=\d)|(?<=[a-z0-9%])/(?=\d|d|w|mo|y|fort))"
    rf"(?:(?P<low>{_NUMBER})(?:{_UP_TO}(?P<high>{_NUMBER}))?[\s-]?)?(?P<period>{_TIME})"
)
_LY = re.compile(
    rf"(?<![a-z0-9.])(?:(?P<low>{_NUMBER})(?:{_UP_TO}(?P<high>{_NUMBER}))?[\s-]?(?:times\s)?)?(?P<adverb>{_ADVERB})(?![a-z])"
)
_ALTERNATE = re.compile(
    r"(?<![a-z])(?:every\s(?:other|second|2nd)|(?:on\s)?alternate|alternating|every\salternate)[\s-](?P<period>day|week|month)s?(?![a-z])"
)
# `20 mg/kg 8 H`, as tables of doses have it.
_AFTER_DOSE = re.compile(
    rf"(?<![a-z])(?:mg|mcg|µg|g|kg|ml|iu|units?|doses?)\s(?P<low>{_NUMBER})"
    rf"(?:\s?-\s?(?P<high>{_NUMBER}))?\s?(?P<period>h)(?![a-z0-9])"
)
_QOD = re.compile(r"(?<![\w.])q\.?o\.?d\.?(?![a-z0-9/])")
_ABBREVIATED = [
    (re.compile(rf"(?<![\w.])(?:{pattern})\.?(?![a-z0-9/-])"), Fraction(count))
    for pattern, count in _ABBREVIATIONS.items()
]
# `15 units a day`, but not `within a day`, whose article is a number by now.
_A_PERIOD = re.compile(
    r"(?<=[a-z%])\s(?:an?\s(?=hour(?!\s(?:before|after|later|ago|or|and|of|to)))|(?:an?|in\sa|in\sany|in)\s(?:1\s)?(?!hour))(?P<period>hour|day|week|month|year|24[\s-]?(?:hours?|hrs?|h)|1440\smin\w*)(?![a-z])(?!\s(?:before|after|later|ago|or|past|to)(?![a-z]))"
)
_OTHER_WORDS = re.compile(
    r"(?<![a-z])(?:annual|every\s(?:day|night|morning|evening)|each\s(?:day|night|morning))(?![a-z])"
)
OCCASIONS = (
    (
        "night",
        re.compile(
            r"(?<![a-z])(?:at\s(?:night|bedtime)|nightly|nocte|(?:every|each)\snight|before\sbed(?:time)?|on\snights?)(?![a-z])"
        ),
    ),
    ("morning", re.compile(r"(?<![a-z])(?:(?:in\sthe|every|each)\smorning|mane)(?![a-z])")),
    (
        "as needed",
        re.compile(
            r"(?<![a-z.])(?:p\.?r\.?n\.?(?![a-z])|(?:as|when|if|where)(?:ever)?\s(?:needed|required|necessary)(?![a-z]))"
        ),
    ),
    ("stat", re.compile(r"(?<![a-z])stat(?![a-z])")),
)


def frequencies_of(text: str) -> tuple[Frequency, ...]:
    """Return the frequencies of a normalised text, in order; of overlapping ones the longer."""
    found = sorted(_all(text), key=lambda one: (one.start - one.end, one.start))
    kept: list[Frequency] = []
    for one in found:
        if all(one.end <= other.start or other.end <= one.start for other in kept):
            kept.append(one)
    return tuple(sorted((_bounded(text, one) for one in kept), key=lambda one: one.start))


def occasions_of(text: str) -> frozenset[str]:
    """Return times of the day and other occasions that are not by the clock."""
    return frozenset(name for name, pattern in OCCASIONS if pattern.search(text))


def _all(text: str) -> Iterator[Frequency]:
    for pattern, rate in _RATES:
        for match in pattern.finditer(text):
            start = match.start("low" if pattern is _AFTER_DOSE else 0)
            yield Frequency(rate(match), start, match.end())
    for pattern, count in _ABBREVIATED:
        for match in pattern.finditer(text):
            yield Frequency(_rate(count, count, 1, "day"), match.start(), match.end())


def _counted(match: re.Match[str]) -> Interval:
    part = match.groupdict()
    low = Fraction(part["low"]) if part["low"] else Fraction(_WORDS[part["word"]])
    high = low
    if part["high"] or part["high2"]:
        high = Fraction(part["high"] or part["high2"])
    elif part["word2"]:
        high = Fraction(_WORDS[part["word2"]])
    period = _ADVERBS[part["adverb"]] if part["adverb"] else part["period"]
    return _rate(low, high, Fraction(part["span"] or 1), period)


def _every(match: re.Match[str]) -> Interval:
    """Return `every 6 to 8 hours` as 3 to 4 times a day."""
    part = match.groupdict()
    low = Fraction(part["low"] or 1) or Fraction(1)
    high = Fraction(part["high"] or low) or low
    period = _ADVERBS[part["adverb"]] if part.get("adverb") else part["period"]
    slow, fast = _once(period, high), _once(period, low)
    return Interval(slow.low, fast.high, fast.unit)


def _rate(low: Fraction, high: Fraction, span: Fraction | int, period: str) -> Interval:
    """Return `low` to `high` times in `span` periods."""
    if period in ("night", "morning", "nightly"):
        period = "day"
    base, worth = UNITS[period]
    per = PER_MONTH if base == MONTHS else PER_DAY
    length = worth * (span or 1) / (1 if base == MONTHS else _DAY_S)
    return Interval(low / length, high / length, per)


def _once(period: str, span: Fraction | int = 1) -> Interval:
    return _rate(Fraction(1), Fraction(1), span, period)


# Of two readings of the same words, the one that stands first here counts.
_RATES: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], Interval]], ...] = (
    (_COUNTED, _counted),
    (_EVERY, _every),
    (_LY, _every),
    (_ALTERNATE, lambda match: _once(match["period"], 2)),
    (_A_PERIOD, lambda m: _once("day" if m["period"][0].isdigit() else m["period"])),
    (_AFTER_DOSE, _every),
    (_QOD, lambda match: _once("day", 2)),
    (_OTHER_WORDS, lambda match: _once("year" if match[0] == "annual" else "day")),
)


def _bounded(text: str, one: Frequency) -> Frequency:
    """Apply a preceding `up to`; for an interval, `at least every 8 hours` is 3 or more a day."""
    is_counted = bool(
        re.match(
            r"\d[\d.]*(?:\s?(?:-|to|or)\s?[\d.]+)?[\s-]?(?:times|x|doses)|once|twice|thrice",
            text[one.start : one.end],
        )
    )
    is_counted = is_counted or text.startswith("every", one.start)
    bound = bound_before(text, one.start)
    if bound.side and (
        is_counted
        or bound.word.startswith(("at least", "at most", "up to", "no more", "not more", "no less"))
    ):
        return Frequency(_with_bound(one.rate, bound), bound.start, one.end)
    after, end = bound_after(text, one.end)
    if (
        after.side
        and is_counted
        and not re.match(r".*(?:older|younger|over|above|under|below)", after.word)
    ):
        return Frequency(_with_bound(one.rate, after), one.start, end)
    return one


def _with_bound(rate: Interval, bound: Bound) -> Interval:
    if not rate.is_exact:
        return rate
    if bound.side == "low":
        return Interval(rate.low, None, rate.unit, low_open=bound.is_open)
    return Interval(None, rate.high, rate.unit, high_open=bound.is_open)
