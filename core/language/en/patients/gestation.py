"""Find the weeks of pregnancy that a text names. Pure."""

from __future__ import annotations

import math
import re
from dataclasses import replace

from core.language.en.quantities.measures import DAYS, Interval, levelled, measures

_WEEK = 7.0  # days
# Trimesters end before 14 and 28 weeks, as antenatal care in the United Kingdom counts them.
_TRIMESTERS = {
    "first": Interval(0.0, 14 * _WEEK, DAYS, high_open=True),
    "second": Interval(14 * _WEEK, 28 * _WEEK, DAYS, high_open=True),
    "third": Interval(28 * _WEEK, math.inf, DAYS),
}
_TERM = Interval(36 * _WEEK, math.inf, DAYS)  # `near term` begins before 37 weeks
_NEAR_TERM = re.compile(r"\b(?:at|near|close to|until) term\b")
_NTH = r"(?:first|second|third)"
_TRIMESTER = re.compile(rf"\b{_NTH}(?:(?:,| and| or| to)+ {_NTH})*[ -]trimesters?\b")
_OF_FORTY = re.compile(r"\b([4-9]|[1-3]\d|4[0-2])(?:\+\d)?/40\b")  # `38/40`, no blood pressure
_EARLIER = re.compile(r"\bbefore\s+$")
_LATER = re.compile(r"\b(?:after|beyond|past)\s+$")
_LASTS = re.compile(r"\b(?:for|every|over|last(?:s|ing)?|within|in)\s+(?:the |another |up to )?$")


def gestation_of(text: str) -> tuple[Interval, ...]:
    """Return the weeks of pregnancy that a text names, in days; empty where it names none.

    For texts on a pregnancy: weeks count as hers (`at 38 weeks`, `from 36 weeks until birth`)
    unless they are a duration by the word before (`for 7 weeks`).
    """
    level = _OF_FORTY.sub(r"\1 weeks", levelled(text))
    weeks = [
        _TRIMESTERS[name]
        for match in _TRIMESTER.finditer(level)
        for name in re.findall(_NTH, match.group())
    ]
    weeks += [_TERM] if _NEAR_TERM.search(level) else []
    for measure in measures(level):
        before = level[: measure.start]
        if measure.written_unit == "week" and not _LASTS.search(before):
            weeks.append(_weeks(measure.interval, before))
    return tuple(weeks)


def _weeks(interval: Interval, before: str) -> Interval:
    if _LATER.search(before):
        return replace(interval, high=math.inf)
    if _EARLIER.search(before):
        return replace(interval, low=0.0, high_open=True)
    if interval.low == interval.high:  # who is in week 38 is not in week 39 yet
        return replace(interval, high=interval.high + _WEEK, high_open=True)
    return interval
