"""Find what a question asks about: its medicines, when not to give them, patients without it. Pure.

A medicine may only be one that the patient takes or has had.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from core.language.en.clinical_terms import conditions, routes
from core.language.en.medicines.names import brand_words, drug_places, is_medicines_place
from core.language.en.negation import denied_spans
from core.language.en.patients.allergies import allergies, with_penicillin
from core.language.en.patients.people import People, people_of

# What the patient has or had of a medicine that the question is not about: `already on warfarin`.
_PATIENTS_OWN = re.compile(
    r"\b(?:on|takes|taking|took|receiving|prescribed|using|started|after|despite|fail\w*|allerg\w*"
    r"|intoleran\w+|reaction to|rash (?:w|with|to|on|from)|anaphylaxis to|resistan\w+"
    r"|sensitiv\w+|instead of|rather than|alternatives? (?:to|for)|substitute for|other than"
    r"|interact\w*|switch\w* from|chang\w+ from"
    r"|contra-?indicated|cannot have|can['’]t have|stopp\w+|alongside|in addition to|overdose"
    r"|toxicity|poisoning|levels?)\b",
    re.IGNORECASE,
)
_OWN_AFTER = re.compile(
    r"^[-\s)]*(?:allerg\w*|anaphyla\w+|rash\b|reaction\b|intoleran\w+|resistan\w+|fail\w*|reversal|overdose"
    r"|toxicity|poisoning|bleed\w*|ha?emorrhage|is contra-?indicated|levels?|not tolerated"
    r"|(?:is )?not an option|can(?:not|['’]t| not) be (?:used|given|had)|(?:is|was) left out"
    r"|no better"
    r"|interact\w*)",
    re.IGNORECASE,
)
# What is measured in blood and urine: a medicine only where it is given.
_MEASURED = frozenset(
    "glucose dextrose potassium sodium calcium magnesium phosphate iron bicarbonate albumin".split()
)
_GIVEN = re.compile(
    r"\b(?:iv|oral\w*|po|giv\w+|infus\w*|bolus\w*|drips?|replac\w+|supplement\w*|dos(?:e|es|ing))\b"
    r"|\d ?%",
    re.IGNORECASE,
)
_OF_MEASURED = re.compile(
    r"[-\s:/]*(?:to )?(?:creatinine|ratio|levels?\b|ok\b|okay|normal)"
    r"|\)?\+?\s*(?:level\s*)?(?:(?:is|was|of|now|at|only)\s+|[:=<>≤≥]\s*)*\d+(?:\.\d+)?(?![\d.])"
    r"(?!\s?(?:%|m?g\b|micrograms?\b|mcg\b|ml\b|mmol\b(?!\s*/\s*l)|units?\b|tablets?\b|litres?\b))",
    re.IGNORECASE,
)
_IN_BLOOD = re.compile(r"\b(?:blood|capillary|plasma|serum|urine) \Z", re.IGNORECASE)
# `Paracetamol OD, dose of acetylcysteine`: an overdose where an antidote is named, else once daily.
_OVERDOSED = re.compile(r"^[-\s)]*OD\b", re.IGNORECASE)
_ANTIDOTES = frozenset(
    "acetylcysteine flumazenil fomepizole glucagon idarucizumab naloxone".split()
)
_MISUSED = frozenset(("heroin", "cocaine", "crack", "cannabis"))  # what somebody has taken
# `Coumadin pt, vitamin K dose`: whose medicine it is, where another one is named.
_HAS_IT = re.compile(r"^[-\s)]*(?:pt|patient)\b", re.IGNORECASE)
# `On carbamazepine tablets, what dose do we start at`: of what is taken, if nothing else is named.
_HARMED = re.compile(
    r"\bafter\b|\bdespite\b|fail|allerg|intoleran|anaphyla|reaction|overdose|toxic|poison|resistan"
    r"|contra-?indicat|cannot|can['’]t|no better|instead|alternative|revers",
    re.IGNORECASE,
)
_REACH = re.compile(r"[^.?!,;]{0,24}")
_OF = re.compile(r"\s*(?:of|to|with|from|by|on|and|or|after|following)\b", re.IGNORECASE)
_ASKS = re.compile(r"\b(?:dos(?:es?|ing|age)|how (?:much|often|long)|give|use)\b", re.IGNORECASE)


_REPLACED = re.compile(
    r"\b(?:instead of|in place of|alternatives? (?:to|for)|other than|rather than|substitute for)"
    r"\s+(?:\w+ (?:or|and) )?\W*(?:\w+ )?\(?$",
    re.IGNORECASE,
)
_REACH_OF_REPLACED = 48


def asked_medicines(question: str) -> frozenset[str]:
    """Return the medicines asked about, without those that the patient takes or has had."""
    places = [
        (start, end, name)
        for start, end, name in drug_places(question)
        if name not in _MEASURED or _is_given(question, start, end)
    ]
    if re.search(r"\bglucose\b", question, re.IGNORECASE):  # which rows call by that name
        places = [place for place in places if place[2] != "dextrose"]
    named = frozenset(name for _, _, name in places)
    own = {
        name
        for start, end, name in places
        if _OWN_AFTER.match(question[end:])
        or question[start:end].lower() in _MISUSED
        or ((named - {name}) & _ANTIDOTES and _OVERDOSED.match(question[end:]))
        or (len(named) > 1 and _HAS_IT.match(question[end:]))
        or _is_own(start, question, places)
    }
    if own - _ANTIDOTES:  # an antidote beside what was taken is what is asked about
        own -= _ANTIDOTES
    if own == named and asks_dose(question) and not any(conditions(question)):
        return frozenset() if _HARMED.search(question) else named
    return named - own


def _is_given(question: str, start: int, end: int) -> bool:
    """Tell whether what is measured in others is given here: `IV potassium`, no `glucose OK`."""
    if _OF_MEASURED.match(question, end) or _IN_BLOOD.search(question[:start]):
        return False
    return bool(_GIVEN.search(question)) or is_medicines_place(question, start, end)


def replaced_medicines(question: str) -> frozenset[str]:
    """Return the medicines that another one is asked for: `instead of amoxicillin`."""
    return frozenset(
        name
        for start, _, name in drug_places(question)
        if _REPLACED.search(question[max(0, start - _REACH_OF_REPLACED) : start])
    )


def _is_own(start: int, question: str, places: Sequence[tuple[int, int, str]]) -> bool:
    """Tell whether words such as `on` or `allergic to` before the medicine apply to it.

    Or before the short form that it spells out, in brackets: `on RHZE (rifampicin isoniazid)`.
    """
    bracket = question.rfind("(", 0, start)
    if bracket > question.rfind(")", 0, start):
        start = bracket
    return any(
        _REACH.fullmatch(question, match.end(), start)
        and not _is_of_another(match, start, question, places)
        for match in _PATIENTS_OWN.finditer(question, 0, start)
    )


def _is_of_another(
    match: re.Match[str], start: int, question: str, places: Sequence[tuple[int, int, str]]
) -> bool:
    """Tell whether such words apply to a nearer medicine: `paracetamol overdose: dose of`."""
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


# `Contraindications to alteplase`, `when should I not give insulin`; not `if penicillin is
# contraindicated`, which is said of the patient.
_WHEN_NOT = re.compile(
    r"\bcontra-?indications?\b|^\W*(?:is|are|when (?:is|are))\b[^,;?]*\bcontra-?indicated\b"
    r"|\bwhen (?:(?:should|must|do|can|would|is|are|to)\b[^,;?]{0,40})?\bnot\b(?: to)? ?\b"
    r"|(?:^|[.:?!] *)who (?:should|must|can)(?: ?not|n['’]t)\b",
    re.IGNORECASE,
)
_OF_THE_PATIENT = re.compile(
    r"\b(?:if|with|has|have|had|no|without|because of|instead|alternatives?|despite)\b"
    r"[^,;?]{0,40}\bcontra-?indications?\b",
    re.IGNORECASE,
)


def asks_when_not(question: str) -> bool:
    """Tell whether a question asks when something is not given: for its contraindications."""
    return bool(_WHEN_NOT.search(question)) and not _OF_THE_PATIENT.search(question)


_ASKS_DOSE = re.compile(r"\bdos(?:es?|ing|age)\b|\bhow (?:much|many)\b", re.IGNORECASE)
_TREATING_DOSE = re.compile(r"\b(?:treatment|treating|therapeutic)[ -]dos(?:es?|ing|age)\b", re.I)
_WRITTEN_SMALL = re.compile(
    r"\b(?:im|iv|sc|sl|po|pr|io)\b"
)  # routes, as a hurried asker types them
_SWALLOWED = re.compile(r"\b(?:tab(?:let)?s?|cap(?:sule)?s?|syrup)\b", re.IGNORECASE)


def asks_dose(question: str) -> bool:
    return bool(_ASKS_DOSE.search(question))


def asks_treating_dose(question: str) -> bool:
    """Tell whether a question asks for the dose of treatment, where prevention has another one."""
    return bool(_TREATING_DOSE.search(question))


def asked_routes(question: str) -> frozenset[str]:
    """Return the routes asked for; puffs of a nasal spray are no inhaler's, `no IV access` none."""
    return _routes_typed(question) - denied_routes(question)


