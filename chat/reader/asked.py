"""Which medicines a question asks about, and which the patient only takes or had. Pure."""

from __future__ import annotations

import re

from core.text.drugs import drugs

# What the patient has or had of a medicine that the question is not about: `already on warfarin`.
_PATIENTS_OWN = re.compile(
    r"\b(?:on|takes|taking|took|receiving|prescribed|using|started|after|despite|fail\w*|allerg\w*"
    r"|intoleran\w+|reaction to|anaphylaxis to|resistan\w+|sensitiv\w+|instead of|rather than"
    r"|alternatives? (?:to|for)|substitute for|other than|interact\w*|switch\w* from|chang\w+ from"
    r"|contra-?indicated|stopp\w+|overdose|toxicity|poisoning|levels?)\b[^.?!,;]{0,24}$",
    re.IGNORECASE,
)
_OWN_AFTER = re.compile(
    r"^[-\s]*(?:allerg\w*|intoleran\w+|resistan\w+|fail\w*|reversal|overdose|toxicity|poisoning"
    r"|is contra-?indicated|levels?|not tolerated|interact\w*)",
    re.IGNORECASE,
)


def asked_medicines(question: str) -> frozenset[str]:
    """The medicines that are asked about, without those that the patient only takes or had."""
    return frozenset(name for name in drugs(question) if _is_asked(name, question))


def _is_asked(name: str, question: str) -> bool:
    """Whether a medicine is asked about wherever the question names it."""
    places = [match.span() for match in re.finditer(re.escape(name), question, re.IGNORECASE)]
    return not any(
        _PATIENTS_OWN.search(question[:start]) or _OWN_AFTER.match(question[end:])
        for start, end in places
    )
