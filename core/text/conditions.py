"""Conditions that a text names, and how severe, long-standing or certain it says they are. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator

_DEGREES = (
    "acute|severe|lower|upper|chronic|mild|moderate|uncomplicated|complicated|suspected|recurrent"
    "|major|massive|septic|community-acquired|hospital-acquired|bacterial|viral|high-risk|low-risk"
    "|life-threatening|ischaemic|diabetic"
)
_DEGREE = rf"(?:(?:{_DEGREES})\s+)*"
CONDITION = re.compile(
    rf"(?i:\b{_DEGREE}(?:[a-z]{{3,}}(?:itis|iasis|aemia|(?<!an)emia|opathy|uria|oedema|rrhagia|rrhoea"
    r"|plegia|phrenia)"
    r"|(?:[a-z]+\s+)?(?:infections?|syndrome|abscess)|sepsis|septic shock|shock|asthma|stroke"
    r"|pneumonia|anaphylaxis|epilepsy|seizures?|status epilepticus|diabetes|gout|delirium"
    r"|hypertension|hypotension|heart failure|atrial fibrillation|myocardial infarction|migraine"
    r"|psoriasis|scabies|malaria|measles|tuberculosis|eczema|depression|obesity|thrombosis"
    r"|(?:pulmonary )?embolism|(?:h(?:a)?emorrhage|bleeding|bleed)|fever|pain|cough|(?:leg )?cramps"
    r"|thrush|burns?|ketoacidosis|alcohol withdrawal"
    r"|cancer|lymphoma|leuk(?:a)?emia)\b)"
    rf"|\b(?i:{_DEGREE}(?:UTIs?|DKA|VTE|DVT|ACS|COPD|HIV))\b"
    rf"|\b(?i:{_DEGREE})(?:PE|MI|CAP|HAP|AF|TB)\b"
)
_LIMIT = re.compile(rf"(?:{_DEGREES})(?=\s)", re.IGNORECASE)


def conditions(text: str) -> Iterator[tuple[str, frozenset[str]]]:
    """Yield each condition, in lower case, with the words before it that say which of its kind.

    `severe pneumonia` is `pneumonia` with `severe`.
    """
    for match in CONDITION.finditer(text):
        named = " ".join(match.group().lower().split())
        limits = frozenset(_LIMIT.findall(named))
        yield " ".join(word for word in named.split() if word not in limits), limits
