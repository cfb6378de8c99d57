"""Keep the statements that are about the question's medicine and patient. Pure.

The nearest mention counts: in the statement itself, else in its lead-in and caption, then the
section, then the title. A statement that is dropped can't be the answer, however similar it is.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import groupby, pairwise
from typing import NamedTuple

from chat.reader.asked import asked_medicines, fits_stage, is_only_next, without_denied
from chat.types import Unit
from core.text.clinical_terms import routes
from core.text.drugs import drug_places, drugs
from core.text.populations import People, apart, fits_bracketed_ages, people_of
from core.text.quantities.reading import read
from core.text.severity import severities

_DOSE = re.compile(r"\d\s*(?:mg|mcg|micrograms?|g|ml|units?|iu|mmol|tablets?)(?![a-z])", re.I)
_KINDS = frozenset({"penicillin"})  # names that stand for all that end with them
# Groups that nothing is meant for unless it says so: what is silent on them is for others.
_NAMED_ONLY = frozenset(("pregnant", "breastfeeding"))
_DOSED_APART = frozenset(("dialysis", "renal impairment", "hepatic impairment"))
_IMPAIRED_BELOW = 60  # mL/min
_YEAR = 365  # days, up to which doses differ from those of children
_YOUNGEST = frozenset(("preterm", "neonate"))
_INFANTS = _YOUNGEST | {"infant"}
_ORGANS = re.compile(
    r"\b(?:e?gfr|crcl|creatinine|renal|kidney|dialysis|hepatic|liver|cirrh\w+|child-pugh)\b",
    re.IGNORECASE,
)
# Who may have something at all answers also for those who may not.
_RESTRICTS = re.compile(
    r"\b(?:only|restrict\w*|licen[sc]ed|contra-?indicated|avoid\w*|(?:do|should|must) not|not"
    r" (?:be|recommended|for|suitable)|never|unless)\b",
    re.IGNORECASE,
)
_TREATS = re.compile(r"\b(?:treat\w*|therapeutic)\b", re.IGNORECASE)
_PREVENTS = re.compile(r"\b(?:thrombo)?prophyla\w+|\bprevent\w*", re.IGNORECASE)
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
_WRITTEN_SMALL = re.compile(r"\b(?:im|iv|sc|po|pr|io)\b")  # routes, as a hurried asker types them
# What is still to be found out recommends nothing.
_TO_RESEARCH = re.compile(
    r"^\W*(?:\d+\W*)?(?:key )?(?:recommendations? for research|research recommendations?)\b",
    re.IGNORECASE,
)
_ASKS_RESEARCH = re.compile(r"\b(?:research|trials?|stud(?:y|ies)|evidence)\b", re.IGNORECASE)
_SHARED = re.compile(r"[\s,/+]*(?:or|and|plus)?\s*")  # between medicines that one dose is for
_NUMBER = re.compile(r"\d")
_NUMBER_OF = re.compile(r"\d[^.;:]*\bof\b")


class _Bound(NamedTuple):
    """A one-sided bound in a text."""

    end: Fraction
    unit: str
    is_upper: bool


def in_agreement(question: str, asked: str, units: Sequence[Unit]) -> list[Unit]:
    """Drop statements about other medicines, people, routes, severities or stages.

    `asked` is the question with the other names of its terms.
    """
    medicines, people = asked_medicines(asked), people_of(question)
    wants_dose = bool(medicines and _ASKS_DOSE.search(question))
    wants_treatment = bool(_TREATS.search(question)) and not _PREVENTS.search(question)
    wanted_levels = severities(question, asked)
    wanted_routes = routes(_WRITTEN_SMALL.sub(lambda match: match.group().upper(), question))
    left = [
        unit
        for unit in advising(question, without_denied(question, on_asked_side(question, units)))
        if is_about_medicine(medicines, unit)
        and is_for(people, unit)
        and (not wants_treatment or not prevents(unit))
        and (not wanted_levels or is_as_severe(wanted_levels, asked, unit))
        and (not medicines or is_given_by(wanted_routes, unit))
        and (not medicines or is_of_age(medicines, people, unit))
        and (not wants_dose or gives_dose(medicines, unit))
        and (not wants_dose or not is_only_next(question, unit.text))
        and fits_stage(question, unit.text, unit.context)
    ]
    return with_amounts(left) if is_amount_asked(question) else left


def is_about_medicine(asked: frozenset[str], unit: Unit) -> bool:
    """Tell whether a statement or, if it names none, its context names an asked medicine."""
    if not asked:
        return True
    own = _drugs(unit.text)
    if own:
        if _meet(asked, own):
            return True
        # `Avoid with methotrexate`, under trimethoprim; not `methotrexate 10 mg`, not its row.
        return not (unit.is_row or _DOSE.search(unit.text)) and _is_under(asked, unit)
    for text in _above(unit):
        if named := _drugs(text):
            return _meet(asked, named)
    return not _DOSE.search(unit.text)


def is_amount_asked(question: str) -> bool:
    """Tell whether a question asks for an amount, rather than about changing a dose."""
    return bool(_ASKS_DOSE.search(question)) and not _ABOUT_DOSE.search(question)


def with_amounts(units: Sequence[Unit]) -> list[Unit]:
    """Keep only statements with an amount or a prohibition, if any statement has an amount."""
    if not any(_AMOUNT.search(unit.text) for unit in units):
        return list(units)
    return [u for u in units if _AMOUNT.search(u.text) or _RESTRICTS.search(u.text)]


def gives_dose(medicines: frozenset[str], unit: Unit) -> bool:
    """Tell whether a statement is about the dose of one of the medicines."""
    return says_of_dose(unit.text) and doses(medicines, unit.text)


def is_given_by(asked: frozenset[str], unit: Unit) -> bool:
    """Tell whether a dose may be given by one of the asked routes.

    The nearest text that names a route counts, a row's own cells before its header and footnotes. A
    dose without a route fits any.
    """
    if not asked or not _DOSE.search(unit.text):
        return True
    texts = (unit.quotes[0].text, unit.text, *_above(unit))
    named = next((found for text in texts if (found := routes(text))), asked)
    return not asked.isdisjoint(named)


def doses(asked: frozenset[str], text: str) -> bool:
    """Tell whether a number in the text may be a dose of an asked medicine.

    Such a number follows the medicine before the next one, which may share it, or precedes it (`400
    mg of`): `unless ibuprofen was given; codeine 1 mg/kg` has no dose of ibuprofen. True for a text
    without numbers or without the medicine.
    """
    named = _named(text)
    places = [n for n, (*_, name) in enumerate(named) if _meet(asked, name)]
    if not places or not _NUMBER.search(text):
        return True
    return any(_is_dosed(n, named, text) for n in places)


def is_of_age(asked: frozenset[str], people: People, unit: Unit) -> bool:
    """Tell whether what follows a medicine in brackets allows the patient's age.

    `Codeine 1 mg/kg (over 12 years) or morphine` has a child's dose of morphine, none of codeine.
    """
    named = [*_named(unit.text), (len(unit.text), 0, frozenset[str]())]
    said = [
        unit.text[start:following]
        for (start, _, name), (following, *_) in pairwise(named)
        if _meet(asked, name)
    ]
    return not said or any(fits_bracketed_ages(people, each) for each in said)


def _named(text: str) -> list[tuple[int, int, frozenset[str]]]:
    """Return `(start, end, names)` for each medicine in the text; a brand has several names."""
    places = groupby(drug_places(text), key=lambda place: place[:2])
    return [(*span, frozenset(name for *_, name in group)) for span, group in places]


def _is_dosed(place: int, named: Sequence[tuple[int, int, frozenset[str]]], text: str) -> bool:
    """Tell whether a number follows the medicine, before the next one, or precedes it."""
    begin = named[place - 1][1] if place else 0
    before = text[begin : named[place][0]]
    if _NUMBER_OF.search(before) or (not place and _NUMBER.search(before)):
        return True
    ends = [*(start for start, *_ in named[place + 1 :]), len(text)]
    for (_, end, _), following in zip(named[place:], ends, strict=True):
        behind = text[end:following]
        if _NUMBER.search(behind):
            return True
        if not _SHARED.fullmatch(behind):
            return False
    return False


def advising(question: str, units: Sequence[Unit]) -> list[Unit]:
    """Drop recommendations for research, unless the question asks about research."""
    if _ASKS_RESEARCH.search(question):
        return list(units)
    return [unit for unit in units if not any(map(_TO_RESEARCH.match, unit.hit.section_path))]


def is_for(asked: People, unit: Unit) -> bool:
    """Tell whether a statement may apply to the question's patients."""
    told = (asked.groups, asked.denied, asked.ages, asked.kidney, asked.weights, asked.male)
    if not any(told):
        return True
    around = _people(unit.context)
    about = own if names_anybody(own := _people(unit.text)) else around
    holds_dose = bool(_DOSE.search(unit.text))
    levels = (about, around) if _is_open_ended(about) or _are_newborns(about, around) else (about,)
    if any(apart(asked, each) is not None for each in levels):
        return bool(_RESTRICTS.search(unit.text)) and not (holds_dose or unit.is_row)
    if not set(asked.denied).isdisjoint(around.states) and not about.denied:
        return False  # a row of a table on pregnancy, whatever its footnote says of newborns
    named = {*about.states, *around.states}
    if not named >= _NAMED_ONLY.intersection(asked.states):
        return False
    if holds_dose and _is_under_a_year(asked) and not _tells_of_infants(unit):
        return False
    return not holds_dose or not _is_dosed_apart(asked) or _tells_of_organs(unit)


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
    levels = [_people(text) for text in (unit.text, *_above(unit), unit.hit.population)]
    return any(each.ages or each.weights or not _INFANTS.isdisjoint(each.groups) for each in levels)


