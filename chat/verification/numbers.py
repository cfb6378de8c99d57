"""Each number of a claim, with its unit, bound, frequency and duration, is in the evidence. Pure.

In any spelling: `BD` and `twice daily`, `one week` and `7 days`, `0.5 g` and `500 mg`, `above 13`
and `> 13`. What the evidence counts and the claim leaves out is no fault here.
"""

from __future__ import annotations

import re

from chat.verification.types import Evidence, Finding, Label
from core.text.quantities.matching import held, not_held
from core.text.quantities.reading import read

NAME = "numbers"
_AGE = re.compile(r"\b(\d{1,3})\s?(?:[MFmf]|yo|y/o)\b")  # `78M`, as clinicians type an age
MAX_NUMBERS = 100  # of a claim: each is compared with each of the evidence


def check(claim: str, evidence: Evidence) -> Finding | None:
    said = read(claim)
    if len(said.quantities) + len(said.frequencies) > MAX_NUMBERS:
        return Finding(NAME, Label.NOT_FOUND, "too many numbers for one claim")
    asked = _AGE.sub(r"\1 years", evidence.question)
    why = not_held(claim, held((*evidence.quotes, evidence.context)), held((asked,)))
    return Finding(NAME, Label.CONTRADICTED, why) if why else None
