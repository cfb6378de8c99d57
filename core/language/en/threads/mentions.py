"""Find the people, medicines, conditions and values that a question names. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from core.language.en.clinical_terms import CONDITION
from core.language.en.medicines.names import drug_places
from core.language.en.patients.groups import populations
from core.language.words import words


class Slot(StrEnum):
    """Kind of a mention; a mention can replace another of the same slot."""

    LIFE = "life"  # age, pregnancy, breastfeeding
    RENAL = "renal"
    HEPATIC = "hepatic"
    STATE = "state"  # of the immune system, or critical illness
    DRUG = "drug"
    CONDITION = "condition"
    MEASURE = "measure"  # a value with the name of what is measured
    NUMBER = "number"  # a value without a name


_SLOTS = {
    "dialysis": Slot.RENAL,
    "renal impairment": Slot.RENAL,
    "hepatic impairment": Slot.HEPATIC,
    "immunocompromised": Slot.STATE,
    "critically ill": Slot.STATE,
}
POPULATION_SLOTS = (Slot.LIFE, Slot.RENAL, Slot.HEPATIC, Slot.STATE)


@dataclass(frozen=True)
class Mention:
    """A part `text[start:end]` of a question; `lead` is the preposition before it, with a space."""

    slot: Slot
    name: str  # normalised: the group, medicine or measure, or a number's unit
    start: int
    end: int
    text: str
    lead: str = ""

    @property
    def phrase(self) -> str:
        return self.lead + self.text

    @property
    def phrase_start(self) -> int:
        return self.start - len(self.lead)


_ADJECTIVE = (
    r"pregnant|non-?pregnant|breast-?feeding|lactating|postpartum|elderly|older|young|younger|adult"
    r"|frail|preterm|premature|new-?born|p(?:a)?ediatric|obese|healthy"
)
_PERSON = (
    r"adults?|children|child|neonates?|new-?borns?|infants?|bab(?:y|ies)|toddlers?|kids?|boys?"
    r"|girls?|adolescents?|teenagers?|teens?|women|woman|men|man|people|person|patients?|mothers?"
    r"|mums?"
)
_AGE = r"\d{1,3}[\s-]?(?:days?|weeks?|months?|years?|yrs?)[\s-]?olds?"
_AGE_TAIL = (
    r"(?:\s+(?:of|aged?|over|under|above|below|older than|younger than|up to|less than|more than)"
    r"\s+(?:the age of\s+)?\d+(?![\d.]*\s*(?:kg|kilo|stone|st\b|lb|mg|ml|%))"
    r"(?:\s*(?:to|-|–|and)\s*\d+)?(?:\s*(?:days?|weeks?|months?|years?))?)?"
    r"(?:\s+who (?:is|are) (?:not )?(?:pregnant|breast-?feeding))?"
)
_LIFE = re.compile(
    rf"\b(?:an?\s+|the\s+)?(?:{_AGE}(?:\s+(?:{_PERSON}))?"
    rf"|(?:(?:{_ADJECTIVE})\s+)*(?:{_PERSON})\b{_AGE_TAIL}"
    r"|(?:the\s+)?(?:first|second|third|last|1st|2nd|3rd)\s+(?:and \w+ )?trimesters?"
    r"(?:\s+of pregnancy)?|pregnancy|(?:(?:not|isn['’]?t|aren['’]?t|no longer)\s+)?"
    r"(?:pregnant|breast-?feeding)|lactation|labour|infancy|childhood"
    r"|the elderly|elderly)\b",
    re.IGNORECASE,
)
_GRADE = r"(?:(?:mild|moderate|severe|chronic|acute|end-stage|advanced|impaired|poor)\s+)*"
_ILLNESS = r"impairment|failure|insufficiency|disease|dysfunction|function"
_STATES = re.compile(
    rf"\b(?:{_GRADE}(?:renal|kidney|hepatic|liver)\s+(?:{_ILLNESS})|CKD(?:\s+stage\s+\d)?|AKI|ESRD"
    r"|(?:haemo|hemo|peritoneal )?dialysis|renal replacement(?: therapy)?|cirrhosis"
    r"|immuno-?(?:suppression|deficiency|compromised|suppressed)|neutrop(?:a)?enia|intensive care"
    r"|ICU|ITU|critical illness)\b",
    re.IGNORECASE,
)
_VALUE = r"\d+(?:[.,]\d+)*"
_UNIT = (
    r"(?:m[lL]/min(?:/1\.73\s?m2)?|mmol/[lL]|mg/[lL]|g/[lL]|mg/kg|mmHg|kg|mg|g|m[lL]|years?|months?"
    r"|weeks?|days?|hours?|minutes?|units?|%)"
)
_MEASURE = re.compile(
    r"\b(?:(?:the|an?|his|her|their|serum|blood)\s+)*(?P<name>e?GFR|CrCl|creatinine clearance"
    r"|creatinine|INR|potassium|K\+?|sodium|Na\+?|Hb|plts?|magnesium|calcium|phosphate|glucose|ketones?|bicarbonate|pH"
    r"|lactate|h(?:a)?emoglobin|platelets?(?: count)?|weight|BMI|age|temperature|heart rate"
    r"|blood pressure|oxygen saturation|trough(?: level| concentration)?|score|NIHSS|GCS)"
    r"(?:\s+(?:is|was|of|at|level|falls?|rises?|to|below|above|under|over|less|more|than|only|between"
    r"|around|about)|\s*[<>=≤≥])*\s*"
    rf"(?P<value>{_VALUE}(?:\s*{_UNIT}(?![\w/]))?)",
    re.IGNORECASE,
)
_NUMBER = re.compile(rf"(?<![\w.,]){_VALUE}(?:\s*(?P<unit>{_UNIT})(?![\w/]))?")
_CONDITION = re.compile(
    r"(?:\b(?i:(?:low|moderate|medium|intermediate|high)[\s-]+severity|non-?severe)\s+"
    rf"(?i:(?:[a-z]+[\s-]+acquired\s+)?))?(?:{CONDITION.pattern})"
)
_LEAD = re.compile(
    r"\b(?:in|for|to|on|of|with|without|during|at|by|from|when|if|while|after|before)\s+"
    r"(?:(?:the|an?|someone|somebody|patients?|those|using|taking|who)\s+(?:with\s+)?)*\Z",
    re.IGNORECASE,
)


def mentions(text: str) -> tuple[Mention, ...]:
    """Return all mentions in a text, in order, none overlapping.

    Of overlapping ones, measures come first, then people, states, medicines, conditions, numbers.
    """
    taken: list[Mention] = []
    for candidate in _all(text):
        if all(candidate.end <= other.start or candidate.start >= other.end for other in taken):
            taken.append(candidate)
    return tuple(sorted(taken, key=lambda mention: mention.start))


def unplaced_populations(text: str, named: tuple[Mention, ...]) -> set[str]:
    """Return groups of people in a text that no mention covers: it can't be changed safely."""
    covered = {name for mention in named for name in populations(mention.text)}
    return set(populations(text)) - covered


