"""Find numbers issued to a person: of records, insurances and states. Pure.

After a word such as `MRN` a number needs no check digit: a mistyped one still belongs to somebody.
Without such a word it must have the printed form and correct check digits.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from stdnum.be import nn
from stdnum.br import cpf
from stdnum.cn import ric
from stdnum.dk import cpr
from stdnum.es import dni, nie
from stdnum.fi import hetu
from stdnum.fr import nir
from stdnum.gb import nhs
from stdnum.ie import pps
from stdnum.it import codicefiscale
from stdnum.kr import rrn
from stdnum.pl import pesel
from stdnum.se import personnummer
from stdnum.us import itin, ssn

from core.language.en.identifiers.types import Span

_LINK = r"(?:\s{1,2}(?:is|was))?(?:[\s:#=.()\[-]{1,4}|(?=\d))"
_NUMBER = r"\s?(?:numbers?|no\.?|nr\.?|num\.?|#|id|ident(?:ifier)?)"
# At least four digits; groups of digits, or letters before, between and after.
_VALUE = (
    r"(?P<value>[A-Z]{2}(?: ?\d\d){3} ?[A-D]"
    r"|(?:(?-i:[A-Z]{1,4})[ -]?)?\d(?:[ -]?\d){3,17}[A-Z]{0,2}"
    r"|[A-Z]{1,6}\d[\dA-Z]{2,14}"
    r"|[\dA-Z]{1,6}(?:[-/][\dA-Z]{1,8}){1,4})(?![\w%]|[.,/]\d)"
)
_MIN_DIGITS = 4


def _cued(words: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w-])(?:{words}){_LINK}{_VALUE}", re.IGNORECASE)


_RECORD = _cued(
    r"MRN(?:\s?(?:no|number))?|EMPI|(?:(?:medical|health|clinical|patient|electronic)(?:['’]s)? )?"
    r"(?:hosp(?:ital)?\.?|patient(?:['’]s)?|pt|record|chart|file|encounter|admission|episode|"
    r"account|case|accession|CRN|ID|district|EHR|EMR|PAS)" + _NUMBER
)
_INSURANCE = _cued(
    r"(?:(?:(?:health |medical |social |private )?insurance(?: policy| card| member)?|"
    r"(?<!trust )(?<!hospital )(?<!local )(?<!clinical )(?<!our )policy|member(?:ship)?|"
    r"subscriber|beneficiary|group|health (?:plan|card)|national insurance|NI|EHIC|GHIC)"
    + _NUMBER
    + rf"|insurance(?: policy)?|(?:medicare|medicaid)(?: card)?(?:{_NUMBER})?|NINO|HICN|MBI"
    r"|versicherten(?:nummer|nr\.?)|krankenversicherungs(?:nummer|nr\.?))"
)
_NATIONAL = _cued(
    r"(?:NHS|CHI|H&C|HSC|social security|national(?: identity| identification)?|"
    r"personal(?: identity| identification)?|identity(?: card)?|citizen|tax(?:payer)?|passport|"
    r"SSN|SIN|PPS|CPR|BSN|NIR|DNI|NIE|PESEL|aadhaar|driv(?:er['’]?s?|ing) licen[cs]e)"
    + _NUMBER
    + r"|passport|driv(?:er['’]?s?|ing) licen[cs]e"
)
_NATIONAL_BARE = _cued(r"NHS|CHI|SSN|PPSN|aadhaar|PESEL|personnummer|fødselsnummer|codice fiscale")
_YEAR = re.compile(r"(?:19|20)\d\d(?:[-/](?:\d\d){1,2})?\Z")

# Letters of National Insurance numbers by HMRC's manual, NIM39110. Without a blank it may be a
# compound (SR141716A).
_NINO = re.compile(
    r"(?<![\w-])(?!BG|GB|KN|NK|NT|TN|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z]"
    r" \d{2} ?\d{2} ?\d{2} ?[A-D](?![\w-])"
)
# Characters by place, from CMS, "Understanding the Medicare Beneficiary Identifier format".
_C, _A, _AN = "[1-9]", "[AC-HJKMNP-RT-Y]", "[AC-HJKMNP-RT-Y0-9]"
_MBI = re.compile(rf"(?<![\w-]){_C}{_A}{_AN}\d-?{_A}{_AN}\d-?{_A}{_A}\d\d(?![\w-])")

_FORMS: tuple[tuple[str, Callable[[str], Any]], ...] = (
    (r"\d{3}([ ]?)\d{3}\1\d{4}", nhs.is_valid),
    (r"\d{3}-\d{2}-\d{4}", lambda text: ssn.is_valid(text) or itin.is_valid(text)),
    (r"[12]\s?\d{2}\s?\d{2}\s?\d[\dAB]\s?\d{3}\s?\d{3}\s?\d{2}", nir.is_valid),
    (r"[A-Z]{6}\d{2}[A-Z]\d{2}[A-Z]\d{3}[A-Z]", codicefiscale.is_valid),
    (r"\d{8}-?[A-Z]", dni.is_valid),
    (r"[XYZ]-?\d{7}-?[A-Z]", nie.is_valid),
    (r"\d{6}(?:\d{2})?[-+]\d{4}", personnummer.is_valid),
    (r"\d{6}-\d{4}", cpr.is_valid),
    (r"\d{6}[-+A]\d{3}[\dA-Y]", hetu.is_valid),
    (r"\d{2}\.\d{2}\.\d{2}-\d{3}\.\d{2}", nn.is_valid),
    (r"\d{3}\.\d{3}\.\d{3}-\d{2}", cpf.is_valid),
    (r"\d{17}[\dX]", ric.is_valid),
    (r"\d{6}-\d{7}", rrn.is_valid),
    (r"\d{11}", pesel.is_valid),
    (r"\d{7}[A-W][ABHTWX]?", pps.is_valid),
)
_PRINTED = tuple(
    (re.compile(rf"(?<![\w.,/+-]){form}(?![\w/]|[.,-]\d)"), is_valid) for form, is_valid in _FORMS
)


def records(text: str) -> Iterator[Span]:
    """Yield numbers of medical records, files and admissions after a word for them."""
    yield from _behind(_RECORD, text)


def insurances(text: str) -> Iterator[Span]:
    """Yield insurance numbers after a word for them, or in the form of two known kinds."""
    yield from _behind(_INSURANCE, text, min_digits=5)
    for pattern in (_NINO, _MBI):
        for match in pattern.finditer(text):
            yield match.span()


def nationals(text: str) -> Iterator[Span]:
    """Yield numbers of a state or its health service, after a word or by their check digits."""
    yield from _behind(_NATIONAL, text, min_digits=6)
    yield from _behind(_NATIONAL_BARE, text, min_digits=8)
    for pattern, is_valid in _PRINTED:
        for match in pattern.finditer(text):
            digits = {character for character in match.group() if character.isdecimal()}
            if len(digits) > 1 and is_valid(_plain(match.group())):
                yield match.span()


def _behind(
    pattern: re.Pattern[str], text: str, *, min_digits: int = _MIN_DIGITS
) -> Iterator[Span]:
    for match in pattern.finditer(text):
        value = match["value"]
        count = sum(character.isdecimal() for character in value)
        if count >= min_digits and not _YEAR.match(value):
            yield match.span("value")


def _plain(text: str) -> str:
    """Return the text with ASCII digits, as check digits are computed from them."""
    return "".join(str(int(c)) if c.isdecimal() else c for c in text)
