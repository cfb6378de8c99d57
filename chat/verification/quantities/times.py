"""What a time is the time of: a duration, a moment, an age. Pure."""

from __future__ import annotations

import re

from chat.verification.quantities.types import Role

_LOOK_CHARS = 60
_PEOPLE = (
    r"(?:children|child|infants?|bab(?:y|ies)|neonates?|newborns?|adults?|people|patients?|wom[ae]n|m[ae]n"
    r"|girls?|boys?|persons?|those|individuals?|males?|females?|adolescents?|teenagers?|toddlers?)"
)
_HEDGE = (
    r"(?:\s(?:a|an|the|about|around|approximately|another|further|full|up\sto|next|last|past"
    r"|total\sof|at|of))*"
)
_AGE_BEFORE = re.compile(
    rf"(?:\b(?:aged?|ages|ageing|aging)(?:\s(?:of|between|from|is|was|about|group|range))*"
    rf"|\b{_PEOPLE}(?:\s(?:of|who\sare|between|from|is|are))?)\s?$"
)
_AGE_AFTER = re.compile(
    r"(?:[\s-](?:olds?|of\sage|of\slife|boys?|girls?|child(?:ren)?|infants?|bab(?:y|ies)|m[ae]n|wom[ae]n)"
    r"|[\s,]*(?:and|or)\s(?:older|younger))(?![a-z])"
)
_LASTS_BEFORE = re.compile(
    rf"\b(?:for|lasting|lasts?|duration(?:\sof|\sis)?|courses?\sof|throughout|continu\w+|complete[sd]?"
    rf"|period\sof|persist(?:s|ing)?){_HEDGE}\s?$"
)
_MOMENT_BEFORE = re.compile(
    rf"\b(?:within|after|before|at|by|in|until|till|from|first|during|since|last|past|next|than){_HEDGE}\s?$"
)
_MOMENT_AFTER = re.compile(
    r"[\s-](?:'\s)?(?:after|before|later|earlier|ago|from|prior|following|post|pre|apart|since"
    r"|of\s(?:pregnancy|gestation|birth|surgery|admission|arrival|onset|presentation|the))(?![a-z])"
)
_LASTS_AFTER = re.compile(
    r"'?[\s-](?:courses?|treatment|therapy|regimen|period|in\stotal|long|duration|in\sduration|infusion"
    r"|of\s[a-z-]+)(?![a-z])"
)


_BARE_AGE = re.compile(r"\b(?:aged|age)(?:\s(?:of|between|from|is|over|under|group))*\s?$")
_PEOPLE_BEFORE = re.compile(rf"\b{_PEOPLE}(?:\s(?:who\sare|are))?\s?$")
_AGE_BOUND = r"older|younger|\bage"
_IN = re.compile(r"\bin(?:\sthe)?(?:\s(?:first|last|past|next))?\s?$")
_SIDE_BEFORE = re.compile(
    r"\b(after|before|following|prior\sto)(?:\s(?:the|a|first|another|about))*\s?$"
)
_SIDE_AFTER = re.compile(r"'?\s(after|before|later|earlier|following|prior|ago)(?![a-z])")
_SIDES = {
    "later": "after",
    "following": "after",
    "prior to": "before",
    "prior": "before",
    "earlier": "before",
}


def is_bare_age(text: str, start: int, bound: str) -> bool:
    """Whether a number without a unit is somebody's age: `aged 65`, `65 or older`."""
    before = text[max(0, start - _LOOK_CHARS) : start]
    is_of_people = re.match("over|under|above|below", bound) and _PEOPLE_BEFORE.search(before)
    return bool(is_of_people or _BARE_AGE.search(before) or re.search(_AGE_BOUND, bound))


def is_within(before: str) -> bool:
    """Whether `in` stands before a time: `in 24 hours` may mean `within 24 hours`."""
    return bool(_IN.search(before[-_LOOK_CHARS:]))


def side_of(text: str, start: int, end: int) -> str:
    """`before` or `after` what; empty where it is not said."""
    found = _SIDE_AFTER.match(text, end) or _SIDE_BEFORE.search(
        text[max(0, start - _LOOK_CHARS) : start]
    )
    return _SIDES.get(found[1], found[1]) if found else ""


def role_of(text: str, start: int, end: int, bound: str) -> Role:
    """The role of the time at `[start, end)`, its bound's wording included, by its neighbours."""
    before = re.split(r"[;:|¤()]|\.\s", text[max(0, start - _LOOK_CHARS) : start])[-1]
    after = text[end : end + _LOOK_CHARS]
    if _AGE_AFTER.match(after) or _AGE_BEFORE.search(before) or re.search(_AGE_BOUND, bound):
        return Role.AGE
    if _LASTS_BEFORE.search(before) or re.search(r"longer|shorter|longest|\bfor\b", bound):
        return Role.DURATION
    if bound.startswith("within") or _MOMENT_BEFORE.search(before) or _MOMENT_AFTER.match(after):
        return Role.MOMENT
    return Role.DURATION if _LASTS_AFTER.match(after) else Role.UNKNOWN
