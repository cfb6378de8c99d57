"""Find digits that are no value on a scale: dates, ordinals, names, ratios, pairs. Pure.

Each function returns the places that it has read, to be blanked.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction

from core.language.en.quantities.bounds import bound_after, bound_before
from core.language.en.quantities.levelling import ordinal_of
from core.language.en.quantities.types import NUMBER, Interval, Quantity, value_of
from core.language.en.quantities.units import UNITS

_MONTHS = (
    "january february march april may june july august september october november december".split()
)
_MONTH = "|".join([*_MONTHS, *(f"{month[:3]}\\.?" for month in _MONTHS), "sept"])
_DATES = (
    re.compile(
        rf"(?<!\d)(?P<d>\d{{1,2}})(?:st|nd|rd|th)?\s(?:of\s)?(?P<m>{_MONTH})(?![a-z])"
        rf"(?:,?\s(?P<y>\d{{4}}))?(?!\d)"
    ),
    re.compile(
        rf"(?<![a-z])(?P<m>{_MONTH})\s(?P<d>\d{{1,2}})(?:st|nd|rd|th)?,\s(?P<y>\d{{4}})(?!\d)"
    ),
    re.compile(rf"(?<![a-z])(?P<m>{_MONTH})\s(?P<y>\d{{4}})(?!\d)"),
    re.compile(r"(?<!\d)(?P<y>\d{4})-(?P<m>\d{2})-(?P<d>\d{2})(?!\d)"),
    re.compile(r"(?<!\d)(?P<raw>\d{1,2}[/.]\d{1,2}[/.]\d{4})(?!\d)"),
)
_CLOCK = re.compile(
    r"(?<![\d:])(\d{1,2}):(\d{2})(?![\d:])(?:\s?([ap])\.?m\.?(?![a-z]))?"
    r"|(?<![\d:.])(\d{1,2})\s?([ap])\.?m\.?(?![a-z])"
)
_UNIT_NAMES = "|".join(re.escape(unit) for unit in UNITS if unit.isalpha())
_RATIO = re.compile(
    rf"(?<![\w.,/-])(?P<top>{NUMBER}|one)(?:\s?(?:-|to)\s?(?P<top2>{NUMBER}))?"
    r"(?:\s?:\s?|(?P<slash>\s?/\s?)|\s(?:in|per)\s(?:every\s|each\s)?"
    r"|\s(?:out\s)?of\s(?:(?:every|each|all|the|her|his|their|our|its|these|those)\s)?)"
    rf"(?P<low>{NUMBER})(?:\s?(?:-|to)\s?(?P<high>{NUMBER}))?"
    rf"(?![\w%]|\.\d|/|-[a-z]|\s?(?:{_UNIT_NAMES})(?![a-z]))"
)
_PAIR = re.compile(
    rf"(?<![\w.,/-])({NUMBER}(?:-{NUMBER})?)/({NUMBER}(?:-{NUMBER})?)"
    r"(?:\s?(mmhg|kpa|cmh2o))?(?![\w/]|\.\d)"
)
_ORDINAL = re.compile(
    r"(?<![\w.])(?:\d+(?:st|nd|rd|th)|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth"
    r"|first(?=\s(?:trimester|dose|day|week|month|year|hour|stage)))(?![a-z])"
)
_TIME_BEFORE = re.compile(r"(?:\d|every)[\s-]?$")
_VERSION = re.compile(  # and addresses, telephone numbers and what is too long for a number
    r"(?<![\w.])\d+(?:\.\d+){2,}(?!\w)|(?<![\w-])\d+(?:-\d+){2,}(?![\w-])"
    r"|https?://\S+|www\.\S+|\d*\.?\d{21,}"
    r"|(?<!\d)\d{1,2}\+\d(?=\sweeks?(?![a-z]))"  # of pregnancy: weeks and days
    r"|(?<=[a-z][\s-])(?<!\sfor\s)[1-9]\d{0,2}0s(?![a-z])"  # `in their 50s`
)
_NAME = re.compile(
    r"(?<![a-z0-9.])(?P<stem>[a-z]+)(?P<hyphen>-?)(?P<rest>\d[a-z0-9]*(?:\.\d+)?(?:>[a-z])?)"
)
_CODE = re.compile(
    r"(?<![\w-])(?<!\d\.)(?P<digits>\d+(?:\.\d+)?)"
    r"(?P<letters>[a-z][a-z0-9]*(?:\.\d+)?(?:>[a-z])?)(?![a-z0-9])"
)

PAIR, SIDES = "pair", ("low", "high")  # a pair's code may end in the side of its bound
_NOT_A_CODE = frozenset("st nd rd th s x fold yo hourly e".split())


def blanked(text: str, places: Sequence[tuple[int, int]]) -> str:
    """Replace the places by `¤`, so that all other offsets stay the same."""
    characters = list(text)
    for start, end in places:
        characters[start:end] = "¤" * (end - start)
    return "".join(characters)


def codes_of(text: str, codes: set[str]) -> list[tuple[int, int]]:
    """Find dates, clock times, versions and ordinals."""
    places = []
    for pattern in _DATES:
        for match in pattern.finditer(text):
            codes.add(_date(match))
            places.append(match.span())
        text = blanked(text, places)
    for match in _CLOCK.finditer(text):
        codes.add(_clock(match))
        places.append(match.span())
    for match in _VERSION.finditer(text):
        codes.add(match[0])
        places.append(match.span())
    for match in _ORDINAL.finditer(text):
        if match[0] != "second" or not _TIME_BEFORE.search(
            text[max(0, match.start() - 8) : match.start()]
        ):
            codes.add(f"#{ordinal_of(match[0])}")
            places.append(match.span())
    return places


def _date(match: re.Match[str]) -> str:
    part = match.groupdict()
    if part.get("raw"):
        return "date " + str(part["raw"]).replace(".", "/")
    month = str(part["m"])
    number = int(month) if month.isdigit() else [m[:3] for m in _MONTHS].index(month[:3]) + 1
    return f"date {part.get('y') or ''}-{number}-{int(part['d']) if part.get('d') else ''}"


def _clock(match: re.Match[str]) -> str:
    hour, minute = int(match[1] or match[4]), int(match[2] or 0)
    if half := match[3] or match[5]:
        hour = hour % 12 + (12 if half == "p" else 0)
    return f"clock {hour}:{minute:02}"


def ratios_of(text: str, found: list[Quantity]) -> list[tuple[int, int]]:
    """Find `1 in 10,000` and `1:10,000`; pairs such as a blood pressure become codes."""
    places = []
    for match in _RATIO.finditer(text):
        tops = [Fraction(1)] if match["top"] == "one" else [value_of(match["top"])]
        tops.append(value_of(match["top2"]) if match["top2"] else tops[0])
        below = [value_of(match["low"]), value_of(match["high"] or match["low"])]
        is_pair = match["slash"] and (below[0] < 100 or below[0] % 100)
        if is_pair or 0 in (*tops, *below) or (below[0] < tops[0] and ":" not in match[0]):
            continue
        interval = Interval(tops[0] / below[1], tops[1] / below[0], "ratio")
        found.append(Quantity((interval,), *match.span(), frozenset({match["low"]})))
        places.append(match.span())
    return places


def names_of(text: str, names: list[tuple[str, str]], codes: set[str]) -> list[tuple[int, int]]:
    """Find names with numbers and pairs of numbers; a name is its letters, then its digits."""
    places = []
    for match in _PAIR.finditer(text):
        unit = match[3] if match[3] != "mmhg" else None
        pair = f"{PAIR} {match[1]}/{match[2]} {unit or ''}"
        bound = bound_before(text, match.start())
        side = bound.side or bound_after(text, match.end())[0].side
        codes |= {pair, f"{pair}{side}"}
        places.append(match.span())
    for match in _NAME.finditer(text):
        if match[0] in UNITS or (match["hyphen"] and match["stem"] in UNITS):  # `m2`, `1 g-2 g`
            continue
        names.append((match["stem"], match["rest"]))
        places.append(match.span())
    for match in _CODE.finditer(text):
        known = match["letters"] in UNITS or match["letters"] in _NOT_A_CODE
        if not known and not re.fullmatch(r"e-?\d+", match["letters"]):
            codes.add(match[0])
            places.append(match.span())
    return places