def denied_routes(question: str) -> frozenset[str]:
    """Return the routes that a question says are not there: `no IV access`, `nil by mouth`.

    What is denied begins with the route; not `no fever IV amoxicillin`, `no effect from IV fluids`.
    """
    found = (_DENIED_ROUTE.match(question[start:end]) for start, end in denied_spans(question))
    return frozenset().union(*(_routes_typed(match[1]) for match in found if match))


def _routes_typed(text: str) -> frozenset[str]:
    named = routes_or_swallowed(_WRITTEN_SMALL.sub(lambda match: match.group().upper(), text))
    return named - {"inhaler", "inhaled"} if "intranasal" in named else named


def routes_or_swallowed(text: str) -> frozenset[str]:
    """Return the routes in a text; tablets are swallowed if no route says otherwise."""
    return routes(text) or frozenset(("oral",) if _SWALLOWED.search(text) else ())


def brands_in_words(question: str) -> str:
    """Return what the brands in a question stand for: `sublingual buprenorphine` of `Subutex`."""
    typed = (question[start:end].lower() for start, end, _ in drug_places(question))
    return "; ".join(filter(None, map(brand_words, typed)))


_GROWN = re.compile(
    r"\b(?:wom[ae]n|m[ae]n|lady|ladies|gentlem[ae]n|mother|father|mum|wife|husband)\b",
    re.IGNORECASE,
)


