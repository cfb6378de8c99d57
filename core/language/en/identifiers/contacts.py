"""Find e-mail addresses, telephone numbers and postal addresses. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator

from phonenumbers import NumberParseException, is_valid_number, parse

from core.language.en.identifiers.types import Span

_LOCAL_CHARS = 64  # RFC 5321, section 4.5.3.1.1
_LOCAL = re.compile(r"[\w.+%'-]+\Z")
_HOST = re.compile(r"@(?:[^\W_](?:[\w-]{0,61}[^\W_])?\.){1,8}[^\W\d_]{2,24}(?!\w)")

# Regions whose numbers are recognised without a country code, if they begin with 0: a row of other
# numbers may be results. Candidates are found here and not by the library's matcher, which can take
# seconds for a hostile text.
_REGIONS = ("GB", "IE", "AU", "DE", "FR", "NL")
_CANDIDATE = re.compile(
    r"(?<![\w.,/+-])(?:\+|\(?0)\d{1,5}(?:[\s().-]{0,2}\d){6,11}(?![\w/]|[.,-]\d)"
)
_MIN_DIGITS = 9  # a compound's code has fewer
# Includes numbers reserved for films and examples (Ofcom's drama numbers, 555), which are not valid
# but often used in tests.
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
    """Yield e-mail addresses, each with the longest local part that RFC 5321 allows."""
    for match in _HOST.finditer(text):
        local = _LOCAL.search(text, max(0, match.start() - _LOCAL_CHARS), match.start())
        if local and any(character.isalnum() for character in local.group()):
            yield local.start(), match.end()


def phones(text: str) -> Iterator[Span]:
    """Yield telephone numbers: after a word such as `phone`, by shape, or valid in a region."""
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


# The letters that the second half of a British postcode may have (BS 7666): "5MG" is none.
_UK = r"[A-Z]{1,2}\d[A-Z\d]?[ ]?\d[ABD-HJLNP-UW-Z]{2}"
_CANADA = r"[A-Z]\d[A-Z][ ]?\d[A-Z]\d"
_CODE = (
    rf"(?:{_UK}|(?:[A-Z]{{2}}[ ,]{{1,2}})?\d{{5}}(?:-\d{{4}})?|{_CANADA}"
    r"|[A-Z]{2,3} \d{4})"  # the last as in Australia
)
_CAP = r"[A-ZÀ-ÖØ-Þ][\w'’.-]{1,30}"
_REST = rf"(?:(?:,?\s{{1,2}}{_CAP}){{0,5}},?\s{{1,2}}{_CODE}(?!\w))?"
_FLAT = r"(?:(?i:flat|apartment|apt|unit) \w{1,4},? )?"
_HOUSE = rf"(?<![\w.,/–-]){_FLAT}\d{{1,5}}[A-Za-z]?(?:[-/]\d{{1,4}})?,?\s"
_SURE = r"Street|Road|Avenue|Lane|Crescent|Terrace|Boulevard|Mews|Rd|Ave|Blvd|Ln|St|Hwy|Highway"
_UNSURE = r"Drive|Close|Gardens|Grove|Court|Place|Square|Way|Park|Hill|Row|Walk|Rise|Green|Parkway"
_NOT_STREETS = (
    r"(?:Minute|Metre|Meter|Day|Week|Month|Year|Hour|Step|Patients?|Doses?|Type|Point|Item)"
)
_NAME = rf"(?!{_NOT_STREETS}\b)(?:{_CAP}\s{{1,2}}){{1,4}}?"
_ADDRESSES = (
    re.compile(rf"{_HOUSE}{_NAME}(?:{_SURE})\b\.?(?!['’]s){_REST}"),
    re.compile(rf"{_HOUSE}{_NAME}(?:{_UNSURE})(?=\s{{0,2}}(?:[,.;:?!)]|\Z)){_REST}"),
    re.compile(
        r"(?<![\w.,/–-])\d{1,4}[a-z]? (?!of|in|to|on|by|the|a|and|or|per|days?\b|weeks?\b|times?\b)"
        r"[a-z]{3,20} (?:[a-z]{3,20} )?(?:street|road|avenue|crescent)(?!\w)"
        rf"(?:(?:,? \w{{2,20}}){{0,2}},? {_CODE}(?!\w))?",
        re.IGNORECASE,
    ),
    re.compile(rf"(?<!\w)\w{{2,30}}(?:stra(?:ß|ss)e|str\.) \d{{1,4}}[a-z]?(?:,? \d{{5}} {_CAP})?"),
    re.compile(
        r"(?<![\w.,])\d{1,4}(?: bis| ter)?,? (?:rue|chemin|impasse|allée) "
        rf"(?:(?:de|du|des|la|le|les) ){{0,2}}{_CAP}(?:,? \d{{5}} {_CAP})?"
    ),
    re.compile(
        rf"(?<!\w)(?:Calle|Avenida|Rua|Piazza) (?:{_CAP} ){{0,2}}{_CAP},? \d{{1,4}}(?![\w%])"
    ),
    re.compile(r"(?<!\w)P\.?\s?O\.? ?Box \d{1,6}(?!\w)", re.IGNORECASE),
)
_WORDS = (
    r"(?:(?:home|postal|mailing|street|current|his|her|their|my|patient['’]?s?) address"
    r"|address(?=:))(?: is|:| was)?"
    r"|(?:lives?|living|resid(?:es|ing)|resident|stay(?:s|ing)) (?:at|in)"
)
_RUN = re.compile(
    rf"(?<!\w)(?i:{_WORDS})[\s:]{{1,3}}(?P<place>(?:{_CAP}|\d{{1,5}}\w?)(?:,?\s{{1,2}}(?:{_CAP}|\d{{1,5}}\w?|{_UK})){{1,10}})"
)
_KNOWN = re.compile(rf"\b(?:{_SURE}|{_UNSURE}|Cottage|House|Farm)\b|\b{_UK}\b")
_NUMBERED = re.compile(r"\d{1,5}\w?,?\s[^\W\d_]{3}")
_POSTCODES = re.compile(
    r"(?<!\w)(?:post ?code|postal code|zip(?: ?code)?|plz)(?: is|:)?[\s:]{1,3}"
    rf"(?P<place>{_UK}|\d{{5}}(?:-\d{{4}})?|{_CANADA}|\d{{4}})(?!\w)",
    re.IGNORECASE,
)


def addresses(text: str) -> Iterator[Span]:
    """Yield streets with a house number, places after "lives at" or "address", named postcodes."""
    for pattern in _ADDRESSES:
        for match in pattern.finditer(text):
            yield match.span()
    for match in _RUN.finditer(text):
        if _KNOWN.search(match["place"]) or _NUMBERED.match(match["place"]):
            yield match.span("place")
    for match in _POSTCODES.finditer(text):
        yield match.span("place")
