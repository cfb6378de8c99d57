"""Tell whether a sentence forbids: outright, by a condition, or by naming what is given instead.

Pure.
"""

from __future__ import annotations

import re

from core.language.en.statements.clauses import run_on_spans
from core.language.en.statements.limits import forbids_start

# `when the first choice is not suitable`: says when another is given.
_IN_PLACE_OF = re.compile(
    r"\b(?:when|if|where|whenever|(?:in|for) whom)\b[^.;:()]*?\b(?:not (?:be )?(?:suitable"
    r"|tolerated|appropriate|an option|possible|available|effective)|unsuitable|inappropriate)\b",
    re.IGNORECASE,
)
# `Stop metformin if the eGFR is below 30`: it isn't begun either.
_STOPS = re.compile(
    r"^\W*(?:stop|discontinue|withhold|hold|omit|pause)\b.*\b(?:if|when|where|while|below|above|in)\b",
    re.IGNORECASE | re.DOTALL,
)
_BANS = re.compile(
    r"\b(?:do not|don['’]t|avoid\w*|contra-?indicated|must not|should not|never)\b", re.IGNORECASE
)
_FIRST_ASK = re.compile(r"\bdiscuss(?:ed)?\b[^.]{0,120}\bbefore\b", re.IGNORECASE)
# Forbids to put it off: `do not wait for a central line`.
_TO_ACT = re.compile(
    r"\bdo not (?:wait|delay|withhold|stop|omit|hesitate|forget|miss)\b[^.;]*", re.IGNORECASE
)
_GIVES = r"\b(?:use|give|have|has|choose|offer|prefer)\b"
# `Use dalteparin instead when there is ...`, `patients with a valve have warfarin, not a DOAC`.
_INSTEAD = re.compile(
    rf"{_GIVES}(?P<given>[^.;:]*?)(?:\binstead\b(?= (?:if|when|where|in|for|with)\b)"
    r"|,\s*(?:and )?not (?=\w))",
    re.IGNORECASE,
)
# `Do not use salbutamol, montelukast or antibiotics.`
_OUTRIGHT = re.compile(
    r"(?:^|[:.]\s*)(?:please )?(?:do not|don['’]t|never|avoid)\s+(?P<what>[^.;:()]+)", re.IGNORECASE
)
_LISTED = re.compile(r",|\bor\b|\band\b|\b(?:such as|including|for example|e\.g\.)", re.IGNORECASE)
# What leaves a ban a ban: `either alone or in pairs`, `unless microbiology advises it`.
_ASIDE = re.compile(r",\s*either\b[^,.;]*,|\b(?:unless|except)\b[^.;]*", re.IGNORECASE)
_CONDITIONS = re.compile(
    r"\b(?:if|in|with|when|where|during|unless|until|without|for|before|after|within|below|above"
    r"|over|by|as|more|than|at|to|while|together|via|on|from|only|more|less|IV|IM|intravenous\w*)\b"
    r"|\d",
    re.IGNORECASE,
)


def forbids(text: str) -> bool:
    """Tell whether a sentence forbids something, or has it discussed first."""
    text = _IN_PLACE_OF.sub(" ", text)
    return bool(
        _FIRST_ASK.search(text)
        or _STOPS.search(text)
        or forbids_start(without_urging(text))
        or _INSTEAD.search(text)
    )


def is_ban(text: str) -> bool:
    """Tell whether a text says that something must not be, or what is given in its place."""
    return bool(_BANS.search(text) or _INSTEAD.search(text))


def without_urging(text: str) -> str:
    """Return a text without what forbids to put it off: `do not wait for a central line`."""
    return _TO_ACT.sub(" ", text)


def without_asides(text: str) -> str:
    """Return a text without what leaves a ban a ban: `either alone or in pairs`, `unless ...`."""
    return _ASIDE.sub(" ", text)


def given_instead(text: str) -> str:
    """Return what a text has given in the place of something else; empty for none."""
    found = _INSTEAD.search(text)
    return found["given"].strip() if found else ""


def banned_outright(text: str) -> list[str]:
    """Return what a text forbids without any condition: `salbutamol` and `antibiotics`.

    An exception that it makes is none.
    """
    found = _OUTRIGHT.search(without_asides(without_urging(text)))
    each = [part.strip() for part in _LISTED.split(found["what"])] if found else []
    return [] if any(map(_CONDITIONS.search, each)) else [part for part in each if part]


def forbidding_sentences(text: str) -> str:
    """Return the sentences that forbid; the whole text where none does."""
    every = [text[start:end] for start, end in run_on_spans(text)]
    return " ".join(each for each in every if forbids(each)) or text
