"""Read numbers with bounds and units from a question or a table cell. Pure.

Comparable values are converted to one unit: times of a day and more to days, shorter ones to
minutes, doses to milligrams, weights of people to kilograms (so are grams from 250 on, which no
dose has). Others keep their own unit and are
never compared.
"""

from __future__ import annotations

import math
import re
import unicodedata
from dataclasses import dataclass, replace

from core.language.en.quantities.raised import without_marks
from core.language.en.quantities.weights import LEAST_G, in_one_unit

DAYS = "day"
_SCALES: dict[str, tuple[str, float]] = {
    "day": (DAYS, 1.0), "week": (DAYS, 7.0), "month": (DAYS, 30.4375), "year": (DAYS, 365.25),
    "minute": ("minute", 1.0), "hour": ("minute", 60.0),
    "mcg": ("mg", 0.001), "mg": ("mg", 1.0), "g": ("mg", 1000.0),
    "kg": ("kg", 1.0), "stone": ("kg", 6.35029318), "lb": ("kg", 0.45359237),
    "oz": ("kg", 0.028349523125),
}  # fmt: skip
_NAMES = {
    "kg": "kg kgs kilo kilos kilogram kilograms kilogramme kilogrammes",
    "g": "g gm gms gr gram grams gramme grammes",
    "mg": "mg mgs milligram milligrams", "mcg": "mcg µg ug microgram micrograms",
    "day": "day days", "week": "week weeks wk wks", "month": "month months mth mths mnth mnths mo",
    "year": "year years yr yrs yo y/o y", "hour": "hour hours hr hrs h",
    "minute": "minute minutes min mins", "ml": "ml mls millilitre millilitres",
    "l": "l litre litres", "ml/min": "ml/min ml/minute", "mmol/l": "mmol/l mmol/litre",
    "micromol/l": "micromol/l µmol/l umol/l micromol/litre", "g/l": "g/l", "mg/l": "mg/l",
    "mmhg": "mmhg", "mmol": "mmol", "unit": "unit units iu", "%": "%",
    "lb": "lb lbs pound pounds", "stone": "st stone stones",
    "oz": "oz ozs ounce ounces",
    # Known so that they are not taken for a bare number.
    "cm": "cm", "mm": "mm",
    "micromol": "micromol µmol umol", "kpa": "kpa", "dose": "dose doses",
    "tablet": "tablet tablets",
}  # fmt: skip
_UNITS = {name: unit for unit, names in _NAMES.items() for name in names.split()}
_NUMBER_WORDS = {
    word: str(number)
    for number, word in enumerate(
        "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
        "sixteen seventeen eighteen".split(),
        start=1,
    )
}
_WORDS = "|".join(_NUMBER_WORDS)
_FRACTIONS = {"½": "5", "¼": "25", "¾": "75"}
_KNOWN = "|".join(re.escape(name) for name in sorted(_UNITS, key=len, reverse=True))
_COUNTED = "|".join(
    name for name, unit in _UNITS.items() if _SCALES.get(unit, ("", 0))[0] in (DAYS, "minute", "kg")
)

