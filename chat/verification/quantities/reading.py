"""What a text counts, read once: quantities, frequencies, names with digits, codes. Pure."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache

from chat.verification.quantities.bounds import Bound, bound_after, bound_before
from chat.verification.quantities.levelling import LABELS, levelled, ordinal_of
from chat.verification.quantities.often import frequencies_of, occasions_of
from chat.verification.quantities.times import is_bare_age, is_within, role_of, side_of
from chat.verification.quantities.types import Frequency, Interval, Quantity, Reading, Role
from chat.verification.quantities.units import MONTHS, SECONDS, UNIT, UNITS, unit_in_header, unit_of

_NUMBER = r"(?:\d+(?:\.\d+)?(?:e\d+)?)"
_SIGN = r"(?:(?<![\w)%-])-|minus\s)?"
_QUANTITY = re.compile(
    rf"(?<![\w^])(?<!\d\.)(?P<low>{_SIGN}{_NUMBER})(?!\d|\.\d|/\d|e\d)(?P<unit>{UNIT})?"
    rf"(?:(?P<by>\s?-\s?|\sto\s|\sthrough\s|\sup\sto\s)(?P<high>{_SIGN}{_NUMBER})(?!\d|\.\d|/\d|e\d)(?P<unit2>{UNIT})?)?"
)
_WRITTEN_UNIT = re.compile(
    rf"-?{_NUMBER}(?P<first>{UNIT})?(?:(?:\s?-\s?|\s(?:to|through|up to)\s)-?{_NUMBER})?(?P<unit>{UNIT})?"
)
_LABEL = re.compile(rf"(?<![a-z])({LABELS})s?\s?$")
_LONG_S = 3 * 86400  # from which `over` a time may mean more than it
_LIST = re.compile(
    r"\s?(?:,|or|and|but|,\s?or|,\s?and|/)\s?(?:(?:less|fewer|younger|up|not|more|older|than|to|under|below)\s|[<≤]\s?){0,3}"
)
_MONTHS = (
    "january february march april may june july august september october november december".split()
)
_MONTH = "|".join([*_MONTHS, *(f"{month[:3]}\\.?" for month in _MONTHS), "sept"])
_DATES = (
    re.compile(
        rf"(?<!\d)(?P<d>\d{{1,2}})(?:st|nd|rd|th)?\s(?:of\s)?(?P<m>{_MONTH})(?![a-z])(?:,?\s(?P<y>\d{{4}}))?(?!\d)"
    ),
    re.compile(
        rf"(?<![a-z])(?P<m>{_MONTH})\s(?P<d>\d{{1,2}})(?:st|nd|rd|th)?,\s(?P<y>\d{{4}})(?!\d)"
    ),
    re.compile(rf"(?<![a-z])(?P<m>{_MONTH})\s(?P<y>\d{{4}})(?!\d)"),
    re.compile(r"(?<!\d)(?P<y>\d{4})-(?P<m>\d{2})-(?P<d>\d{2})(?!\d)"),
    re.compile(r"(?<!\d)(?P<raw>\d{1,2}[/.]\d{1,2}[/.]\d{4})(?!\d)"),
)
_CLOCK = re.compile(
    r"(?<![\d:])(\d{1,2}):(\d{2})(?![\d:])(?:\s?([ap])\.?m\.?(?![a-z]))?|(?<![\d:.])(\d{1,2})\s?([ap])\.?m\.?(?![a-z])"
)
_RATIO = re.compile(
    rf"(?<![\w.,/-])(?P<top>{_NUMBER}|one)(?:\s?(?:-|to)\s?(?P<top2>{_NUMBER}))?(?:\s?:\s?|(?P<slash>\s?/\s?)|\s(?:in|out\sof|of|per)\s(?:every\s|each\s)?)"
    rf"(?P<low>{_NUMBER})(?:\s?(?:-|to)\s?(?P<high>{_NUMBER}))?(?![\w%]|\.\d|/|-[a-z]|\s?(?:{'|'.join(re.escape(u) for u in UNITS if u.isalpha())})(?![a-z]))"
)
_PAIR = re.compile(
    rf"(?<![\w.,/-])({_NUMBER}(?:-{_NUMBER})?)/({_NUMBER}(?:-{_NUMBER})?)(?:\s?(mmhg|kpa|cmh2o))?(?![\w/]|\.\d)"
)
_ORDINAL = re.compile(
    r"(?<![\w.])(?:\d+(?:st|nd|rd|th)|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth"
    r"|first(?=\s(?:trimester|dose|day|week|month|year|hour|stage)))(?![a-z])"
)
_VERSION = re.compile(  # and addresses and telephone numbers
    r"(?<![\w.])\d+(?:\.\d+){2,}(?!\w)|(?<![\w-])\d+(?:-\d+){2,}(?![\w-])|https?://\S+|www\.\S+"
)
_NAME = re.compile(
    r"(?<![a-z0-9.])(?P<stem>[a-z]+)(?P<hyphen>-?)(?P<rest>\d[a-z0-9]*(?:\.\d+)?(?:>[a-z])?)"
)
_CODE = re.compile(
    r"(?<![\w-])(?<!\d\.)(?P<digits>\d+(?:\.\d+)?)(?P<letters>[a-z][a-z0-9]*(?:\.\d+)?(?:>[a-z])?)(?![a-z0-9])"
)
_SKIPPED = frozenset(
    "a an the of is are at by mouth oral orally iv im sc po intravenous intravenously subcutaneous "
    "subcutaneously intramuscular intramuscularly dose doses infusion injection about be was to".split()
)
# Words that a second number may stand behind as well: they say nothing of what is counted.
_GENERIC = frozenset(
    "about above after added again another around before below between chosen every first followed "
    "given gives least lasts lasting needs other maximum minimum reaches repeat repeated score second "
    "still taken takes takes their these those total under until usually where which while within "
    "adults adult child children infants patient patients people women years infuse affects measure "
    "increase increased reduce reduced review observe start started weighing weigh among table "
    "including approximately estimated course courses treat treated treatment over than".split()
)
_NOT_A_CODE = frozenset("st nd rd th s x fold yo hourly e".split())


@lru_cache(maxsize=4096)
def read(text: str) -> Reading:
    """What `text` counts. Labels above the cells of a row give their numbers a unit."""
    return _read(levelled(text))


def _read(text: str) -> Reading:
    codes: set[str] = set()
    text = _blanked(text, _codes(text, codes))
    often = frequencies_of(text)
    per_day = {
        one.start
        for one in often
        if text[one.start : one.start + 1] in "/" or re.match(r"\s(?:an?|in)\s", text[one.start :])
    }
    occasions = occasions_of(text)
    plain, text = text, _blanked(text, [(one.start, one.end) for one in often])
    ratios: list[Quantity] = []
    text = _blanked(text, _ratios(text, ratios))
    text = _blanked(text, _named(text, names := [], codes))
    found = [replace(one, is_per_day=one.end in per_day) for one in _quantities(text, plain)]
    quantities = (*ratios, *_listed(found, text))
    return Reading(quantities, often, occasions, tuple(names), frozenset(codes), text)


def _blanked(text: str, places: Sequence[tuple[int, int]]) -> str:
    for start, end in places:
        text = f"{text[:start]}{'¤' * (end - start)}{text[end:]}"
    return text


def _codes(text: str, codes: set[str]) -> list[tuple[int, int]]:
    """Dates, clock times, versions and ordinals: what is no value on a scale."""
    places = []
    for pattern in _DATES:
        for match in pattern.finditer(text):
            codes.add(_date(match))
            places.append(match.span())
        text = _blanked(text, places)
    for match in _CLOCK.finditer(text):
        codes.add(_clock(match))
        places.append(match.span())
    for match in _VERSION.finditer(text):
        codes.add(match[0])
        places.append(match.span())
    for match in _ORDINAL.finditer(text):
        if match[0] != "second" or not re.search(r"(?:\d|every)[\s-]?$", text[: match.start()]):
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


def _ratios(text: str, found: list[Quantity]) -> list[tuple[int, int]]:
    """`1 in 10,000`, `1:10,000`; pairs such as a blood pressure are codes of their own."""
    places = []
    for match in _RATIO.finditer(text):
        tops = [Fraction(1)] if match["top"] == "one" else [_value(match["top"])]
        tops.append(_value(match["top2"]) if match["top2"] else tops[0])
        below = [_value(match["low"]), _value(match["high"] or match["low"])]
        is_pair = match["slash"] and (below[0] < 100 or below[0] % 100)
        if is_pair or 0 in (*tops, *below) or below[0] < tops[0] and ":" not in match[0]:
            continue
        interval = Interval(tops[0] / below[1], tops[1] / below[0], "ratio")
        found.append(Quantity((interval,), Role.NONE, *match.span(), frozenset({match["low"]})))
        places.append(match.span())
    return places


def _named(text: str, names: list[tuple[str, str]], codes: set[str]) -> list[tuple[int, int]]:
    places = []
    for match in _PAIR.finditer(text):
        unit = match[3] if match[3] != "mmhg" else None
        codes.add(f"pair {match[1]}/{match[2]} {unit or ''}")
        places.append(match.span())
    for match in _NAME.finditer(text):
        if match[0] in UNITS:  # `m2`
            continue
        names.append((match["stem"], match["rest"]))
        places.append(match.span())
    for match in _CODE.finditer(text):
        known = match["letters"] in UNITS or match["letters"] in _NOT_A_CODE
        if not known and not re.fullmatch(r"e\d+", match["letters"]):
            codes.add(match[0])
            places.append(match.span())
    return places


def _quantities(text: str, plain: str) -> Iterator[Quantity]:
    """The numbers left in `text`; their bounds are read in `plain`: `maximum daily dose 4 g`."""
    place = 0
    while match := _QUANTITY.search(text, place):
        part = match.groupdict()
        is_range = part["high"] is not None and _is_range(match, text)
        end = match.end() if is_range or part["high"] is None else match.start("by")
        yield _quantity(match, text, plain, is_range=is_range, end=end)
        place = max(end, match.start() + 1)


def _is_range(match: re.Match[str], text: str) -> bool:
    low, high = _interval_of(match)
    return low.unit == high.unit and (low.low or 0) < (high.high or 0)


def _interval_of(match: re.Match[str]) -> tuple[Interval, Interval]:
    """Both ends; what only one of them has, a unit or a power of ten, is the other's too."""
    unit, unit2 = match["unit"] or match["unit2"] or "", match["unit2"] or match["unit"] or ""
    low, high = match["low"], match["high"]
    if "e" in high and "e" not in low:
        low += high[high.index("e") :]
    return _exact(low, unit), _exact(high, unit2)


