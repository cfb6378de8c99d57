"""What is for those without a condition is no answer for those with it. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from chat.types import Unit

_WORD = re.compile(r"[a-z][a-z-]+")
_WITHOUT = "no|non|without|absence of|free of"
_LACKED = r"[\s-]+((?:[a-z-]+\s+){0,2}[a-z-]+)"
_NEGATED = re.compile(rf"\b(?:{_WITHOUT}){_LACKED}", re.IGNORECASE)
_LACKS = re.compile(rf"\b(?:{_WITHOUT}|not|denies){_LACKED}", re.IGNORECASE)  # of a patient
# `If no bleeding:`, whom a row or a sentence is for. `No antibiotics.` is advice, and stays.
_ONLY_WITHOUT = re.compile(
    r"\b(?:if|when|where|with) (?:there (?:is|are) )?(?:no|without) ([a-z-]+)"
    r"(?=\s*(?:[:;,.|)]|$|\band\b|\bor\b))",
    re.IGNORECASE,
)
# `Nosebleed`, `melaena`: whoever has one bleeds.
_BLEEDING = re.compile(
    r"bleed|ha?emorrhag|mela?ena|ha?ematemesis|ha?ematochezia|ha?emoptysis|epistaxis"
)
_BLEEDS = ("bleeding", "haemorrhage", "hemorrhage")
_NO_BLEEDING = re.compile(rf"\b(?:no|not|without|denies)\b[^.,;:?]{{0,40}}?(?:{_BLEEDING.pattern})")
_GRAMMAR = frozenset(
    "a an the of in on for with and or to is are was be has have who what how when not no".split()
)


def without_denied(question: str, units: Sequence[Unit]) -> list[Unit]:
    """Leave out what is for those without it: "no major bleeding" of a question on major bleeding.

    Of 704 questions on real guidelines it took no right statement away, before bleeding was known
    by its other names.
    """
    asked = _pairs(question) - _denied_pairs(question)
    left = _LACKS.sub(" ", question.casefold())
    bleeds = _BLEEDING.search(left) and not _NO_BLEEDING.search(question.casefold())
    has = {*_WORD.findall(left), *(_BLEEDS if bleeds else ())}
    return [
        unit
        for unit in units
        if not asked & _denied_pairs(f"{unit.context} | {unit.text}")
        and has.isdisjoint(map(str.casefold, _ONLY_WITHOUT.findall(unit.text)))
    ]


def _denied_pairs(text: str) -> frozenset[frozenset[str]]:
    return frozenset().union(*(_pairs(found.group(1)) for found in _NEGATED.finditer(text)))


def _pairs(text: str) -> frozenset[frozenset[str]]:
    """Return each two words beside each other, in any order, without those of grammar."""
    words = _WORD.findall(text.casefold())
    return frozenset(frozenset(pair) for pair in pairwise(words) if _GRAMMAR.isdisjoint(pair))
