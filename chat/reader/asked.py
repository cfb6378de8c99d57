"""Which medicines a question asks about, and which the patient only takes or had. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

from core.text.drugs import drug_places

# What the patient has or had of a medicine that the question is not about: `already on warfarin`.
_PATIENTS_OWN = re.compile(
    r"\b(?:on|takes|taking|took|receiving|prescribed|using|started|after|despite|fail\w*|allerg\w*"
    r"|intoleran\w+|reaction to|anaphylaxis to|resistan\w+|sensitiv\w+|instead of|rather than"
    r"|alternatives? (?:to|for)|substitute for|other than|interact\w*|switch\w* from|chang\w+ from"
    r"|contra-?indicated|stopp\w+|alongside|in addition to|overdose|toxicity|poisoning|levels?)\b",
    re.IGNORECASE,
)
_OWN_AFTER = re.compile(
    r"^[-\s)]*(?:allerg\w*|intoleran\w+|resistan\w+|fail\w*|reversal|overdose"
    r"|toxicity|poisoning|is contra-?indicated|levels?|not tolerated|interact\w*)",
    re.IGNORECASE,
)
# `Paracetamol OD, dose of acetylcysteine`: an overdose where an antidote is named, else once daily.
_OVERDOSED = re.compile(r"^[-\s)]*OD\b", re.IGNORECASE)
_ANTIDOTES = frozenset(
    "acetylcysteine flumazenil fomepizole glucagon idarucizumab naloxone".split()
)
# `Coumadin pt, vitamin K dose`: whose medicine it is, where another one is named.
_HAS_IT = re.compile(r"^[-\s)]*(?:pt|patient)\b", re.IGNORECASE)
_REACH = re.compile(r"[^.?!,;]{0,24}")
_OF = re.compile(r"\s*(?:of|to|with|from|by|on|and|or|after|following)\b", re.IGNORECASE)
_ASKS = re.compile(r"\b(?:dos(?:es?|ing|age)|how (?:much|often|long)|give|use)\b", re.IGNORECASE)


def asked_medicines(question: str) -> frozenset[str]:
    """Return the medicines that are asked about, not those that the patient takes or had."""
    places = drug_places(question)
    named = frozenset(name for _, _, name in places)
    own = {
        name
        for start, end, name in places
        if _OWN_AFTER.match(question[end:])
        or ((named - {name}) & _ANTIDOTES and _OVERDOSED.match(question[end:]))
        or (len(named) > 1 and _HAS_IT.match(question[end:]))
        or _is_own(start, question, places)
    }
    return named - own


def _is_own(start: int, question: str, places: Sequence[tuple[int, int, str]]) -> bool:
    """Tell whether `on`, `allergic to` or the like before the medicine is said of it."""
    return any(
        _REACH.fullmatch(question, match.end(), start)
        and not _is_of_another(match, start, question, places)
        for match in _PATIENTS_OWN.finditer(question, 0, start)
    )


def _is_of_another(
    match: re.Match[str], start: int, question: str, places: Sequence[tuple[int, int, str]]
) -> bool:
    """Tell whether it is said of a nearer medicine: `paracetamol overdose: dose of`."""
    behind = question[match.end() : start]
    has_its_own = any(
        end <= match.start() and not question[end : match.start()].strip(" -")
        for _, end, _ in places
    )
    if has_its_own and _OWN_AFTER.match(match.group()) and not _OF.match(behind):
        return True
    return any(
        match.end() <= begin and end <= start and _ASKS.search(question[end:start])
        for begin, end, _ in places
    )