def _exact(number: str, written_unit: str) -> Interval:
    base, worth = unit_of(written_unit)
    value = _value(number) * worth
    places = len(number.partition(".")[2].partition("e")[0])
    return Interval(value, value, base, places=places)


def _value(number: str) -> Fraction:
    return Fraction(number.replace("minus ", "-"))


def _quantity(match: re.Match[str], text: str, plain: str, *, is_range: bool, end: int) -> Quantity:
    if is_range:
        first, second = _interval_of(match)
        interval = replace(first, high=second.high, places=max(first.places, second.places))
    else:
        interval = _exact(match["low"], match["unit"] or "")
    bound = bound_before(plain, match.start())
    after, after_end = bound_after(text, end) if not bound.side else (Bound(start=end), end)
    used = bound if bound.side else after
    label = _LABEL.search(text[: match.start()])
    if label and not interval.unit:
        interval = replace(interval, unit=f"@{label[1]}")
    role, side, is_age = Role.NONE, "", False
    if interval.unit in (SECONDS, MONTHS):
        role = role_of(text, bound.start, after_end, used.word)
        side = side_of(text, bound.start, after_end)
    elif not interval.unit and is_bare_age(text, bound.start, used.word):
        role, is_age = Role.AGE, True
    readings, role = _bounded(interval, used, role)
    if is_age:  # in years, mostly
        readings = (*readings, *(_scaled(reading, Fraction(12), MONTHS) for reading in readings))
    elif (
        role is Role.MOMENT and not used.side and interval.is_exact and is_within(text, bound.start)
    ):
        readings = (*readings, replace(interval, low=None))
    written = frozenset(
        number for number in (match["low"], match["high"] if is_range else None) if number
    )
    if not used.side and interval.is_exact and text[: match.start()].endswith("from "):
        readings = (*readings, replace(interval, high=None))  # `from 100 kg` is 100 or more
    subject = _subject(text[: bound.start])
    return Quantity(readings, role, match.start(), after_end, written, subject=subject, side=side)


