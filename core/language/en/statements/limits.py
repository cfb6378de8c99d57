"""Recognise sentences that limit others: prohibitions, exceptions, groups, monitoring. Pure."""

from __future__ import annotations

import re
from enum import IntEnum

from core.language.en.patients.people import people_of


class Limit(IntEnum):
    """Kinds of limits, the most binding first."""

    CONTRAINDICATION = 1
    EXCEPTION = 2
    POPULATION = 3
    MONITORING = 4


_STARTS_NOT = re.compile(
    r"(?:^|[.;:,–—(-]\s*|\b(?:and|but|so|or|please|then)\s+)(?:do not|don['’]t)\b"
    r"|\b(?:contra-?indicat\w*|must not|should not|shall not|may not|cannot"
    r"|can(?:no|['’])t|never|avoid\w*|not (?:be )?(?:suitable|recommended|advised|safe"
    r"|licensed|used|given|prescribed|started|offered)|unsuitable|unsafe|withh(?:old|eld|olding)"
    r"|reserved for|omit)\b",
    re.IGNORECASE,
)
_ENDS = re.compile(r"\b(?:stop(?:ped)?(?= \w)|discontinue\w*)\b", re.IGNORECASE)
_EXCEPTS = re.compile(
    r"(?:^|[.;]\s+)only\b"
    r"|\b(?:unless|except\w*|however|otherwise|only (?:if|when|on|after|for|in|with|while|by|until)"
    r"|maximum|at most|no more than|not more than|not exceed\w*|caution\w*|instead|provided that"
    r"|does not (?:cover|apply)|reduce[ds]?|lower dose|halve[ds]?"
    r"|not (?:if|when|in|for|under|below|above|during)"
    r"|discuss(?:ed)?(?=[^.]{0,120}\bbefore\b))\b",
    re.IGNORECASE,
)
_WATCHES = re.compile(
    r"\b(?:monitor\w*|measure[ds]?|check(?:ed|s)?|recheck\w*|watch\w*|observ(?:e|ation)s?"
    r"|repeat the|look for|ask (?:about|the patient)"
    r"|record\w* (?:the )?(?:pulse|blood|temp\w*|ECG|weight)|blood tests?|levels?)\b",
    re.IGNORECASE,
)
_AIMED = re.compile(r"\b(?:dose|dosing|mg|g|mL|units?|give[ns]?|use[ds]?|reduce[ds]?)\b")
# Beginnings of sentences that refer to the sentence before.
_GOES_ON = re.compile(
    r"^(?:However|But|Unless|Except|Exceptions?|Otherwise|Only|This|These|Also|In such|Then)\b"
    r"|^(?:\S+\s+){0,5}(?:[Ii]t|[Tt]hem|[Tt]his|[Tt]hese)\b"
)
_FORBIDDING_HEADING = re.compile(
    r"\b(?:contra-?indicat\w*|cautions?|precautions?|exceptions?|warnings?|exclu\w+|do not|avoid"
    r"|when not|not suitable|who should not)\b",
    re.IGNORECASE,
)


def limit_of(text: str) -> Limit | None:
    """Return the most binding kind of limit in a statement; None for no limit."""
    if forbids_start(text) or _ENDS.search(text):
        return Limit.CONTRAINDICATION
    if _EXCEPTS.search(text):
        return Limit.EXCEPTION
    if people_of(text).special and _AIMED.search(text):
        return Limit.POPULATION
    return Limit.MONITORING if _WATCHES.search(text) else None


def forbids_start(text: str) -> bool:
    """Tell whether a statement says when something is not given, not only when it is stopped."""
    return bool(_STARTS_NOT.search(text))


def goes_on(text: str) -> bool:
    """Tell whether a sentence refers to the one before: `However`, `Unless`, `do not give it`."""
    return bool(_GOES_ON.search(text))


def is_limiting_heading(text: str) -> bool:
    """Tell whether a heading announces limits, such as `Contraindications` or `Cautions`."""
    return bool(_FORBIDDING_HEADING.search(text))
