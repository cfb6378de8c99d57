"""Keep the statements that are about the question's medicine and patient. Pure.

The nearest mention counts: in the statement itself, else in its lead-in and caption, then the
section, then the title. A statement that is dropped can't be the answer, however similar it is.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from chat.reader.asked import (
    asked_medicines,
    asked_people,
    asks_when_not,
    asks_when_to_stop,
    without_denied,
)
from chat.types import Unit
from core.language.en.clinical_terms import routes
from core.language.en.drugs import drug_places, drugs
from core.language.en.limits import forbids_start, is_limiting_heading
from core.language.en.people import People, apart, people_of
from core.language.en.severity import severities
from retrieval.types import Hit

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
_STOPS = re.compile(
    r"\b(?:stop\w*|discontinu\w+|withdraw\w*|wean\w*|until|no longer|days?|weeks?)\b", re.IGNORECASE
)
_ASKS_DOSE = re.compile(r"\bdos(?:es?|ing|age)\b|\bhow (?:much|many)\b", re.IGNORECASE)
_JOINED = re.compile(r"\s*(?:[,/]|,?\s*\b(?:or|and)\b)?\s*", re.IGNORECASE)
_TREATS = re.compile(r"\b(?:treat\w*|therapeutic)\b", re.IGNORECASE)
_PREVENTS = re.compile(r"\b(?:thrombo)?prophyla\w+|\bprevent\w*", re.IGNORECASE)
_TREATING_DOSE = re.compile(r"\b(?:treatment|treating|therapeutic)[ -]dos(?:es?|ing|age)\b", re.I)
_INSTEAD = re.compile(r"\b(?:instead of|rather than|in place of)\s+$", re.IGNORECASE)
_WRITTEN_SMALL = re.compile(r"\b(?:im|iv|sc|po|pr|io)\b")  # routes, as a hurried asker types them


def in_agreement(question: str, asked: str, units: Sequence[Unit]) -> list[Unit]:
    """Drop statements about other medicines, people, routes or severities.

    Where it is asked when something is not given or is stopped, also those that don't say so; and
    for a dose, those with the dose of another medicine. Both questions are in English; `asked` has
    the other names of its terms.
    """
    medicines, people = asked_medicines(asked), asked_people(question)
    wanted_levels = severities(question, asked)
    when_not, when_to_stop = asks_when_not(question), asks_when_to_stop(question)
    to_treat = bool(_TREATING_DOSE.search(question))
    of_dose = bool(_ASKS_DOSE.search(question))
    wanted_routes = routes(_WRITTEN_SMALL.sub(lambda match: match.group().upper(), question))
    return [
        original
        for original in without_denied(question, units)
        for unit in (original.in_english,)
        if is_about_medicine(medicines, unit)
        and is_for(people, unit)
        and (not wanted_levels or is_as_severe(wanted_levels, asked, unit))
        and (not medicines or is_given_by(wanted_routes, unit))
        and (not when_not or tells_when_not(unit))
        and (not when_to_stop or _STOPS.search(unit.text))
        and (not of_dose or is_dose_of(medicines, unit))
        and not (to_treat and is_under_prevention(unit.hit))
    ]


def tells_when_not(unit: Unit) -> bool:
    """Tell whether a statement forbids something, or stands under a heading that does."""
    headings = (*(quote.text for quote in unit.quotes[1:]), *unit.hit.section_path[-1:])
    return forbids_start(unit.text) or any(map(is_limiting_heading, headings))


def is_about_medicine(asked: frozenset[str], unit: Unit) -> bool:
    """Tell whether a statement or, if it names none, its context names an asked medicine."""
    if not asked:
        return True
    own = _drugs(unit.text)
    if own:
        if share_a_name(asked, own):
            return True
        # `Avoid with methotrexate`, under trimethoprim; not `methotrexate 10 mg`, not its row.
        return not (unit.is_row or _DOSE.search(unit.text)) and _is_under(asked, unit)
    for text in _above(unit):
        if named := _drugs(text):
            return share_a_name(asked, named)
    return not _DOSE.search(unit.text)


def is_dose_of(asked: frozenset[str], unit: Unit) -> bool:
    """Tell whether one of a sentence's doses may be of an asked medicine.

    A dose is of the medicine named last before it. `Oxazepam 15 mg instead of chlordiazepoxide`
    answers for both.
    """
    places = drug_places(unit.text)
    if unit.is_row or not asked or not any(_in(asked, name) for *_, name in places):
        return True
    of = [_medicines_before(m.start(), unit.text, places) for m in _DOSE.finditer(unit.text)]
    if not of or any(not names or share_a_name(asked, names) for names in of):
        return True
    return any(_INSTEAD.search(unit.text[:start]) for start, _, name in places if _in(asked, name))


def _medicines_before(at: int, text: str, places: Sequence[tuple[int, int, str]]) -> frozenset[str]:
    """Return the last medicine before a place, and those joined to it by `or`."""
    names: list[str] = []
    reached = at
    for start, end, name in reversed([place for place in places if place[0] < at]):
        if names and not _JOINED.fullmatch(text[end:reached]):
            break
        names.append(name)
        reached = start
    return frozenset(names)


def _in(asked: frozenset[str], name: str) -> bool:
    return share_a_name(asked, frozenset((name,)))


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


def is_for(asked: People, unit: Unit) -> bool:
    """Tell whether a statement may apply to the question's patients."""
    sex = asked.male or asked.female
    told = (asked.groups, asked.denied, asked.ages, asked.kidney, asked.weights, sex)
    if not any(told):
        return True
    own, around = _people(unit.text), _people(unit.context)
    about = own if names_anybody(own) else around
    if sex and _is_for_other_sex(asked, own, around):
        return False
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


def _is_for_other_sex(asked: People, own: People, around: People) -> bool:
    """Tell whether the nearest text that names a sex alone names the other one."""
    nearest = next((each for each in (own, around) if each.male or each.female), own)
    return (asked.male and nearest.female) or (asked.female and nearest.male)


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


def is_as_severe(levels: frozenset[str], asked: str, unit: Unit) -> bool:
    """Tell whether the nearest text that names a severity names an asked one; True if none does."""
    texts = (unit.quotes[0].text, unit.text, *_above(unit))
    named = (severities(text, asked) for text in texts)
    return not levels.isdisjoint(next(filter(None, named), levels))


def names_anybody(people: People) -> bool:
    return bool(people.groups or people.ages)


def is_under_prevention(hit: Hit) -> bool:
    """Tell whether the nearest heading that names a purpose names prevention and not treatment."""
    for text in (*reversed(hit.section_path), hit.title):
        if _TREATS.search(text):
            return False
        if _PREVENTS.search(text):
            return True
    return False


def _is_under(asked: frozenset[str], unit: Unit) -> bool:
    return any(share_a_name(asked, _drugs(text)) for text in _above(unit))


def _above(unit: Unit) -> Iterator[str]:
    """Yield the texts above a statement, the nearest first."""
    yield from (quote.text for quote in unit.quotes[1:])
    yield unit.caption
    yield from reversed(unit.hit.section_path)
    yield unit.hit.title


def share_a_name(asked: frozenset[str], named: frozenset[str]) -> bool:
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