def _subject(before: str) -> str:
    """The last word before a number, routes and the like skipped, in the same clause."""
    words = re.split(r"[.,;:|()¤]|\d", before[-80:])[-1].split()
    for word in reversed(words[-5:]):
        if word.strip("*†‡§") not in _SKIPPED:
            return word if len(word) > 4 and word.isalpha() and word not in _GENERIC else ""
    return ""


def _bounded(interval: Interval, bound: Bound, role: Role) -> tuple[tuple[Interval, ...], Role]:
    """`over 30 minutes` is how long; `over 5 days` may be both how long and a bound."""
    if not bound.side:
        return (interval,), role
    low_side = bound.side == "low"
    limited = replace(
        interval,
        low=interval.low if low_side or not interval.is_exact else None,
        high=None if low_side and interval.is_exact else interval.high,
        low_open=low_side and bound.is_open,
        high_open=not low_side and bound.is_open,
    )
    if (
        bound.word.split()[:1] != ["over"]
        or role in (Role.NONE, Role.AGE)
        or interval.unit == MONTHS
    ):
        return (limited,), role
    if (interval.low or 0) < _LONG_S:
        return (interval,), Role.DURATION
    return (limited, interval), role


def _listed(found: list[Quantity], text: str) -> list[Quantity]:
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
            readings = (*one.readings, *(_scaled(r, worth, unit) for r in one.readings))
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
        years = (_scaled(r, Fraction(12), MONTHS) for r in one.readings)
        return replace(one, readings=(*one.readings, *years), role=Role.AGE)
    return one


