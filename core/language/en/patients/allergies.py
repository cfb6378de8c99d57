"""Find what the patient of a question is allergic to, and what a text excludes. Pure."""

from __future__ import annotations

import re

from core.language.en.medicines.names import drug_places
from core.language.en.negation import denied_spans
from core.language.words import words

# Not `stop`, which is for those who take it.
_EXCLUDES = re.compile(
    r"\b(?:avoid\w*|contra-?indicat\w*|unsuitable|(?:do )?not (?:be )?(?:suitable|used?|given?|for"
    r"|if|in|before|until|after|from|recommended|offer(?:ed)?"
    r"|prescribed?))\b",
    re.IGNORECASE,
)
# `allergic to penicillin`, `penicillin allergy`; not `peanut allergy, adrenaline dose`.
_ALLERGIC_TO = re.compile(
    r"\b(?:allerg\w*|anaphyla\w*|intoleran\w*|reaction|reacts|rash)\s+(?:to|with|from)"
    r"\s+(?:[\w-]+\s+){0,2}\Z",
    re.IGNORECASE,
)
_PEN = re.compile(r"(?<!\w)pen(?!\w|-| [GV]\b)", re.IGNORECASE)
_ENDS = re.compile(r"[,.;:?!–—]")
_ANAPHYLAXIS = re.compile(r"\banaphyla\w*", re.IGNORECASE)
_SEVERE_REACTION = re.compile(r"\b(?:anaphyla\w*|severe|angio-?o?edema)\b", re.IGNORECASE)
# May stand between a word that denies and the medicine: `no known allergy to penicillin`.
_BETWEEN = frozenset(
    "no not without denies denied denying nil never negative for free of from to has have had"
    " having been being is was a an any known drug or nor and ever other current previous past"
    " history hx allergic allergy allergies reaction reactions reacts intolerant".split()
)
_ALLERGY = re.compile(r"[\s=:-]*(?:allerg\w*|anaphyla\w*|intoleran\w*)\b", re.IGNORECASE)


def allergies(question: str) -> tuple[str, ...]:
    """Return the medicines that the patient of a question is allergic to, in order of name.

    `Pen` is penicillin here. What is denied right before (`no penicillin allergy`) is none, unlike
    that in `no fever penicillin allergy`.
    """
    question = with_penicillin(question)
    places = list(drug_places(question))
    others = question
    for start, end, _ in places:
        others = f"{others[:start]}{' ' * (end - start)}{others[end:]}"
    denials = [start for start, _ in denied_spans(question)]
    return tuple(
        sorted(
            {
                name
                for start, end, name in places
                if _ALLERGY.match(question, end) or _ALLERGIC_TO.search(question[:start])
                if not any(
                    {word.lower() for word in words(others[at:start])} <= _BETWEEN
                    and not _ENDS.search(others, at, start)
                    for at in denials
                    if at < start
                )
            }
        )
    )


def with_penicillin(question: str) -> str:
    """Write `pen` out, where it isn't `pen V` or a device."""
    return _PEN.sub("penicillin", question)


def names_anaphylaxis(text: str) -> bool:
    return bool(_ANAPHYLAXIS.search(text))


def names_severe_reaction(text: str) -> bool:
    """Tell whether a text says that a reaction was severe: anaphylaxis, angioedema."""
    return bool(_SEVERE_REACTION.search(text))


def excludes(text: str) -> bool:
    """Tell whether a text says who must not have something: `avoid`, `contraindicated`."""
    return bool(_EXCLUDES.search(text))