def _tells_of_organs(unit: Unit) -> bool:
    return any(_ORGANS.search(text) for text in (unit.text, *_above(unit)))


def says_of_dose(text: str) -> bool:
    """Tell whether a text gives an amount or says how a dose changes."""
    return bool(_AMOUNT.search(text) or _ABOUT_DOSE.search(text))


def prevents(unit: Unit) -> bool:
    """Tell whether a dose is for prevention, by the nearest text that names a purpose."""
    return bool(_DOSE.search(unit.text)) and are_of_prevention((unit.text, *_above(unit)))


def are_of_prevention(texts: Iterable[str]) -> bool:
    """Tell whether the first text that names a purpose names prevention and not treatment."""
    for text in texts:
        if _TREATS.search(text):
            return False
        if _PREVENTS.search(text):
            return True
    return False


def is_as_severe(levels: frozenset[str], asked: str, unit: Unit) -> bool:
    """Tell whether the nearest text that names a severity names an asked one; True if none does."""
    texts = (unit.quotes[0].text, unit.text, *_above(unit))
    named = (severities(text, asked) for text in texts)
    return not levels.isdisjoint(next(filter(None, named), levels))


def names_anybody(people: People) -> bool:
    return bool(people.groups or people.ages)


def on_asked_side(question: str, units: Sequence[Unit]) -> list[Unit]:
    """Drop statements for the other side of a bound: `more than 12 weeks` for `within 12 weeks`.

    Only where both have the same value and the statement doesn't cover the question's side as well.
    """
    bounds = _bounds(question)
    return [unit for unit in units if not (bounds and _is_other_side(bounds, _bounds(unit.text)))]