def _adjoin(one: Quantity, after: Quantity, text: str) -> bool:
    return bool(_LIST.fullmatch(text[one.end : after.start]))


def _scaled(interval: Interval, worth: Fraction, unit: str) -> Interval:
    return replace(
        interval,
        low=None if interval.low is None else interval.low * worth,
        high=None if interval.high is None else interval.high * worth,
        unit=unit,
    )


def read_rows(quotes: Sequence[str]) -> Reading:
    """All that quotes count; a column's unit, where its label gives one, is its numbers' too."""
    lines = [line for quote in quotes for line in quote.split("\n") if "|" in line]
    rows = [[cell.strip() for cell in line.split("|")] for line in lines]
    headers = [[unit_in_header(levelled(cell)) for cell in row] for row in rows]
    extra: list[Quantity] = []
    for units in headers:
        for row in rows:
            if any(units) and len(units) == len(row):
                extra += [
                    q for u, cell in zip(units, row, strict=True) if u for q in with_unit(cell, u)
                ]
    readings = [read(quote) for quote in quotes]
    quantities = [q for one in readings for q in one.quantities]
    return Reading(
        (*quantities, *extra, *_two_in_a_row(quantities)),
        tuple(f for one in readings for f in one.frequencies),
        frozenset().union(*(one.occasions for one in readings)),
        tuple(name for one in readings for name in one.names),
        frozenset().union(*(one.codes for one in readings)),
        "\n".join(one.text for one in readings),
    )


def _two_in_a_row(quantities: Sequence[Quantity]) -> Iterator[Quantity]:
    """`16 and 17 years` is `16 to 17 years` too."""
    for one, other in itertools.pairwise(quantities):
        for low, high in itertools.product(one.readings, other.readings):
            is_whole = low.is_exact and high.is_exact and low.unit == high.unit
            if is_whole and 0 <= other.start - one.end <= len(" and ") and _is_next(one, other):
                yield replace(other, readings=(replace(low, high=high.high),))


def _is_next(one: Quantity, other: Quantity) -> bool:
    (low,), (high,) = one.written or ("",), other.written or ("",)
    return low.isdigit() and high.isdigit() and int(high) == int(low) + 1


def with_unit(cell: str, unit: str) -> list[Quantity]:
    """The bare numbers of a cell, in the unit that its column's label gives."""
    base, worth = unit_of(unit)
    role = Role.UNKNOWN if base in (SECONDS, MONTHS) else Role.NONE
    return [
        replace(q, readings=tuple(_scaled(r, worth, base) for r in q.readings), role=role)
        for q in read(cell).quantities
        if all(not reading.unit for reading in q.readings)
    ]


def joined_frequencies(reading: Reading) -> Iterator[tuple[Quantity, Frequency]]:
    """Each dose with the frequency that stands right behind it: at most four words between."""
    for one in reading.quantities:
        for often in reading.frequencies:
            between = reading.text[one.end : often.start]
            if (
                one.role is Role.NONE
                and one.end <= often.start
                and re.fullmatch(r"(?:\s?[a-z-]+){0,4}\s?", between)
            ):
                yield one, often
