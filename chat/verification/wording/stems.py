"""One form for the endings of an English word. Pure.

Fewer endings than Porter's stemmer (1980) takes off, so that two medicines or two findings never
become one: `prednisone` and `prednisolone`, `hypotension` and `hypotensive` stay apart.
"""

from __future__ import annotations

from functools import lru_cache

from retrieval.lexicon.spellings import other_spellings

_KEEP = 4  # letters at least that stay
# Longest first. What stays is brought to one end by `_rounded`.
_ENDINGS = (
    *("isations", "isation", "izations", "ization", "ations", "ation", "ments", "ment"),
    *("ings", "ing", "ions", "ion", "ances", "ance", "ers", "ies", "ied", "ally", "ily"),
    *("ed", "es", "ly", "er", "ive", "s", "e", "y"),
)
_WHOLE = {
    "gave": "give", "given": "give", "giving": "give", "gives": "give",
    "took": "take", "taken": "take", "taking": "take", "takes": "take",
    "began": "begin", "begun": "begin", "beginning": "begin",
    "kept": "keep", "made": "make", "making": "make", "done": "do", "does": "do",
    "rose": "rise", "risen": "rise", "rising": "rise", "fell": "fall", "fallen": "fall",
    "bled": "bleed", "bleeds": "bleed", "bleeding": "bleed", "found": "find", "led": "lead",
    "seen": "see", "saw": "see", "held": "hold", "withheld": "withhold", "known": "know",
    "children": "child", "women": "woman", "men": "man", "feet": "foot", "teeth": "tooth",
    "people": "person", "lives": "life", "diagnoses": "diagnosis", "diagnosed": "diagnosis",
    "diagnose": "diagnosis", "crises": "crisis", "indices": "index", "bacteria": "bacterium",
    "used": "use", "using": "use", "uses": "use", "usage": "use", "stopped": "stop",
    "stopping": "stop", "dying": "die", "died": "die", "dies": "die", "put": "put",
    "analyses": "analysis", "intake": "intake", "dose": "dose", "doses": "dose", "dosing": "dose",
    "dosage": "dose", "dosages": "dose", "dosed": "dose",
    "administration": "administer", "administrations": "administer", "therapies": "therapy",
    "prescription": "prescribe", "prescriptions": "prescribe", "reduction": "reduce",
    "reductions": "reduce", "maintenance": "maintain", "occurrence": "occur", "loss": "lose",
    "lost": "lose", "losing": "lose", "injection": "inject", "injections": "inject",
    "infusion": "infuse", "infusions": "infuse", "exclusion": "exclude", "response": "respond",
    "responses": "respond", "failure": "fail", "absence": "absent", "presence": "present",
    "growth": "grow", "grown": "grow", "arisen": "arise", "sought": "seek", "chosen": "choose",
    "choice": "choose", "choices": "choose", "wrote": "write", "written": "write",
    "shown": "show", "broken": "break", "driven": "drive", "told": "tell", "proven": "prove",
    "higher": "high", "highest": "high", "lower": "low", "lowest": "low", "older": "old",
    "oldest": "old", "younger": "young", "largest": "large", "larger": "large",
    "infected": "infection", "infections": "infection", "allergic": "allergy",
    "allergies": "allergy", "diabetic": "diabetes", "pregnant": "pregnancy",
    "pregnancies": "pregnancy", "septic": "sepsis", "feverish": "fever", "swollen": "swell",
    "breathing": "breathe", "breaths": "breathe", "breath": "breathe", "toxicity": "toxic",
    "severity": "severe", "species": "species", "diabetes": "diabetes", "series": "series",
    "unavailable": "available", "unsafe": "safe", "unsuitable": "suitable",
    "ineffective": "effective", "inappropriate": "appropriate", "unnecessary": "necessary",
    "unable": "able", "unlikely": "likely", "inadvisable": "advisable",
    "monthly": "month", "yearly": "year", "weekly": "week", "hourly": "hour", "daily": "day",
    "days": "day", "allergen": "allergen", "user": "user", "number": "number", "fever": "fever",
    "liver": "liver", "ulcer": "ulcer", "cancer": "cancer", "never": "never", "under": "under",
    "blister": "blister", "fiber": "fiber", "liter": "liter", "meter": "meter",
}  # fmt: skip
_DOUBLED = frozenset("bdgmnprt")


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """The word in small letters, without its ending, in one of its spellings."""
    word = word.casefold().replace("’", "'").removesuffix("'s").removesuffix("s'")
    spelled = min((word, *other_spellings(word)))
    for known in (word, spelled):
        if known in _WHOLE:
            whole = _WHOLE[known]
            return whole if _WHOLE.get(whole) == whole else _rounded(_without_ending(whole))
    return _rounded(_without_ending(spelled))


def _without_ending(word: str) -> str:
    if word.endswith(("ss", "us", "is", "ia")):
        return word
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _kept(ending):
            return _without_er(word.removesuffix(ending))
    return word[:-1] if len(word) > 3 and word.endswith("s") else word


def _kept(ending: str) -> int:
    """`added` is `add`; of no other ending so little is left."""
    return _KEEP - 1 if ending in {"ed", "ing"} else _KEEP


def _without_er(word: str) -> str:
    """`administered` is `administer` is `administ`."""
    return word.removesuffix("er") if len(word) > _KEEP + 1 else word


def _rounded(word: str) -> str:
    """`stopp` is `stop`, `infus` and `infuse` are one, as are `therapi` and `therapy`."""
    if len(word) > _KEEP and word[-1] == word[-2] and word[-1] in _DOUBLED:
        return word[:-1]
    if len(word) > _KEEP and word[-1] in "eiy":
        return word[:-1]
    return word