def _is_other_side(asked: frozenset[_Bound], said: frozenset[_Bound]) -> bool:
    return any(
        bound._replace(is_upper=not bound.is_upper) in said and bound not in said for bound in asked
    )


@lru_cache(maxsize=8192)
def _bounds(text: str) -> frozenset[_Bound]:
    """Return the one-sided bounds with a unit; a bare number may count anything."""
    intervals = (one for found in read(text).quantities for one in found.readings)
    return frozenset(
        _Bound(end, interval.unit, is_upper=interval.low is None)
        for interval in intervals
        if interval.unit and (interval.low is None) != (interval.high is None)
        for end in interval.ends
    )


def _is_under(asked: frozenset[str], unit: Unit) -> bool:
    return any(_meet(asked, _drugs(text)) for text in _above(unit))


def _above(unit: Unit) -> Iterator[str]:
    """Yield the texts above a statement, the nearest first."""
    yield from (quote.text for quote in unit.quotes[1:])
    yield unit.caption
    yield from reversed(unit.hit.section_path)
    yield unit.hit.title


def _meet(asked: frozenset[str], named: frozenset[str]) -> bool:
    """Tell whether the sets share a name, or a kind: `phenoxymethylpenicillin` is a `penicillin`.

    An ending alone doesn't count: noradrenaline is no adrenaline.
    """
    return any(_is_kind(one, other) or _is_kind(other, one) for one in asked for other in named)


def _is_kind(name: str, kind: str) -> bool:
    return name == kind or (kind in _KINDS and name.endswith(kind))


@lru_cache(maxsize=8192)
def _drugs(text: str) -> frozenset[str]:
    return frozenset(drugs(text))


@lru_cache(maxsize=8192)
def _people(text: str) -> People:
    return people_of(text)
