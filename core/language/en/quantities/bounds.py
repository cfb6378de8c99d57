"""Read the wording of bounds, before and after a number. Pure.

Direction and openness are kept: `more than 5` is not `at least 5`. A negation just before a bound
reverses it: `do not give more than 5` is `at most 5`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_BIGGER = "more|greater|higher|older|heavier|longer|larger|bigger|later|faster|taller|wider|deeper"
_SMALLER = "less|lower|fewer|younger|lighter|shorter|smaller|earlier|sooner|slower|faster|narrower"
_HEDGE = (
    r"(?:(?:about|approximately|around|roughly|another|an?|the|additional|further|of|every"
    r"|age|ages|aged|first|next|last)\s)*"
)
_NOT = r"(?:not?|never|without|cannot|\w+n't)"
# What a negated verb may have before its bound; never a word that begins a condition.
_OBJECT = (
    r"(?:\s(?!if\b|when\b|unless\b|in\b|with\b|who\b|whose\b|where\b|while\b|until\b|and\b|or\b|but\b"
    r"|because\b|to\b|is\b|are\b|after\b|before\b|once\b|below\b)[a-z-]+){0,4}?\s"
)
_TOP = (
    r"(?:max(?:imum|imal|\.)?|highest|largest|longest|greatest|upper\slimit|ceiling|limit|limited"
    r"|capped)"
)
_BOTTOM = r"(?:min(?:imum|imal|\.)|minimum|lowest|smallest|shortest|lower\slimit)"
# Between `maximum` and its number, as in `the maximum daily dose is`.
_NAMED = r"(?:\s(?!and\b|or\b|but\b)[a-z-]+){0,5}?"

BEFORE = re.compile(
    rf"""(?:(?<![a-z-])|(?=[<>≤≥]))(?:
    (?P<low_closed>{_NOT}\s(?:{_SMALLER})\s(?:often\s|frequently\s)?than|{_NOT}\s?<(?!=)|not\s(?:below|under)|(?:{_BIGGER})\sthan\sor\sequal\sto
        |at\sor\s(?:above|over)|(?:at\s(?:the\svery\s)?least|as\s(?:little|few|low)\sas)
        |(?:above|over|>)\sor\sequal\sto|equal\sto\sor\s(?:{_BIGGER})\sthan
        |{_BOTTOM}{_NAMED}|≥)
    |(?P<high_closed>{_NOT}\s(?:{_BIGGER})\s(?:often\s|frequently\s)?than|{_NOT}\s?>(?!=)|not\s(?:above|over)
        |(?:not|without|never)(?:\sto)?\sexceed(?:ing)?|(?:must|should|do|does|may|can|will)\snot\sexceed
        |(?:cannot|\w+n't)\sexceed
        |{_NOT}{_OBJECT}(?:for\s)?(?:more\s(?:often\s|frequently\s)?than|longer\sthan|above|over|beyond|exceeding)
        |(?:{_SMALLER})\sthan\sor\sequal\sto|equal\sto\sor\s(?:{_SMALLER})\sthan
        |at\sor\s(?:below|under)|(?:below|under|<)\sor\sequal\sto|at\s(?:the\s)?most
        |up\sto(?!\sbut)(?:\sand\sincluding)?(?:\sa\s(?:maximum|total)\sof)?
        |as\s(?:much|many|high|long)\sas|within|no\slater\sthan|{_TOP}{_NAMED}|≤)
    |(?P<high_open>up\sto\sbut\snot\sincluding|(?:{_SMALLER})\sthan|under|below|beneath|<)
    |(?P<low_open>(?:{_BIGGER})\sthan|over|above|exceed(?:s|ing|ed)?|beyond|in\sexcess\sof|>)
    )\s?{_HEDGE}$""",
    re.VERBOSE,
)
AFTER = re.compile(
    rf"""(?:
    \s?(?P<low_closed>\+(?!/)|,?\s?(?:and|or)\s(?:over|above|upwards|(?:{_BIGGER})(?!\s(?:than|[a-z]+\sthan))))
    |\s?(?P<high_closed>,?\s?(?:and|or)\s(?:under|below|(?:{_SMALLER})(?!\sthan))
        |,?\s(?:at\s(?:the\s)?most|maximum|max\.?)(?=\s?(?:[.,;)|]|$|per\b|in\b|daily\b|a\sday\b)))
    |\s?(?P<low_least>,?\s(?:at\sleast|minimum)(?=\s?(?:[.,;)|]|$)))
    )(?![a-z])""",
    re.VERBOSE,
)
_LOOK_CHARS = 90


@dataclass(frozen=True)
class Bound:
    """`low`: the number is a minimum; `high`: a maximum; both None: it is exact."""

    side: str = ""  # `low`, `high` or empty
    is_open: bool = False
    word: str = ""
    start: int = 0  # where the wording begins; the number's own place where there is none


def bound_before(text: str, start: int) -> Bound:
    """Return the bound that ends where the number begins; the longest wording wins."""
    window = max(0, start - _LOOK_CHARS)
    part = text[window:start]
    stop = max((part.rfind(sign) for sign in ";:|¤()"), default=-1)
    stop = max(stop, part.rfind(". "), part.rfind(", ") if "max" not in part else -1)
    part = part[stop + 1 :]
    best = None
    for match in BEFORE.finditer(part):
        best = match
        break
    if best is None:
        return Bound(start=start)
    kind = best.lastgroup or ""
    side, _, openness = kind.partition("_")
    return Bound(side, openness == "open", best[0].strip(), window + stop + 1 + best.start())


def bound_after(text: str, end: int) -> tuple[Bound, int]:
    """Return the bound after a number, and where it ends."""
    match = AFTER.match(text, end)
    if match is None or not match[0]:
        return Bound(start=end), end
    side = (match.lastgroup or "").partition("_")[0]
    return Bound(side, False, match[0].strip(), end), match.end()
