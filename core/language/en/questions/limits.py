"""Tell questions on whether something may be given from those on how much of it. Pure."""

from __future__ import annotations

import re

from core.language.en.clinical_terms import conditions
from core.language.en.patients.people import people_of
from core.language.en.questions.asked import asks_dose, asks_when_not

# `Can I use ibuprofen`, `is ramipril ok`.
_LIMITED = re.compile(
    r"\b(?:contra-?indicat\w*|(?:pre)?cautions?|avoid\w*|safe(?:ty|ly)?|unsafe|ok(?:ay)?|allowed"
    r"|suitable|risks?|stop(?:ped)?|withh(?:o|e)ld|hold|(?:re)?start(?:ed)?|interact\w*|harmful)\b"
    r"|\b(?:can|could|should|may|must|is|are)\b",
    re.IGNORECASE,
)
_HOW = re.compile(
    r"\b(?:how|what|which|when|where|why|who)\b|\d\s*(?:mg|mcg|g|ml)\b", re.IGNORECASE
)
_SUBJECT = r"(?P<subject>[^?.:;!,]{3,80}?)[\s?.]*\Z"
_WHEN_NOT = tuple(
    re.compile(rf"\A\s*{frame} {_SUBJECT}", re.IGNORECASE)
    for frame in (
        r"(?:what are |list |any )?(?:the |main )*contra-?indications? (?:to|for|of|with)",
        r"when (?:should (?:i|we|you) |do (?:i|we) |must (?:i|we) )?(?:not|never)(?: to)?"
        r" (?P<verb>give|use|start|prescribe)",
        r"who (?:should|must|can)(?: ?not|n['’]t| never) (?P<verb>get|have|take|be given|receive)",
    )
)


def asks_limits(question: str) -> bool:
    """Tell whether a question asks if something may be given, and not how much of it.

    `Ramipril in pregnancy`, `ibuprofen and asthma` do, too.
    """
    if asks_when_not(question):
        return True
    if asks_dose(question) or _HOW.search(question):
        return False
    is_for = bool(people_of(question).states) or any(conditions(question))
    return is_for or bool(_LIMITED.search(question))


def verb_of_limits(question: str) -> str:
    """Return `get` of `who should not get alteplase`, where guidelines say `contraindicated`."""
    found = (pattern.match(question) for pattern in _WHEN_NOT[1:])
    return next((match["verb"] for match in found if match), "")


def when_contraindicated(question: str) -> str:
    """Return a question for contraindications as a sentence; any other as it is.

    `Contraindications to alteplase`, `who should not get alteplase`: `When is alteplase
    contraindicated?`
    """
    for pattern in _WHEN_NOT:
        if found := pattern.match(question):
            return f"When is {found['subject']} contraindicated?"
    return question
