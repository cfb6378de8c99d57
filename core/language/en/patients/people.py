"""Find whom a text is about: ages, states such as pregnancy, kidney function, weight. Pure.

Groups are those of `groups`. Denied groups (`adults who are not pregnant`) are kept apart from
named ones; staff and places (`the paediatric registrar`) are not patients.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from core.language.en.patients.groups import populations
from core.language.en.quantities.measures import (
    DAYS,
    PERSON,
    Interval,
    Measure,
    in_base,
    levelled,
    measures,
)

KIDNEY, WEIGHT = "kidney function", "weight"  # what two people can differ in by a value
_YEAR = 365.25
_LEAST_OF_A_MOTHER = 12 * _YEAR
_DAYS_IN = {"years": _YEAR, "months": 30.4375, "days": 1.0}
_STAFF = re.compile(
    r"\b(?:pa?ediatric|obstetric|antenatal|postnatal|neonatal|geriatric|adult|maternity|child\w*"
    r"|renal|hepatic|liver|kidney|dialysis|pregnancy|intensive care|critical care"
    r"|young people)s?['’]?s?\s+(?:\w+\s+)?(?:registrar|team|nurse|consultant|ward|unit|clinic"
    r"|department|service|doctor|pharmacist|specialist|guideline|review|hospital|nephrologist"
    r"|early warning|emergency|centre|outreach|physician|notes)s?\b|\bjelly bab(?:y|ies)\b",
    re.IGNORECASE,
)
_KIDNEY = re.compile(r"\b(?:e?gfr|crcl|(?:creatinine )?clearance)\b")
# Between a name and a number that is none of it: a mark, or a number and another name (`eGFR 45,
# potassium `), which is no unit, comparison or time (`eGFR 60 last week, now `).
_OF_ANOTHER = re.compile(
    r"[.;|]|\d[\d\s/,()²-]*+(?:(?:ml|min|m|per|to|and|or|but|above|below|over|under|less|more|greater"
    r"|lower|higher|than|equal|of|if|is|was|from|between|at|now|then|today|yesterday|currently|before"
    r"|previously|baseline|last|this|ago|days?|weeks?|months?|years?|fell|fallen|dropped|down|up|rose"
    r"|risen|e?gfr|crcl)\b[\d\s/,()²:=<>≤≥~-]*+)*+(?=[a-z])",
)
_KIDNEY_ANY = re.compile(r"\b(?:e?GFR|CrCl|creatinine clearance)\b", re.IGNORECASE)
_GROUP_WORDS = (
    r"(?:pregnan\w+|breast-?\s?feeding|(?:(?:haemo|hemo|peritoneal )?dialysis)"
    r"|(?:renal|kidney|hepatic|liver) (?:impairment|failure|insufficiency|disease|dysfunction)"
    r"|cirrho\w+|children|child|infants?|neonates?|adults?)"
)
_DENIED = re.compile(
    r"\b(?:(?:not|non|never)(?:[\s-]+(?:for|in|to|on|currently|receiving|have|with|suitable for"
    r"|used in|for use in))?|without|no|exclud\w+|except(?: in| for)?|other than|outside)[\s-]+"
    rf"(?:known |any |a |the )?({_GROUP_WORDS}(?:(?:,| or|,? and| nor) {_GROUP_WORDS})*)",
    re.IGNORECASE,
)
_NORMAL = re.compile(
    r"\bnormal (renal|kidney|hepatic|liver)(?: function|s)?\b"
    r"|\b(?:renal function|kidneys?(?: function)?)(?: is| are)? normal\b",
    re.IGNORECASE,
)
_COMPARED = re.compile(
    r"\b(?:unlike|compared (?:with|to)|rather than|than|as)\s+(?:in\s+)?(?:an?\s+)?"
    r"(?:adults?|children|infants?|pregnancy)\b",
    re.IGNORECASE,
)
_AGED = re.compile(
    r"(?:\bage[ds]?(?: of| is| was| between)?[:\s]*|\bage[^:;|.\d]{0,24}[:|]\s*"
    r"|\b(?:people|patients?|adults?|wom[ae]n|m[ae]n|child(?:ren)?|infants?|bab(?:y|ies)|boys?|girls?"
    r"|those|persons?|anyone|neonates?|kids?|toddlers?|teenagers?)(?: who (?:is|are))?"
    r"(?: aged?| of)?\s*)$"
)
_EXACTLY_AGED = re.compile(
    r"\bage[ds]?(?: of| is)?[:\s]*$"
    rf"|\b{PERSON}\s+of\s+$"
)
_IS_AGED = re.compile(r"\bs?he(?:['’]?s| is)\s+(?:now |only |actually )?$")
_SINCE = re.compile(r"[\s-]*(?:pregnan|post|gestat|after|into|since|ago\b|of\b|in\b|out\b)")
_AGE_AFTER = re.compile(
    r"[\s-]*(?:old\b|of age\b|/?o\b|boy|girl|child|infant|baby|male|female|man\b|woman)"
)
_AGE_INSIDE = re.compile(r"\b(?:older|younger)\b")
_MALE = re.compile(r"\b(?:m[ae]n|males?(?! hormones?)|boys?|his|prostat\w+)\b", re.IGNORECASE)
_FEMALE = re.compile(r"\b(?:wom[ae]n|females?|girls?|lad(?:y|ies))\b", re.IGNORECASE)
AGE_GROUPS = ("preterm", "neonate", "infant", "child", "adolescent", "adult", "elderly")
_YOUNG = frozenset(("preterm", "neonate", "infant", "child"))
# In years: as narrow as a question means the word, and as wide as a source may mean it. Where
# childhood ends is drawn at 16 in some hospitals and at 18 in others, so a source's groups overlap.
_MEANT = {
    "preterm": (0, 0.1), "neonate": (0, 0.0765), "infant": (0, 2), "child": (0, 16),
    "adolescent": (12, 18), "adult": (18, 120), "elderly": (65, 120),
}  # fmt: skip
_COVERED = {
    "preterm": (0, 0.5), "neonate": (0, 0.0767), "infant": (0, 3), "child": (0, 16.99),
    "adolescent": (10, 20), "adult": (16, 120), "elderly": (60, 120),
}  # fmt: skip
_SINGULAR = {
    "preterm": "a preterm baby", "neonate": "a newborn", "infant": "an infant", "child": "a child",
    "adolescent": "a young person", "adult": "an adult", "elderly": "an older person",
    "pregnant": "pregnancy", "postpartum": "the time after birth",
    "dialysis": "someone on dialysis",
    "critically ill": "someone critically ill", "immunocompromised": "someone immunocompromised",
}  # fmt: skip
_PLURAL = {
    "preterm": "preterm babies", "neonate": "newborns", "infant": "infants", "child": "children",
    "adolescent": "young people", "adult": "adults", "elderly": "older people",
    "pregnant": "pregnancy", "postpartum": "the time after birth",
    "dialysis": "people on dialysis", "renal impairment": "people with renal impairment",
    "hepatic impairment": "people with hepatic impairment",
    "critically ill": "critically ill people", "immunocompromised": "immunocompromised people",
}  # fmt: skip


_WITHOUT = {
    "pregnant": "people who are not pregnant",
    "breastfeeding": "people who are not breastfeeding",
    "dialysis": "people who are not on dialysis",
    "renal impairment": "people without renal impairment",
    "hepatic impairment": "people without hepatic impairment",
}
GROUP_WORDS = frozenset(
    (*_SINGULAR.values(), *_PLURAL.values(), *_WITHOUT.values(), *_WITHOUT)
)  # all words for groups


@dataclass(frozen=True)
class People:
    """The groups that a text names and denies, and the numbers that bound them."""

    groups: tuple[str, ...] = ()  # of `core.language.en.patients.groups`, in its order
    denied: tuple[str, ...] = ()
    ages: tuple[Interval, ...] = ()  # in days
    kidney: tuple[Interval, ...] = ()  # eGFR or creatinine clearance, mL/min
    weights: tuple[Interval, ...] = ()  # of a body, kg
    male: bool = False
    female: bool = False

    @property
    def age_groups(self) -> tuple[str, ...]:
        return tuple(group for group in self.groups if group in AGE_GROUPS)

    @property
    def states(self) -> tuple[str, ...]:
        """Groups that are not ages."""
        return tuple(group for group in self.groups if group not in AGE_GROUPS)

    @property
    def special(self) -> frozenset[str]:
        """Groups that are dosed differently: all but adults, whom guidelines mean by default."""
        return frozenset(self.groups) - {"adult"}


class Apart(NamedTuple):
    """How two populations differ, in words: `("a child", "adults")`.

    `of` names the measure where both are values: `("50 mL/min", "below 30 mL/min")`.
    """

    ours: str
    theirs: str
    of: str = ""  # `kidney function` or `weight`


def people_of(text: str) -> People:
    """Return whom a question, heading or statement is about; all fields empty for nobody."""
    plain = _COMPARED.sub(" ", _STAFF.sub(" ", text))
    denied = _denied(plain)
    rest = _KIDNEY_ANY.sub(" ", _NORMAL.sub(" ", _DENIED.sub(" ", plain)))
    level = levelled(plain)
    measured = measures(level)
    groups = populations(rest)
    ages = tuple(dict.fromkeys(_age(m) for m in measured if _is_age(m, level)))
    if "pregnant" in groups and all(age.low >= _LEAST_OF_A_MOTHER for age in ages):
        # A newborn is what a pregnancy leads to, not who is treated.
        groups = tuple(group for group in groups if group not in _YOUNG)
    return People(
        groups=groups,
        denied=tuple(name for name in denied if name not in groups),
        ages=ages,
        kidney=tuple(replace(m.interval, unit="ml/min") for m in measured if _is_kidney(m, level)),
        weights=tuple(m.interval for m in measured if m.interval.unit == "kg"),
        male=bool(_MALE.search(text)) and not re.search(r"\bwom[ae]n|female", text, re.I),
        female=bool(_FEMALE.search(text)) and not _MALE.search(text),
    )


def first_named(levels: Sequence[People]) -> People:
    """Merge the people of several levels, nearest first: for each point the nearest level counts.

    Pregnancy denied in a title but named in a statement counts as named.
    """
    ages = next((level for level in levels if level.ages or level.age_groups), People())
    states: list[str] = []
    denied: list[str] = []
    for level in levels:
        states += [s for s in level.states if s not in states and s not in denied]
        denied += [s for s in level.denied if s not in states and s not in denied]
    return People(
        groups=(*ages.age_groups, *states),
        denied=tuple(denied),
        ages=ages.ages,
        kidney=next((level.kidney for level in levels if level.kidney), ()),
        weights=next((level.weights for level in levels if level.weights), ()),
    )


def apart(patient: People, about: People) -> Apart | None:
    """Return how the populations exclude each other; None where somebody can be in both."""
    if ages := _ages_apart(patient, about):
        return ages
    for state in patient.states:
        if state in about.denied:
            return Apart(_one(state), without(state))
    for state in about.states:
        if state in patient.denied:
            return Apart(without(state), _many(state))
    if "pregnant" in about.states and "pregnant" not in patient.states:
        if young := next((group for group in patient.age_groups if group in _YOUNG), ""):
            return Apart(_one(young), _many("pregnant"))
        if patient.male:
            return Apart("a man", _many("pregnant"))
    for name, unit, ours, theirs in (
        (KIDNEY, "mL/min", patient.kidney, about.kidney),
        (WEIGHT, "kg", patient.weights, about.weights),
    ):
        if ours and theirs and not _meet(ours, theirs):
            return Apart(interval_in_words(ours[0], unit), interval_in_words(theirs[0], unit), name)
    return None


def _ages_apart(patient: People, about: People) -> Apart | None:
    ours = patient.ages or tuple(_years(*_MEANT[group]) for group in patient.age_groups)
    theirs = about.ages or tuple(_years(*_COVERED[group]) for group in about.age_groups)
    if not ours or not theirs or _meet(ours, theirs):
        return None
    single = (
        _one(patient.age_groups[0])
        if patient.age_groups
        else f"someone of {_age_in_words(ours[0])}"
    )
    many = _many(about.age_groups[0]) if about.age_groups else "people"
    if about.ages:
        many = f"{many} aged {aged(theirs[0])}"
        if patient.ages and patient.age_groups:
            single = f"{single} of {_age_in_words(ours[0])}"
    return Apart(single, many)


def group_words(groups: Iterable[str]) -> list[str]:
    """Return the groups as nouns for people."""
    return [_many(group) for group in groups]


def without(group: str) -> str:
    """Return words for the people who are not in `group`."""
    return _WITHOUT.get(group, f"people other than {_many(group)}")


def interval_in_words(interval: Interval, unit: str) -> str:
    """Return an interval in words: `45 mL/min or more`, `30 to 44 mL/min`."""
    low, high = interval.low, interval.high
    if unit == "kg":  # pounds and stones have endless decimals
        low, high = round(low, 2), round(high, 2)
    if low == high:
        return f"{low:g} {unit}"
    if high == math.inf:
        return f"above {low:g} {unit}" if interval.low_open else f"{low:g} {unit} or more"
    if low == -math.inf:
        return f"below {high:g} {unit}" if interval.high_open else f"{high:g} {unit} or less"
    return f"{low:g} to {high:g} {unit}"


def aged(interval: Interval) -> str:
    """Return an interval of days in everyday units: `6 months to 6 years`."""
    low, high = interval.low, interval.high
    if not math.isinf(low) and not math.isinf(high) and low > 0:
        (least, unit), (most, other) = _in_words(low), _in_words(high)
        if unit != other:
            return f"{least:g} {unit} to {most:g} {other}"
    finite = high if math.isinf(low) or low <= 0 else low
    _, unit = _in_words(finite)
    days = _DAYS_IN[unit]
    return interval_in_words(
        replace(interval, low=round(low / days, 1), high=round(high / days, 1)), unit
    )


def _age_in_words(interval: Interval) -> str:
    """Return an age, or a range of ages, in words."""
    if interval.high_open and not math.isinf(interval.low) and interval.low > 0:
        number, unit = _in_words(interval.low)
        return f"{number:g} {unit}"
    return aged(interval)


def _in_words(days: float) -> tuple[float, str]:
    is_month = abs(days / _DAYS_IN["months"] - 1) < 0.02
    unit = "years" if days >= 2 * _YEAR else "months" if days >= 59 or is_month else "days"
    return round(days / _DAYS_IN[unit], 1), unit


def _one(group: str) -> str:
    return _SINGULAR.get(group, group)


def _many(group: str) -> str:
    return _PLURAL.get(group, group)


def _years(low: float, high: float) -> Interval:
    return Interval(low * _YEAR, high * _YEAR, DAYS, high_open=True)


def _meet(ours: Iterable[Interval], theirs: Sequence[Interval]) -> bool:
    return any(interval.meets(other) for interval in ours for other in theirs)


def _denied(text: str) -> tuple[str, ...]:
    denials = " ; ".join(match.group(1) for match in _DENIED.finditer(text))
    names = list(populations(denials))
    for match in _NORMAL.finditer(text):
        is_liver = (match.group(1) or "").lower() in ("hepatic", "liver")
        names.append("hepatic impairment" if is_liver else "renal impairment")
    return tuple(dict.fromkeys(names))


def _is_age(measure: Measure, text: str) -> bool:
    before, after = text[max(0, measure.start - 60) : measure.start], text[measure.end :]
    aged_before = bool(_AGED.search(before))
    if not measure.interval.unit:
        return bool(re.search(r"\baged?(?: of| is)?\s*$", before))
    if measure.interval.unit != DAYS:
        return False
    inside = text[measure.start : measure.end]
    if inside.endswith(("yo", "y/o")):
        return True
    if measure.written_unit == "year" and re.search(r"\b(?:child|boy|girl)\s+$", before):
        return True
    if measure.written_unit in ("year", "month") and _IS_AGED.search(before):
        return not _SINCE.match(after)  # `she is 3 months pregnant`
    is_exact = not measure.bounded
    if is_exact and not _EXACTLY_AGED.search(before):
        return bool(_AGE_AFTER.match(after))
    return aged_before or bool(_AGE_INSIDE.search(inside) or _AGE_AFTER.match(after))


def _age(measure: Measure) -> Interval:
    interval = measure.interval
    if not interval.unit:
        interval = in_base(replace(interval, unit="year"))
    if interval.low == interval.high:  # who is 8 is not 9 yet
        unit = measure.written_unit or "year"
        step = in_base(Interval(1.0, 1.0, unit)).high
        return replace(interval, high=interval.high + step, high_open=True)
    return interval


def _is_kidney(measure: Measure, text: str) -> bool:
    before = text[max(0, measure.start - 40) : measure.start]
    unit = measure.interval.unit
    if re.search(r"\bassume\b", before):
        return False  # what to reckon with, and no condition
    named = list(_KIDNEY.finditer(before))
    if unit == "ml/min":
        return True
    return not unit and bool(named) and not _OF_ANOTHER.search(before[named[-1].end() :])
