"""What a time is the time of: a duration, a moment, an age. Pure."""

from __future__ import annotations

import re

from chat.verification.quantities.types import Role

_LOOK_CHARS = 60
_PEOPLE = (
    r"(?:children|child|infants?|bab(?:y|ies)|neonates?|newborns?|adults?|people|patients?|wom[ae]n|m[ae]n"
    r"|girls?|boys?|persons?|those|individuals?|males?|females?|adolescents?|teenagers?|toddlers?)"
)
_HEDGE = r"(?:\s(?:a|an|the|about|around|approximately|another|further|full|up\sto|next|last|past|total\sof|at|of))*"
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


def role_of(text: str, start: int, end: int, bound: str) -> Role:
    """The role of the time at `[start, end)`, its bound's wording included, by its neighbours."""
    before = re.split(r"[;:|¤()]|\.\s", text[max(0, start - _LOOK_CHARS) : start])[-1]
    after = text[end : end + _LOOK_CHARS]
    if _AGE_AFTER.match(after) or _AGE_BEFORE.search(before) or re.search("older|younger", bound):
        return Role.AGE
    if _LASTS_BEFORE.search(before) or re.search(r"longer|shorter|longest|\bfor\b", bound):
        return Role.DURATION
    if bound == "within" or _MOMENT_BEFORE.search(before) or _MOMENT_AFTER.match(after):
        return Role.MOMENT
    return Role.DURATION if _LASTS_AFTER.match(after) else Role.UNKNOWN
