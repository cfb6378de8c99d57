"""Find dates of birth: dates after a word such as `born`, or next to a name. Pure.

Years alone, and "born before", "on or after" or "between", are about cohorts, as in schedules of
vaccination.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from core.language.en.identifiers.types import HARMLESS, NAMED, Span

_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|"
    r"sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?|januar|februar|märz|mai|juni|juli|"
    r"okt(?:ober)?|dez(?:ember)?|janvier|février|mars|avril|juin|juillet|août|septembre|octobre|"
    r"novembre|décembre|enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|"
    r"noviembre|diciembre)"
)
_FULL = (
    r"\d{1,2}\s?[/.-]\s?\d{1,2}\s?[/.-]\s?(?:\d{4}|\d{2})|\d{4}\s?[/.-]\s?\d{1,2}\s?[/.-]\s?\d{1,2}"
    rf"|\d{{1,2}}(?:st|nd|rd|th)?\.?[ -](?:of |de )?{_MONTH}\.?,?[ -](?:of |de )?"
    r"(?:\d{4}|['’]?\d{2})"
    rf"|{_MONTH}\.?[ -]\d{{1,2}}(?:st|nd|rd|th)?,?[ -]\d{{4}}"
)
_PARTLY = (
    rf"\d{{8}}|\d{{6}}|\d{{1,2}}(?:st|nd|rd|th)?\.?\s(?:of )?{_MONTH}|{_MONTH}\.?,?\s\d{{4}}"
    rf"|{_MONTH}\.?\s\d{{1,2}}(?:st|nd|rd|th)?|\d{{1,2}}[/-]\d{{4}}"
)
_END = r"(?![\w]|[/-]\d)"
_WORDS = (
    r"D\.?O\.?B\.?|dates? of birth|birth ?date|birth ?day|geburtsdatum|geb\.|fecha de nacimiento|"
    r"date de naissance|data di nascita|geboortedatum"
)
_BORN = (
    rf"born(?: at [\d+/ {HARMLESS}]{{1,14}}(?:weeks?)?(?: gestation)?,?)?(?: on)?(?: the)?"
    r"|b\.|née? le|geboren am|nacid[oa] el|nat[oa] il"
)
_FLAGS = re.IGNORECASE
_PATTERNS = (
    re.compile(
        rf"(?<!\w)(?:{_WORDS})(?: (?:is|was|of|on|as))?[\s:=,.()\[-]{{0,4}}(?:the )?"
        rf"(?P<date>{_FULL}|{_PARTLY}){_END}",
        _FLAGS,
    ),
    re.compile(rf"(?<!\w)(?:{_BORN})[\s:,]{{1,3}}(?P<date>{_FULL}){_END}", _FLAGS),
    re.compile(rf"(?<![\w/-])(?P<date>{_FULL})[\s,(\[-]{{1,3}}(?:{_WORDS})(?!\w)", _FLAGS),
)
_BESIDE = re.compile(rf"{NAMED}[\s,;([-]{{1,4}}(?P<date>{_FULL}){_END}", _FLAGS)


def births(text: str) -> Iterator[Span]:
    """Yield dates marked as dates of birth."""
    for pattern in _PATTERNS:
        for match in pattern.finditer(text):
            yield match.span("date")


def births_near_names(text: str) -> Iterator[Span]:
    """Yield dates directly after a name that was found: `Mr Smith (12/03/1956)`."""
    for match in _BESIDE.finditer(text):
        yield match.span("date")
