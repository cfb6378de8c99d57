"""Tell whether a text gives a dose, and whether a question asks for one. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable

# Not `who needed two doses`.
_ASKS_DOSE = re.compile(
    r"(?<!\d\s)(?<!\btwo\s)(?<!\bthree\s)(?<!\bfour\s)(?<!\bseveral\s)\bdos(?:es?|ing|age)\b"
    r"|\bhow (?:much|many mg)\b",
    re.IGNORECASE,
)
_AMOUNT = re.compile(
    r"\d\s*(?:-\s*)?(?:mg|mcg|micrograms?|mcgs?|g|grams?|ml|l|lit(?:re|er)s?|units?|iu|mmol|meq|%|mu"
    r"|million|tablets?|capsules?|puffs?|drops?|sachets?|ampoules?|vials?|joules?|j|bolus\w*"
    r"|pools?|cups?|spoon\w*|pat\w+|suppositor\w+|drinks?|nebul\w+)(?![a-z])(?! ?(?:/|per )d?l)"
    r"|\b(?:one|two|three|four|half|double) (?:\w+ (?:of )?)?"
    r"(?:tablets?|capsules?|puffs?|drops?|sachets?|ampoules?|vials?)\b",
    re.IGNORECASE,
)
_ABOUT_DOSE = re.compile(
    r"\bdos(?:es?|ing|age)\b.*\b(?:adjust\w*|reduc\w+|half|halve\w*|doubl\w+|increas\w+|same|not)\b"
    r"|\b(?:adjust\w*|reduc\w+|half|halve\w*|doubl\w+|increas\w+|same|no|not)\b.*\bdos"
    r"|\b(?:contra-?indicated|avoid|not (?:be )?(?:recommended|given|used)|do not|omit)\b",
    re.IGNORECASE | re.DOTALL,
)


def lacks_dose(question: str, texts: Iterable[str]) -> bool:
    """Tell whether a dose is asked for and no text has an amount."""
    return bool(_ASKS_DOSE.search(question)) and not any(map(_AMOUNT.search, texts))


def says_of_dose(text: str) -> bool:
    """Tell whether a text gives an amount or says how a dose changes."""
    return bool(_AMOUNT.search(text) or _ABOUT_DOSE.search(text))
