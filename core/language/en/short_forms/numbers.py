"""Write what a ward types with digits and signs as a sentence would: `4yo`, `34/40`, `?PE`. Pure.

Ages, spans of days, weeks and months, weeks of pregnancy, signs, and units glued to their number.
No number changes, and what has other readings stays as it is: `BP 140/40`, `1/7`.
"""

from __future__ import annotations

import re
from collections.abc import Callable

REVISION = 1  # of the rules: a part of the lexicon's fingerprint

_Written = Callable[[re.Match[str]], str]

_NUMBER = r"(?<![\w./,-])(?P<n>\d{1,3})"
_SPANS = {"y": "year", "yr": "year", "m": "month", "mo": "month", "wk": "week", "w": "week",
          "d": "day", "h": "hour", "hr": "hour", "min": "minute"}  # fmt: skip
_GLUED, _APART = "yr|mo|wk|w|d|h|hr|min", "yr|mo|wk|hr|min"
_OF = {"12": "month", "52": "week", "7": "day"}
_MOST = {"12": 36, "52": 104, "7": 60}
_CHILD = 16  # years below which M and F are a boy and a girl
_YOUNGEST, _OLDEST = 10, 115  # of `19F`; `4F PCC` has four factors
_BORN = r"(?= ?(?:baby|babies|prem\w*|neonate|newborn|infant|nnu|twins?)\b)"
_PREGNANT = r"(?: ?(?:pregnant|preg|gestation|weeks)\b|(?!\w))"
_BLOOD_PRESSURE = r"(?<!bp )(?<!bp of )"
_UNITS = "kg|mg|mcg|ml|mmol|cm|mm|microg|micrograms|units|iu|kcal|mmhg"


def in_words(text: str) -> str:
    """Return a question with its numbers and signs as a sentence has them."""
    for pattern, write in _RULES:
        text = pattern.sub(write, text)
    return " ".join(text.split())


def _age(match: re.Match[str]) -> str:
    return f"{match['n']}-{_SPANS[match['unit'].casefold()]}-old"


def _span(match: re.Match[str]) -> str:
    return _counted(match["n"], _SPANS[(match["unit"] or match["apart"]).casefold()])


def _counted(number: str, unit: str) -> str:
    return f"{number} {unit}{'s' * (number != '1')}"


def _part(match: re.Match[str]) -> str:
    """Write `2/52` as 2 weeks; as it was for a number that is none of them."""
    number, of = match["n"], match["of"]
    if not 0 < int(number) <= _MOST[of]:
        return match[0]
    return f"{number}-{_OF[of]}-old" if match["old"] else _counted(number, _OF[of])


def _person(match: re.Match[str]) -> str:
    age = int(match["n"])
    if not _YOUNGEST <= age <= _OLDEST:
        return match[0]
    is_male = match["sex"].casefold() == "m"
    names = ("boy", "girl") if age < _CHILD else ("man", "woman")
    return f"{age}-year-old {names[not is_male]}"


def _rule(pattern: str, write: str | _Written) -> tuple[re.Pattern[str], _Written]:
    made = (lambda match: match.expand(write)) if isinstance(write, str) else write
    return re.compile(pattern, re.IGNORECASE), made


# In the order in which they apply.
_RULES = (
    _rule(rf"{_BLOOD_PRESSURE}{_NUMBER}(?:\+\d)?/40{_BORN}", r"\g<n> weeks gestation"),
    _rule(rf"{_BLOOD_PRESSURE}{_NUMBER}(?:\+\d)?/40{_PREGNANT}", r"\g<n> weeks pregnant"),
    _rule(rf"{_NUMBER}/(?P<of>12|52|7)(?P<old>[ -]?old| ?baby)?(?![\d/])", _part),
    _rule(rf"{_NUMBER} ?(?P<unit>y|yr|m|mo|wk|w|d)s?[ /-]?(?:o|old)\b", _age),
    _rule(rf"{_NUMBER}(?P<unit>y|yr)s?(?: ?o)?\b", _age),
    _rule(rf"{_NUMBER} ?(?-i:(?P<sex>[MF]))(?=[\s,.;?]|\Z)(?! ?(?:units|IU)\b)", _person),
    _rule(rf"{_NUMBER} ?(?P<unit>yr|m|mo|wk|w|d)s?(?= (?:baby|boy|girl|child|infant)\b)", _age),
    _rule(
        rf"{_NUMBER}(?:(?P<unit>yr|mo|wk|w|d|h|hr|min)| (?P<apart>yr|mo|wk|hr|min))s?(?![\w/])",
        _span,
    ),
    _rule(rf"(?<![\w./])(\d+(?:\.\d+)?)({_UNITS})\b", r"\1 \2"),
    _rule(r"(?<=\w) ?\+ve\b", " positive"),
    _rule(r"(?<=[\w]) ?(?<!\d)[-–]ve\b", " negative"),
    _rule(r"(?<![\w?])\?(?=[A-Za-z])", "suspected "),
    _rule(r"(?<!\w)w/o\b", "without"),
    _rule(r"(?<!\w)(?:w/|c/(?!o\b))(?= ?[a-z])", "with "),
    _rule(r"(?<![\w/.-])(?-i:w)(?= [\w?])", "with"),
    _rule(r"\bb4\b", "before"),
    _rule(r"(?<=[a-z]) ?& ?(?=[a-z])", " and "),
)