def _all(text: str) -> Iterator[Mention]:
    for match in _MEASURE.finditer(text):
        yield _mention(Slot.MEASURE, match["name"].lower(), match.span(), text)
    for pattern in (_LIFE, _STATES):
        for match in pattern.finditer(text):
            groups = populations(match.group())
            if groups:
                slot = next((_SLOTS[name] for name in groups if name in _SLOTS), Slot.LIFE)
                yield _mention(slot, " ".join(groups), match.span(), text)
            elif pattern is _STATES:
                slot = (
                    Slot.RENAL if re.search(r"renal|kidney", match.group(), re.I) else Slot.HEPATIC
                )
                yield _mention(slot, match.group().lower(), match.span(), text)
    for start, end, name in drug_places(text):  # of a brand's ingredients the first stays
        yield _mention(Slot.DRUG, name, (start, end), text)
    for match in _CONDITION.finditer(text):
        yield _mention(Slot.CONDITION, match.group().lower(), match.span(), text)
    for match in _NUMBER.finditer(text):
        yield _mention(Slot.NUMBER, (match["unit"] or "").lower(), match.span(), text)


def _mention(slot: Slot, name: str, place: tuple[int, int], text: str) -> Mention:
    start, end = place
    lead = _LEAD.search(text[max(0, start - 40) : start])
    return Mention(slot, name, start, end, text[start:end], lead.group().lower() if lead else "")