_NUMBER = r"(?<![\w.,])(?<![a-z]-)(?<!\d/)(?P<{0}>\d+(?:\.\d+)?)(?![\d.]*/\d)(?![\d.]*\^)"
_UNIT = rf"(?:[\s-]*(?P<{{0}}>[a-zµ]+(?:/[a-z]+)+|(?:{_KNOWN})(?![a-zµ])))?"
# A negation turns a bound round, so it belongs to the phrase; the longest phrase stands first.
_HIGH_OPEN = (
    r"(?:up\s+to\s+but\s+not\s+including|(?:less|lower|fewer|younger|lighter)\s+than|under|below|<)"
)
_BEFORE = rf"""(?<![a-z])(?:
    (?P<low_closed>(?:not|no)\s+(?:less|lower|fewer|younger)\s+than|not\s+(?:below|under)
        |(?:more|greater|higher)\s+than\s+or\s+equal\s+to|at\s+or\s+(?:above|over)|at\s+least|from|minimum(?:\s+of)?
        |>\s*=|=\s*>|≥)
    |(?P<high_closed>(?:not|no)\s+(?:more|greater|higher|older)\s+than
        |not\s+(?:above|over|exceeding)|(?:less|lower|fewer)\s+than\s+or\s+equal\s+to
        |at\s+or\s+(?:below|under)|at\s+most|up\s+to(?!\s+but)(?:\s+and\s+including)?|maximum(?:\s+of)?|<\s*=|=\s*<|≤)
    |(?P<high_open>{_HIGH_OPEN})
    |(?P<low_open>(?:more|greater|higher|older|heavier)\s+than|over|above|exceeding
        |in\s+excess\s+of|>)
)\s*(?:age[ds]?\s+(?:of\s+)?)?"""
_SECOND = _NUMBER[_NUMBER.index("(?P") :].format("second")
_AFTER = rf"""(?:
    \s*(?P<after_low>\+|(?:and|or)\s+(?:over|more|above|older|higher|greater|heavier|upwards)\b)
    |\s*(?P<after_high>(?:and|or)\s+(?:under|less|below|younger|lower|fewer|lighter)\b)
    |\s*(?:(?:to|-)\s*)?(?P<to_open>{_HIGH_OPEN})\s*{_SECOND}{_UNIT.format("open_unit")}
    |\s*(?:to|-|up\s+to)\s*{_SECOND.replace("second", "closed")}{_UNIT.format("closed_unit")}
)"""
_TERM = re.compile(
    f"(?:{_BEFORE})?{_NUMBER.format('first')}{_UNIT.format('unit')}(?:{_AFTER})?", re.VERBOSE
)
PERSON = (  # who may be of an age, in a pattern
    r"(?:child|infant|baby|boy|girl|kid|toddler|teenager|wom[ae]n|m[ae]n|adult|patient|pt|lady"
    r"|gentleman|person|someone|mother|father|son|daughter)"
)
# `a child of 6`, `girl aged 8`, `boy 8`: a person's bare number is an age in years. That of an
# infant may be in months or weeks.
_BARE_AGE = re.compile(
    rf"\b((?!infant|baby){PERSON}\s+(?:of|aged?)|boy|girl|child|(?<!infant )(?<!baby )aged?"
    r"|s?he(?:['’]?s| is)(?: now| only)?)\s+(\d{1,3})"
    rf"(?![\d.]*\d|\s*(?:to|-|\+|/|%|x|and|or)\s*\d|[\s-]*(?:{_KNOWN})(?![a-zµ])|[.]\d|th|st|nd|rd)"
)
_LABELLED = re.compile(
    r"\b(?:type|stage|grade|class|table|figure|step|phase|category|version|covid|vitamin)\s*$"
)
_JOINED = re.compile(r"\s*+,?\s*+(?:and|but)?\s*+")
_TIME = r"(?:years?|months?|weeks?|days?)"
_AGE_OF = r"(?:the )?ages?(?: of)? "
_BOUND = r"under|below|over|above|older than|younger than|less than|more than|at least|up to"
_OPEN = r"(?:older|over|above|younger|under|below)"
# `Under the age of 13`, `birth through age 5`, `6 years of age and older`: as bounds are read.
_AGES = tuple(
    (re.compile(pattern), as_read)
    for pattern, as_read in (
        (rf"\b({_BOUND}) {_AGE_OF}(?=\d)", r"aged \1 "),
        (rf"\b(?:after|beyond|past) {_AGE_OF}(?=\d)", "aged over "),
        (rf"\b(?:before|until) {_AGE_OF}(?=\d)", "aged under "),
        (rf"\b(?:from )?birth (?:to|through|until|up to) (?:{_AGE_OF})?(?=\d)", "aged 0 years to "),
        (rf"(\d(?: ?{_TIME})?) through (?:{_AGE_OF})?(?=\d)", r"\1 to "),
        (rf"(\d[ -]?{_TIME}) (?:of age|old) (?=(?:and|or) {_OPEN}\b)", r"\1 "),
        (r"\b(people|patients) (over|under) (\d\d)(?=[).,;:]|$)", r"\1 \2 \3 years"),
    )
)


@dataclass(frozen=True)
class Interval:
    """Values from `low` to `high` in `unit`, which is empty if unknown."""

    low: float
    high: float
    unit: str = ""
    low_open: bool = False
    high_open: bool = False

    def meets(self, other: Interval) -> bool:
        """Tell whether the intervals overlap. Never true for different units."""
        if self.unit != other.unit:
            return False
        low, high = max(self.low, other.low), min(self.high, other.high)
        if low != high:
            return low < high
        return not any(
            (one.low_open and one.low == low) or (one.high_open and one.high == high)
            for one in (self, other)
        )


@dataclass(frozen=True)
class Measure:
    """An interval in base units at `[start, end)` of the normalised text."""

    interval: Interval
    written_unit: str  # of its upper end, before scaling
    bounded: bool  # by a word, a sign or a second number
    start: int
    end: int