def names_grown(text: str) -> bool:
    """Tell whether a text names men, women or parents."""
    return bool(_GROWN.search(text))


# `31-year-old at 26 weeks, baby fine on the trace`: her weeks, since the baby is unborn.
_AT_WEEKS = re.compile(r"\b(?:at|now) (?:[4-9]|[1-3]\d|4[0-2])(?:\+\d)? ?(?:weeks?|wks?)\b", re.I)
_UNBORN = re.compile(r"\bbaby|\bbump\b|\bfo?et(?:us|al)\b|\btrace\b|\bCTG\b|\bmidwi", re.IGNORECASE)
_GROWN_DAYS = 12 * 365


def asked_people(question: str) -> People:
    """Return the people of a question; a man or a woman of no age is an adult."""
    people = people_of(question)
    is_grown = bool(people.ages) and all(age.low >= _GROWN_DAYS for age in people.ages)
    if is_grown and _AT_WEEKS.search(question) and _UNBORN.search(question) and not people.male:
        people = people_of(f"{question}; pregnant")
    if people.ages or people.age_groups or not names_grown(question):
        return people
    return replace(people, groups=("adult", *people.groups))


_WORD = re.compile(r"[a-z][a-z-]+")
_WITHOUT = "no|non|without|absence of|free of"
# `No bleeding or heart disease`: both.
_LACKED = r"[\s-]+((?:[a-z-]+\s+or\s+[a-z-]+\s+|(?:[a-z-]+\s+){0,2})[a-z-]+)"
_NEGATED = re.compile(rf"\b(?:{_WITHOUT}){_LACKED}", re.IGNORECASE)
_LACKS = re.compile(rf"\b(?:{_WITHOUT}|not|denies){_LACKED}", re.IGNORECASE)  # of a patient
# `If no bleeding:`, whom a row or a sentence is for. `No antibiotics.` is advice, and stays.
_ONLY_WITHOUT = re.compile(
    r"\b(?:if|when|where|with) (?:there (?:is|are) )?(?:no|without) ([a-z-]+)"
    r"(?=\s*(?:[:;,.|)]|$|\band\b|\bor\b))",
    re.IGNORECASE,
)
# `Nosebleed`, `melaena`: whoever has one bleeds.
_BLEEDING = re.compile(
    r"bleed|ha?emorrhag|mela?ena|ha?ematemesis|ha?ematochezia|ha?emoptysis|epistaxis"
)
_BLEEDS = ("bleeding", "haemorrhage", "hemorrhage")
_A_BLEED = re.compile(r"\b(?:bleeds?|ha?emorrhages?)\b")
_NO_BLEEDING = re.compile(rf"\b(?:no|not|without|denies)\b[^.,;:?]{{0,40}}?(?:{_BLEEDING.pattern})")
# `No heart disease`: not who has one of these.
_NO_HEART_DISEASE = re.compile(
    r"\b(?:no|not|without|denies)\b[^.,;:?]{0,40}?\b(?:heart|cardiac) (?:disease|problems?|history)"
)
_HEART_DISEASE = re.compile(
    r"\b(?:coronary|angina|myocardial|isch(?:a)?emic heart|heart (?:failure|disease)"
    r"|cardiac disease)"
)
_DENIED_WORD = re.compile(r"\b(?:not|isn['’]t|no) ([a-z]{5,}(?:ing|tic|ed|less))\b")
_DENIED_ROUTE = re.compile(r"\w+ ((?:by |for )?[\w-]+)")
_PENICILLINS = frozenset(("co-amoxiclav", "co-fluampicil", "penicillin"))
_OPPOSITES = {
    word: opposite
    for positive in ("conscious", "stable", "complicated", "provoked", "controlled")
    for word, opposite in ((positive, f"un{positive}"), (f"un{positive}", positive))
}
_GRAMMAR = frozenset(
    "a an the of in on for with and or to is are was be has have who what how when not no".split()
)