# Question words alone are no chip: `What`, `Which is the`.
_SAYS_NOTHING = re.compile(
    r"(?:(?:what|which|how|when|why|where|who|is|are|do|does|can|should|the|an?|i|we)\b[\s,:;]*)*",
    re.IGNORECASE,
)
_BEFORE_MARK = re.compile(r"\s+(?=[?.,;:])")
_DANGLING = re.compile(r"^[\s,;:.]+|[\s,;:]+(?=[?.]*$)")
_JOINING = re.compile(r"[\s,:;]+(?:(?:of|for|in|with|to|on|the|an?)\b)?\s*$")
# An allergy goes with its medicine: `, she is allergic to penicillin`, `penicillin allergy`.
_PATIENT = (
    r"(?:[\s,]*\b(?:if\s+)?(?:s?he|they|(?:the |my )?(?:patient|pt|mother|mum|child|baby))"
    r"(?:['’]?s|\s+(?:is|has|had))?\s+)?(?:(?:an?|also|known|severe(?:ly)?)\s+)*"
)
_ALLERGY = r"(?:allerg(?:ic|y)|intoleran(?:t|ce)|anaphyla\w+)"
_ALLERGIC_TO = re.compile(rf"{_PATIENT}(?P<said>{_ALLERGY}\s+(?:to|with)\s+)\Z", re.IGNORECASE)
_ALLERGY_AFTER = re.compile(rf"\s+{_ALLERGY}", re.IGNORECASE)
_PATIENT_BEFORE = re.compile(rf"{_PATIENT}\Z", re.IGNORECASE)


@dataclass(frozen=True)
class Carried:
    """A part of a completed question, and the question without it."""

    text: str
    without: str


def carried(question: str, standalone: str) -> tuple[Carried, ...]:
    """Return the parts of `standalone` that were taken over from an earlier question, in order.

    First the question words, if taken over, then what they are asked about. Empty for a
    self-contained question; a part without which no question is left is omitted.
    """
    return tuple(part for part in _parts(question, standalone) if len(words(part.without)) > 1)


def _parts(question: str, standalone: str) -> Iterator[Carried]:
    named = mentions(standalone)
    if not standalone or not named:
        return
    repeated = {
        (mention.slot, mention.name, mention.text.lower()) for mention in mentions(question)
    }
    first = named[0].phrase_start
    lead = _JOINING.sub("", standalone[:first])
    if not _SAYS_NOTHING.fullmatch(lead) and lead.lower() not in question.lower():
        yield Carried(lead, _tidy(standalone[named[0].start :]))
    for mention in named:
        if (mention.slot, mention.name, mention.text.lower()) not in repeated:
            start, end, text = _part(standalone, mention)
            yield Carried(text, _tidy(f"{standalone[:start]} {standalone[end:]}"))


def _part(text: str, mention: Mention) -> tuple[int, int, str]:
    """Return what goes with a mention, as a place and words: for a medicine, also an allergy."""
    before = text[: mention.start]
    if mention.slot is Slot.DRUG and (to := _ALLERGIC_TO.search(before)):
        return to.start(), mention.end, f"{to['said']}{mention.text}"
    if mention.slot is Slot.DRUG and (after := _ALLERGY_AFTER.match(text, mention.end)):
        patient = _PATIENT_BEFORE.search(before)
        start = min(mention.phrase_start, patient.start() if patient else mention.start)
        return start, after.end(), f"{mention.text}{after.group()}"
    return mention.phrase_start, mention.end, mention.text


def allergy_of(text: str, drug: Mention) -> str:
    """Return the words by which a text says that its patient is allergic to a medicine, or none."""
    _, _, part = _part(text, drug)
    return part if part != drug.text else ""


def _tidy(text: str) -> str:
    text = _DANGLING.sub("", _BEFORE_MARK.sub("", " ".join(text.split())))
    return text[:1].upper() + text[1:]
