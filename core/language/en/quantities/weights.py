"""Write a body's weight in one unit: `4 lb 15 oz`, `12 stone 4`, `1kg5` and `3 kg 200 g`. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction

from core.language.en.quantities.units import UNITS

_NUMBER = r"(?:(?<![\w.,/])|(?<=\dst))(?P<whole>\d{1,3}(?:\.\d+)?)"
_KG = r"(?:kgs?|kilos?|kilogram(?:me)?s?)"
_G = r"(?:g|gms?|gr|grams?|grammes?)"
_LB, _OZ, _ST = r"(?:lbs?|pounds?)\.?", r"(?:ozs?|ounces?)\.?", r"(?:st|stones?)\.?"
_THEN = r"(?:\s?(?:,|and|&|\+|/|-)\s?|\s?)"
_PART = r"(?P<part>\d{1,3}(?:\.\d+)?)"
_NAMES = "|".join(re.escape(name) for name in sorted(UNITS, key=len, reverse=True))
# What a number belongs to that is no part of the weight before it: `12 st 4 tablets`.
_OF_OTHERS = rf"(?![\d.]*\d|\s?[-/:x×+]|-?\s?(?:{_NAMES}|hourly|times|th|nd|rd)(?![a-zµ]))"
_WEIGHT = rf"(?P<unit>{_KG}|{_LB}|{_ST})(?![a-z])"
_HALF = re.compile(
    rf"{_NUMBER}\s?(?:and a half\s{_WEIGHT}|{_WEIGHT.replace('unit', 'before')} and a half)"
)
_FRACTION = re.compile(
    rf"(?<![\w.,/])(?:(\d{{1,3}}) )?([13])/([24])(?=\s?(?:{_KG}|{_LB}|{_OZ}|{_ST})(?![a-z]))"
)
_IN_OUNCES = re.compile(rf"{_NUMBER}\s?-?{_LB}{_THEN}{_PART}(?:\s?-?{_OZ}(?![a-z])|{_OF_OTHERS})")
_IN_POUNDS = re.compile(rf"{_NUMBER}\s?-?{_ST}{_THEN}{_PART}(?:\s?-?{_LB}(?![a-z])|{_OF_OTHERS})")
_IN_GRAMS = re.compile(rf"{_NUMBER}\s?-?{_KG}{_THEN}{_PART}\s?-?{_G}(?![a-z/])")
_DECIMALS = re.compile(  # `1kg5`; of a baby `1 kg 500`, too
    rf"(?<![\w.,/])(?P<whole>\d{{1,3}})(?:{_KG}|\s?{_KG}(?P<apart>\s))(?P<part>\d{{1,3}}){_OF_OTHERS}"
)
_NO_DAY = r"(?<!day )(?<!week )(?<!stage )(?<!grade )"
_GROUPED = re.compile(rf"(?<![\w.,]){_NO_DAY}(\d{{1,2}}) (\d{{3}})(?=\s?{_G}(?![a-z/]))")
_ORDINAL = re.compile(r"(?<![\d.,])(?:\d*[02-9])?1st(?![a-z])")  # `1st line` is no stone
LEAST_G = 250  # what weighs less is a dose
_BABY_KG = 10


def in_one_unit(text: str) -> str:
    """Return a levelled text with each weight in its first unit: `4.9375 lb`, `1.5 kg`.

    A number without a unit counts as pounds behind stones, ounces behind pounds and decimals behind
    kilograms, unless it belongs to something else: `12 st 4 tablets` stays as it is.
    """
    text = _HALF.sub(lambda m: f"{_plus(m, 0.5)} {m['unit'] or m['before']}", text)
    text = _FRACTION.sub(lambda m: f"{int(m[1] or 0) + int(m[2]) / int(m[3])}", text)
    text = _GROUPED.sub(r"\1\2", text)
    text = _IN_OUNCES.sub(_joined("lb", below=16), text)
    text = _IN_POUNDS.sub(_joined("stone", below=14), text)
    text = _IN_GRAMS.sub(_with_grams, text)
    text = _DECIMALS.sub(_with_decimals, text)
    return _ORDINAL.sub("first", text)


def _plus(match: re.Match[str], more: float | Fraction) -> str:
    return f"{float(Fraction(match['whole']) + Fraction(more)):.9g}"


def _joined(unit: str, *, below: int) -> Callable[[re.Match[str]], str]:
    def write(match: re.Match[str]) -> str:
        part = Fraction(match["part"])
        return f"{_plus(match, part / below)} {unit} " if part < below else match[0]

    return write


def _with_grams(match: re.Match[str]) -> str:
    """Return kilograms and grams as one weight; few grams behind an adult's weight are a dose."""
    part = Fraction(match["part"])
    is_weight = part >= LEAST_G or float(match["whole"]) < _BABY_KG
    return f"{_plus(match, part / 1000)} kg" if is_weight else match[0]


def _with_decimals(match: re.Match[str]) -> str:
    is_weight = not match["apart"] or float(match["whole"]) < _BABY_KG
    return f"{match['whole']}.{match['part']} kg" if is_weight else match[0]