@dataclass(frozen=True)
class Denials:
    """What a question says that its patient has or lacks: statements for others can't answer it."""

    asked: frozenset[frozenset[str]]  # pairs of words that belong together, without denied ones
    has: frozenset[str]  # words of the question, and the names of bleeding where it names one
    states: frozenset[str]  # such as `conscious`, which have an opposite
    denies_bleeding: bool
    denies_heart_disease: bool
    denied: frozenset[str] = frozenset()  # single words: `vomiting` of `not vomiting`
    lacks: frozenset[frozenset[str]] = frozenset()  # the first two words of what it denies

    @classmethod
    def of(cls, question: str) -> Denials:
        question = with_penicillin(question)
        rest = _LACKS.sub(" ", question.casefold())
        denies_bleeding = bool(_NO_BLEEDING.search(question.casefold()))
        bleeds = _BLEEDING.search(rest) and not denies_bleeding
        words = frozenset(_WORD.findall(rest))
        return cls(
            (_pairs(question) | _over_one(question) | _allergies(question))
            - _denied_pairs(question),
            words | frozenset(_BLEEDS if bleeds else ()),
            words & _OPPOSITES.keys(),
            denies_bleeding,
            bool(_NO_HEART_DISEASE.search(question.casefold())),
            frozenset(_DENIED_WORD.findall(question.casefold())),
            _lacked(question),
        )

    def exclude(self, text: str, *, context: str, heading: str, caption: str) -> bool:
        """Tell whether a statement is for patients without it: "no major bleeding" for a bleed.

        Dropped no right statement for 704 questions on real guidelines (measured before synonyms of
        bleeding were added).
        """
        above = f"{caption} | {heading}".casefold()
        return (
            bool(self.asked & _denied_pairs(f"{context} | {text}"))
            or not self.has.isdisjoint(map(str.casefold, _ONLY_WITHOUT.findall(text)))
            or (self.denies_bleeding and bool(_BLEEDING.search(_LACKS.sub(" ", above))))
            or (self.denies_heart_disease and _is_of_the_heart(f"{above} | {text.casefold()}"))
            or any(_is_for_opposite(state, (text, heading)) for state in self.states)
            or not self.denied.isdisjoint(_WORD.findall(_label(text)))
            or not self.lacks.isdisjoint(_pairs(_label(text)))
        )