def levelled(text: str) -> str:
    """Return the text in lower case on one line, with one spelling of signs, numbers and units."""
    text = " ".join(without_marks(unicodedata.normalize("NFC", text)).lower().split())
    text = re.sub("[–—‐‑−]", "-", text).replace("μ", "µ")
    text = re.sub(r"(?<=\d)·(?=\d)", ".", text)
    text = re.sub(r"(?<![\d.])\.(?=\d)", "0.", text)
    text = re.sub(r"(?<=\d),(?=\d{3}(?!\d))", "", text)
    text = re.sub(r"(?<=\d),(?=\d{1,2}(?![\d,]))", ".", text)
    text = re.sub(r"(?<!\d)(\d*)\s?([½¼¾])", lambda m: f"{m[1] or 0}.{_FRACTIONS[m[2]]}", text)
    text = re.sub(r"(?<=[a-zµ%])(?:\s+per\s+|\s*/\s*)(?=[a-z0-9])", "/", text)
    text = re.sub(r"/1\.73\s*m?[²2]?(?!\d)", "", text)
    text = re.sub(
        rf"\b(?:{_WORDS})(?=(?: and a half)?[\s-](?:{_COUNTED})\b)"
        rf"|(?:(?<=stone )|(?<=pounds ))(?:{_WORDS})\b",
        lambda m: _NUMBER_WORDS[m[0]],
        text,
    )
    text = _BARE_AGE.sub(r"\1 \2 years", text)
    for pattern, as_read in _AGES:
        text = pattern.sub(as_read, text)
    return in_one_unit(re.sub(r"\bbetween (\S+(?: \S+)?) and (?=\d)", r"\1 to ", text))


def unit_of(name: str | None) -> str:
    """Return the unit for a name; an unknown name is its own unit."""
    name = (name or "").strip()
    return _UNITS.get(name, name)


def is_unit(name: str) -> bool:
    return name in _UNITS


def in_base(interval: Interval) -> Interval:
    unit, scale = _SCALES.get(interval.unit, (interval.unit, 1.0))
    ends = [end for end in (interval.low, interval.high) if not math.isinf(end)]
    if interval.unit == "g" and max(ends, default=0) >= LEAST_G:
        unit, scale = "kg", 0.001
    return replace(
        interval, low=_scaled(interval.low, scale), high=_scaled(interval.high, scale), unit=unit
    )


def measures(text: str) -> list[Measure]:
    """Return the numbers of a normalised text in order; a range or two-sided bound is one."""
    found: list[Measure] = []
    for match in _TERM.finditer(text):
        if _LABELLED.search(text, max(0, match.start() - 12), match.start()):
            continue
        measure = _measure(match)
        joined = _both_sides(found[-1], measure, text) if found else None
        if joined:
            found[-1] = joined
        else:
            found.append(measure)
    return found


def _measure(match: re.Match[str]) -> Measure:
    part = match.groupdict()
    unit = unit_of(part["unit"])
    low = high = float(part["first"])
    low_open = high_open = False
    written = unit
    if second := part["second"] or part["closed"]:
        written = unit_of(part["open_unit"] or part["closed_unit"]) or unit
        upper = in_base(Interval(float(second), float(second), written))
        lower = in_base(Interval(low, low, unit or written))
        if (unit or written, upper.unit) == ("g", "kg"):  # `100 to 500 g`
            lower = Interval(low / 1000, low / 1000, "kg")
        low_open, high_open = bool(part["low_open"]), bool(part["to_open"])
        unit = upper.unit if upper.unit == lower.unit else f"{lower.unit}..{upper.unit}"
        interval = Interval(lower.low, upper.high, unit, low_open, high_open)
        return Measure(interval, written, True, match.start(), match.end())
    if part["low_open"] or part["low_closed"] or part["after_low"]:
        high, low_open = math.inf, bool(part["low_open"])
    elif part["high_open"] or part["high_closed"] or part["after_high"]:
        low, high_open = -math.inf, bool(part["high_open"])
    interval = in_base(Interval(low, high, unit, low_open, high_open))
    return Measure(interval, written, low != high, match.start(), match.end())


def _both_sides(before: Measure, after: Measure, text: str) -> Measure | None:
    """Return `at least 12 but less than 18 years` as one measure, in the last unit."""
    one, two = before.interval, after.interval
    if not _JOINED.fullmatch(text[before.end : after.start]):
        return None
    if one.high < math.inf and two.high == math.inf and one.low == -math.inf:
        one, two = two, one
    if (one.high, two.low) != (math.inf, -math.inf) or math.isinf(one.low + two.high):
        return None
    if not one.unit and after.written_unit:
        one = in_base(replace(one, unit=after.written_unit))
    if one.unit != two.unit or one.low > two.high:
        return None
    both = replace(one, high=two.high, high_open=two.high_open)
    return Measure(both, after.written_unit, True, before.start, after.end)


def _scaled(value: float, scale: float) -> float:
    return value if math.isinf(value) else round(value * scale, 9)
