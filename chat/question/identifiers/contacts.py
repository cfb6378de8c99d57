"""E-mail addresses and telephone numbers. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator

from phonenumbers import NumberParseException, is_valid_number, parse

from chat.question.identifiers.types import Span

_LOCAL_CHARS = 64  # RFC 5321, section 4.5.3.1.1
_LOCAL = re.compile(r"[\w.+%'-]+\Z")
_HOST = re.compile(r"@(?:[^\W_](?:[\w-]{0,61}[^\W_])?\.){1,8}[^\W\d_]{2,24}(?!\w)")

# Whose numbers are known without a country code. Only one that begins with 0 is taken there: a row
# of plain numbers is a row of results. Candidates are found here and not by the library's matcher,
# which takes seconds for a text that was made for it.
_REGIONS = ("GB", "IE", "AU", "DE", "FR", "NL")
_CANDIDATE = re.compile(
    r"(?<![\w.,/+-])(?:\+|\(?0)\d{1,5}(?:[\s().-]{0,2}\d){6,11}(?![\w/]|[.,-]\d)"
)
_MIN_DIGITS = 9  # a compound's code has fewer
# Also those that are set aside for films and forms (Ofcom's drama numbers, 555), which nobody
# can dial and everybody tries.
_SHAPES = re.compile(
    r"(?<![\w.,/+-])(?:"
    r"\+\d{1,3}[ .-]?(?:\(0\)[ ]?)?\d{1,4}(?:[ .-]?\d{2,4}){2,4}"
    r"|07\d{3}[ -]?\d{3}[ -]?\d{3}"
    r"|0[1-3]\d{1,3}[ -]\d{3,4}[ -]\d{3,4}|0[1-3]\d{3}[ -]\d{5,6}"
    r"|\(0\d{2,4}\)[ ]?\d{3,4}[ -]?\d{3,4}"
    r"|(?:1[-. ])?\(\d{3}\)[ ]?\d{3}[-. ]\d{4}|(?:1[-.])?\d{3}([-.])\d{3}\1\d{4}"
    r")(?![\w/]|[.,-]\d)"
)
_CUED = re.compile(
    r"(?<!\w)(?:tele(?:phone|fon)|phone|tel|mobile|cell(?:ph?one)?|fax|whats-?app|landline|"
    r"call(?:ed)?(?: (?:him|her|them|me|us|back))?|ring|rung|text(?:ed)?(?: (?:him|her|me))?|"
    r"contact|handy|móvil|portable)(?: (?:number|no|nr|num))?\.?\s{0,2}(?:is|was|at|on|:|#|=)?"
    r"[\s:.]{0,3}(?P<value>\+?\(?\d(?:[\s().-]{0,2}\d){6,14})(?![\w%]|[.,/]\d)",
    re.IGNORECASE,
)


def emails(text: str) -> Iterator[Span]:
    """Yield addresses, each with the longest local part that RFC 5321 allows."""
    for match in _HOST.finditer(text):
        local = _LOCAL.search(text, max(0, match.start() - _LOCAL_CHARS), match.start())
        if local and any(character.isalnum() for character in local.group()):
            yield local.start(), match.end()


def phones(text: str) -> Iterator[Span]:
    """Yield what may be dialled: behind a word for it, by its shape, or valid in a region."""
    for match in _CUED.finditer(text):
        yield match.span("value")
    for match in _SHAPES.finditer(text):
        yield match.span()
    for match in _CANDIDATE.finditer(text):
        if _is_dialled(match.group()):
            yield match.span()


def _is_dialled(raw: str) -> bool:
    if sum(character.isdecimal() for character in raw) < _MIN_DIGITS:
        return False
    regions: tuple[str | None, ...] = (None,) if raw[0] == "+" else _REGIONS
    return any(_is_valid(raw, region) for region in regions)


def _is_valid(raw: str, region: str | None) -> bool:
    try:
        return is_valid_number(parse(raw, region))
    except NumberParseException:
        return False