def _label(text: str) -> str:
    """Return a row's first cell without its head and what it denies: `vomiting or septic`."""
    label, _, rest = text.partition("; ")
    name, _, value = label.partition(": ")
    return _LACKS.sub(" ", (value or name).casefold()) if rest else ""


def _allergies(question: str) -> frozenset[frozenset[str]]:
    """Return what `anaphylaxis to penicillin` says in two words: `penicillin allergy`."""
    named = set(allergies(question))
    if any(name.endswith("cillin") or name in _PENICILLINS for name in named):
        named.add("penicillin")
    return frozenset(frozenset((name, "allergy")) for name in named)


def _is_of_the_heart(text: str) -> bool:
    return bool(_HEART_DISEASE.search(_LACKS.sub(" ", text)))


def _is_for_opposite(state: str, texts: Sequence[str]) -> bool:
    """Tell whether the first text that names a state or its opposite names the opposite."""
    for text in texts:
        words = frozenset(_WORD.findall(text.casefold()))
        if state in words:
            return False
        if _OPPOSITES[state] in words:
            return True
    return False


def _denied_pairs(text: str) -> frozenset[frozenset[str]]:
    return frozenset().union(*(_pairs(match.group(1)) for match in _NEGATED.finditer(text)))


def _lacked(question: str) -> frozenset[frozenset[str]]:
    """Return the first two words of what a question denies: what follows may be the next fact."""
    found = (_WORD.findall(match.group(1).casefold())[:2] for match in _NEGATED.finditer(question))
    return frozenset().union(*(_pairs(" ".join(pair)) for pair in found))


def _pairs(text: str) -> frozenset[frozenset[str]]:
    """Return all pairs of adjacent words, unordered, except those with grammar words."""
    words = _words(text)
    return frozenset(frozenset(pair) for pair in pairwise(words) if _GRAMMAR.isdisjoint(pair))


def _over_one(text: str) -> frozenset[frozenset[str]]:
    """Return the pairs of words with one between them: a `major GI bleed` is a major bleeding."""
    words = _words(text)
    triples = zip(words, words[1:], words[2:], strict=False)
    return frozenset(frozenset((a, c)) for a, b, c in triples if _GRAMMAR.isdisjoint((a, b, c)))


def _words(text: str) -> list[str]:
    """Return the words in lower case, those for a bleed as one."""
    return _WORD.findall(_A_BLEED.sub("bleeding", text.casefold()))
