"""Postal addresses: a house and its street, with what follows up to the postcode. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator

from chat.question.identifiers.types import Span

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
_PATTERNS = (
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
_CODED = re.compile(
    r"(?<!\w)(?:post ?code|postal code|zip(?: ?code)?|plz)(?: is|:)?[\s:]{1,3}"
    rf"(?P<place>{_UK}|\d{{5}}(?:-\d{{4}})?|{_CANADA}|\d{{4}})(?!\w)",
    re.IGNORECASE,
)


def addresses(text: str) -> Iterator[Span]:
    """Streets with a house number, what "lives at" or "address" leads to, and named postcodes."""
    for pattern in _PATTERNS:
        for match in pattern.finditer(text):
            yield match.span()
    for match in _RUN.finditer(text):
        if _KNOWN.search(match["place"]) or _NUMBERED.match(match["place"]):
            yield match.span("place")
    for match in _CODED.finditer(text):
        yield match.span("place")
