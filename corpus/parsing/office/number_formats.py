"""Write numbers as Excel shows them, 0.05 as `5%`, 0.5 as `0.50`, and dates in ISO 8601. Pure.

Source: ECMA-376, part 1, 18.8.31 (numFmts).
"""

from __future__ import annotations

import datetime
import re
from decimal import ROUND_HALF_UP, Decimal
from functools import lru_cache

_SECTION = re.compile(r'(?:"[^"]*"|\\.|[^;"\\])+|^(?=;)|(?<=;)(?=;|$)')
_COLOUR = re.compile(r"\[(?:black|blue|cyan|green|magenta|red|white|yellow|color\d+)\]", re.I)
_CURRENCY = re.compile(r"\[\$([^\]-]*)(?:-[^\]]*)?\]")
_LITERAL = re.compile(r'"([^"]*)"|\\(.)|[_*].')
_DIGITS = re.compile(r"[#0?](?:[#0?,]*[#0?])?(?:\.[#0?]+)?|\.[#0?]+")
# Formats that change a number's digits: powers, fractions, conditions, thousands.
_STRANGE = re.compile(r"[eE][+-]|/|\[|[#0?],+(?![#0?])|\?")
_DATE = re.compile(
    r"yyyy|yy|mmmmm|mmmm|mmm|mm|m|dddd|ddd|dd|d|hh|h|ss|s|AM/PM|A/P|\"[^\"]*\"|\\.|.", re.I
)


def shown_number(value: int | float, form: str) -> str | None:
    """Return a number as a format shows it, which may be not at all; None if it is unknown."""
    sections = _SECTION.findall(_COLOUR.sub("", form)) or [form]
    own = 1 if value < 0 and len(sections) > 1 else 2 if value == 0 and len(sections) > 2 else 0
    section = _CURRENCY.sub(r'"\1"', sections[own])
    if not section and ";" in form:
        return ""
    if section.strip().casefold() in ("general", "@", ""):
        return f"{value:.11g}" if isinstance(value, float) else str(value)
    bare = _LITERAL.sub("", section)
    digits = _DIGITS.search(bare)
    if not bare.strip():
        return _literal(section).strip()
    if _STRANGE.search(bare) or digits is None or re.search(r"[A-Za-z]", bare):
        return None
    number = Decimal(repr(value)) * 100 ** bare.count("%")
    text = _written(abs(number), digits.group())
    sign = "-" if value < 0 and own == 0 and re.search("[1-9]", text) else ""
    literal = {at for match in _LITERAL.finditer(section) for at in range(*match.span())}
    first = next(at for at, c in enumerate(section) if c in "#0?." and at not in literal)
    place = _DIGITS.search(section, first)
    if place is None:
        return None
    before, after = section[: place.start()], section[place.end() :]
    return f"{sign}{_literal(before)}{text}{_literal(after)}".strip()


def _written(number: Decimal, digits: str) -> str:
    whole, _, decimals = digits.partition(".")
    rounded = number.quantize(Decimal(1).scaleb(-len(decimals)), ROUND_HALF_UP)
    units, _, fraction = f"{rounded:f}".partition(".")
    least = whole.count("0")
    units = units.lstrip("0").rjust(least, "0")
    if "," in whole and units:
        units = f"{int(units):,}".rjust(least, "0")
    while fraction and decimals[len(fraction) - 1] == "#" and fraction[-1] == "0":
        fraction = fraction[:-1]
    return f"{units}.{fraction}" if fraction else units or "0"


def _literal(text: str) -> str:
    return _LITERAL.sub(lambda match: match.group(1) or match.group(2) or "", text)


_OF_DAY = re.compile(r"dd?|m{1,5}|yy|yyyy", re.I)  # not the names of weekdays


def shown_date(value: datetime.date | datetime.time, form: str) -> str:
    """Return a date in ISO 8601, and a time and other words as a format shows them, in English.

    So 3 April is 2024-04-03 to all readers, though Excel shows 4/3/24 to some and 3/4/24 to others.
    """
    before, middle, after, kinds = _parted(form)
    if "d" in kinds or kinds == {"m", "y"}:
        day = value if isinstance(value, datetime.date) else datetime.date(1900, 1, 1)
        shown = f"{day:%Y-%m-%d}"[: 10 if "d" in kinds else 7]
    else:
        shown = _shown_as(value, middle)
    return f"{_shown_as(value, before)}{shown}{_shown_as(value, after)}".strip()


def has_year(form: str) -> bool:
    """Tell whether a format of dates shows the year; one that shows only a time counts as such."""
    kinds = _parted(form)[3]
    return "y" in kinds or not kinds


@lru_cache(maxsize=1_000)
def _parted(form: str) -> tuple[list[str], list[str], list[str], set[str]]:
    """Return the tokens of a format before, in and after its day, and which of d, m, y it shows."""
    form = _COLOUR.sub("", _SECTION.findall(form)[0] if form else "")
    tokens = _DATE.findall(re.sub(r"\[[^\]]*\]", "", form))
    places = [at for at in range(len(tokens)) if _is_of_day(tokens, at)]
    first, end = (places[0], places[-1] + 1) if places else (0, 0)
    kinds = {tokens[at][0].lower() for at in places}
    return tokens[:first], tokens[first:end], tokens[end:], kinds


def _is_of_day(tokens: list[str], at: int) -> bool:
    return bool(_OF_DAY.fullmatch(tokens[at])) and not _is_of_minutes(tokens, at)


def _is_of_minutes(tokens: list[str], at: int) -> bool:
    """Tell whether `m` means minutes: behind hours or before seconds; else it means months."""
    letters = [(n, token[0].lower()) for n, token in enumerate(tokens) if token[0].isalpha()]
    before = next((c for n, c in reversed(letters) if n < at), "")
    after = next((c for n, c in letters if n > at), "")
    return tokens[at][0].lower() == "m" and (before == "h" or after == "s")


def _shown_as(value: datetime.date | datetime.time, tokens: list[str]) -> str:
    if not tokens:
        return ""
    day = value if isinstance(value, datetime.date) else datetime.date(1900, 1, 1)
    clock = value if isinstance(value, datetime.datetime | datetime.time) else datetime.time()
    noon = any(token.upper() in ("AM/PM", "A/P") for token in tokens)
    hour = (clock.hour % 12 or 12) if noon else clock.hour
    names = {
        "yyyy": f"{day.year:04}", "yy": f"{day.year % 100:02}", "mmmmm": f"{day:%B}"[0],
        "mmmm": f"{day:%B}", "mmm": f"{day:%b}", "mm": f"{day.month:02}", "m": str(day.month),
        "dddd": f"{day:%A}", "ddd": f"{day:%a}", "dd": f"{day.day:02}", "d": str(day.day),
        "hh": f"{hour:02}", "h": str(hour), "ss": f"{clock.second:02}", "s": str(clock.second),
        "am/pm": f"{clock:%p}", "a/p": f"{clock:%p}"[:1],
    }  # fmt: skip
    minutes = {"mm": f"{clock.minute:02}", "m": str(clock.minute)}
    return "".join(
        (names | minutes if _is_of_minutes(tokens, at) else names).get(
            token.lower(), token.strip('"\\')
        )
        for at, token in enumerate(tokens)
    )
