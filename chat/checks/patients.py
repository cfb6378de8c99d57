"""Tell whether a statement may be for the patients of a question. Pure."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import lru_cache

from chat.types import Unit
from core.language.en.patients.columns import column_for
from core.language.en.patients.groups import tells_of_birth
from core.language.en.patients.people import People, apart, people_of
from core.language.en.questions.asked import names_grown
from core.language.en.statements.wording import gives_dose, names_organs, restricts

# Groups that nothing is meant for unless it says so: what is silent on them is for others.
_NAMED_ONLY = frozenset(("pregnant", "breastfeeding"))
_DOSED_APART = frozenset(("dialysis", "renal impairment", "hepatic impairment"))
_IMPAIRED_BELOW = 60  # mL/min
_YEAR = 365  # days, up to which doses differ from those of children
_YOUNGEST = frozenset(("preterm", "neonate"))
_INFANTS = _YOUNGEST | {"infant"}


def is_for(patients: People, unit: Unit) -> bool:
    """Tell whether a statement may apply to the question's patients."""
    sex = patients.male or patients.female
    traits = (patients.groups, patients.denied, patients.ages, patients.kidney, patients.weights)
    if not sex and not any(traits):
        return True
    column = column_for(patients, unit.text) if unit.is_row else None
    own, around = column or _people(unit.text), _people(unit.context)
    if around.age_groups and names_grown(unit.context):  # `care of the mother and newborn`
        around = replace(around, groups=("adult", *around.groups))
    about = own if names_anybody(own) else around
    if sex and _is_for_other_sex(patients, own, around):
        return False
    holds_dose = gives_dose(unit.text)
    levels = (about, around) if _is_open_ended(about) or _are_newborns(about, around) else (about,)
    if any(apart(patients, each) is not None for each in levels):
        return restricts(unit.text) and not (holds_dose or unit.is_row)
    if not set(patients.denied).isdisjoint(around.states) and not about.denied:
        return False  # a row of a table on pregnancy, whatever its footnote says of newborns
    named = {*about.states, *around.states}
    if tells_of_birth(f"{unit.text}\n{unit.context}"):
        named.add("pregnant")
    if not named >= _NAMED_ONLY.intersection(patients.states):
        return False
    if holds_dose and not column and _is_under_a_year(patients) and not _tells_of_infants(unit):
        return False
    return not holds_dose or not _is_dosed_apart(patients) or _tells_of_organs(unit)


def _is_for_other_sex(patients: People, own: People, around: People) -> bool:
    """Tell whether the nearest text that names a sex alone names the other one."""
    nearest = next((each for each in (own, around) if each.male or each.female), own)
    return (patients.male and nearest.female) or (patients.female and nearest.male)


def _is_open_ended(people: People) -> bool:
    """Tell whether ages have no upper end: `3 months and over`, in a guideline for children."""
    return bool(people.ages) and all(math.isinf(each.high) for each in people.ages)


def _are_newborns(about: People, around: People) -> bool:
    """Tell whether `babies` means newborns here, as in a guideline on neonatal infection."""
    return "infant" in about.groups and not about.ages and not _YOUNGEST.isdisjoint(around.groups)


def _is_dosed_apart(people: People) -> bool:
    is_impaired = any(each.high <= _IMPAIRED_BELOW for each in people.kidney)
    return is_impaired or not _DOSED_APART.isdisjoint(people.states)


def _is_under_a_year(people: People) -> bool:
    """Tell whether all patients meant are under a year: advice for children may not fit them."""
    if people.ages:
        return all(each.high < _YEAR for each in people.ages)
    return not _YOUNGEST.isdisjoint(people.age_groups)


def _tells_of_infants(unit: Unit) -> bool:
    """Tell whether a statement or its context names ages, weights or infants."""
    levels = [_people(text) for text in (unit.text, *unit.above, unit.hit.population)]
    return any(each.ages or each.weights or not _INFANTS.isdisjoint(each.groups) for each in levels)


def _tells_of_organs(unit: Unit) -> bool:
    return any(names_organs(text) for text in (unit.text, *unit.above))


def names_anybody(people: People) -> bool:
    """Tell whether a text says whom it is for; women and men are nobody's babies."""
    return bool(people.groups or people.ages or people.female or people.male)


@lru_cache(maxsize=8192)
def _people(text: str) -> People:
    return people_of(text)
