"""Tell whether a statement forbids something for the patient that a question describes. Pure.

A value that a bound holds (`platelets 40`, `below 50`), a state, an age, a week of pregnancy, a
kidney function, a medicine that is taken and, where it is asked whether something may be done, a
condition in the same words.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from core.language.en.clinical_terms import conditions
from core.language.en.medicines.names import drug_places, drugs
from core.language.en.negation import affirmed
from core.language.en.patients.gestation import gestation_of
from core.language.en.patients.people import People, people_of
from core.language.en.quantities.measures import Interval, levelled, measures
from core.language.en.quantities.pressures import is_beyond, pressures
from core.language.en.quantities.windows import is_in_window, times_ago
from core.language.en.questions.asked import asked_medicines
from core.language.en.short_forms.medicines import members_by_class, members_named
from core.language.en.statements.bans import (
    banned_outright,
    forbids,
    is_ban,
    without_asides,
    without_urging,
)
from core.language.en.statements.clauses import has_verb, is_imperative, run_on_spans
from core.language.en.statements.limits import forbids_start
from core.language.en.statements.topics import topic_words
from core.language.words import words

_MAY = re.compile(
    r"\b(?:can|could|may|ok|okay|safe|allowed|alright|fine|contra-?indicated|suitable"
    r"|(?<!what )should (?:i|we))\b",
    re.IGNORECASE,
)
_ALONE = re.compile(r"\b(?:alone|single[- ]agents?|mono-?therapy)\b", re.IGNORECASE)
_TOGETHER = re.compile(
    r"\b(?:two|both|more than one|another|(?:each )?other|together|combin\w+|dual|duplicat\w+)\b",
    re.IGNORECASE,
)
_TAKES = re.compile(r"\b(?:takes|taking|on)\s+(?:an?\s|the\s)?\W*$", re.IGNORECASE)
_BEGUN = re.compile(
    r"\b(?:start|put|begin|commence|switch|keep|continue)\w*\s+(?:\w+\s+){0,2}on\W*$", re.IGNORECASE
)
_IF = re.compile(r"\bif\b", re.IGNORECASE)
# `metoclopramide in Parkinson's?`: it is asked whether it may be.
_IN = re.compile(r"\W*(?:in|with|during|after)\s", re.IGNORECASE)
_ASKS_MORE = re.compile(
    r"\b(?:dose|dosing|how|what|which|when|where|who|why|mg|first|start|treat)", re.IGNORECASE
)
_HAD = re.compile(r"\W*(?:dose\W+)?\d+\s?(?:hours?|hrs?|h|days?|weeks?) ago\b", re.IGNORECASE)
# `Avoid codeine; use fentanyl`, `morphine allergy`: neither is what is forbidden.
_IN_ITS_PLACE = re.compile(
    r"(?<!not )(?<!never )\b(?:use(?! of)|prefer|give|offer|consider|choose|switch to)\b[^;.]*"
    r"|\b[\w-]+ (?:allergy|hypersensitivity)\b",
    re.IGNORECASE,
)
# `Hepatic encephalopathy with an eGFR below 30`: the bound alone forbids nothing.
_WITH_BOUND = re.compile(
    r"(?P<condition>[^.;:,()]*)\swith (?:an? |the )?"
    r"(?:e?GFR|CrCl|creatinine|INR|platelets?|potassium|Hb)\b",
    re.IGNORECASE,
)
_FOR = re.compile(r"\b(?:for|in) [^.;:,]*?(?=\s+(?:unless|except)\b|[.;:,]|$)")
_BEFORE = 32  # characters before a number that name what it measures
# Stems that make nothing the same: of a reaction, what it is to must be.
_REACTS = frozenset("allergic allergy anaphylaxi hypersensitivity".split())
_COMMON = _REACTS | frozenset(
    "count level less more than valu score contraindicat contraindicated history reaction "
    "infection tract".split()
)
_PREGNANT, _IMPAIRED = "pregnant", "renal impairment"
_BIRTH = frozenset((_PREGNANT, "breastfeeding"))  # whose sections are for nobody else
_BLEEDS = re.compile(r"ha?emorrhage|bleed(?:ing|s)?")
# An infection of the urinary tract is none of the respiratory tract.
_TRACT = re.compile(r"\b([a-z]+) tract (?=infection)", re.IGNORECASE)
_NAMES = 5  # letters of a word that may name a column: no `dose`, no `of`
_MANY, _LONG = 3, 8  # words in common, or letters of one, that make a condition the same


@dataclass(frozen=True)
class Described:
    """What a question says of its patient."""

    people: People
    weeks: tuple[Interval, ...]
    taken: frozenset[str]  # medicines
    conditions: frozenset[str]
    values: tuple[tuple[frozenset[str], Interval], ...]  # stems before a number, and it
    ago: tuple[float, ...]  # minutes since what is told
    may_it: bool  # whether it is asked if something may be done
    asked: frozenset[str]  # medicines
    pairs: tuple[tuple[int, int], ...]  # blood pressures
    words: frozenset[str]  # stems of those that tell of a topic
    typed: frozenset[str]  # every word
    named: frozenset[str]  # medicines, asked about or not
    adjacent: frozenset[frozenset[str]]  # stems of two words that stand together: `mitral stenosis`
    by_condition: bool = False  # whether a condition counts, whatever is asked

    @classmethod
    def of(cls, question: str) -> Described:
        asked = asked_medicines(question)
        told = affirmed(question)
        named = frozenset(drugs(told))
        may_it = bool(_MAY.search(question)) or _asks_of_one(question)
        return cls(
            people_of(told),
            gestation_of(told),
            (named - asked if asked else frozenset()) | _taken(told),
            _conditions(told),
            tuple(_values(question)),
            times_ago(question),
            may_it,
            asked,
            pressures(question),
            topic_words(told) - topic_words(" ".join(named)),
            frozenset(words(told.casefold())),
            named,
            _adjacent(told, but=topic_words(" ".join(named))) if may_it else frozenset(),
        )


def _adjacent(text: str, *, but: frozenset[str]) -> frozenset[frozenset[str]]:
    """Return the stems of each two words that follow each other and tell of a topic."""
    each = [topic_words(word) - _COMMON - but for word in words(text)]
    pairs = (one | other for one, other in pairwise(each) if one and other)
    return frozenset(pair for pair in pairs if len(pair) > 1)


def _taken(question: str) -> frozenset[str]:
    """Return the medicines that were taken some time ago: `apixaban 20 hours ago`.

    And where it is asked if something may be done, those that are: `if he takes apixaban`.
    """
    may_it = bool(_MAY.search(question))

    def is_taken(before: str) -> bool:
        return (
            bool(_TAKES.search(before))
            and not _BEGUN.search(before)
            and (may_it or bool(_IF.search(before)))
        )

    return frozenset(
        name
        for start, end, name in drug_places(question)
        if _HAD.match(question[end:]) or is_taken(question[:start])
    )


def _asks_of_one(question: str) -> bool:
    """Tell whether a question is no more than a medicine and what it is given in or with."""
    places = drug_places(question)
    is_bare = bool(places) and not question[: places[0][0]].strip(" \"'")
    return is_bare and bool(_IN.match(question[places[0][1] :])) and not _ASKS_MORE.search(question)


def forbids_for(
    patient: Described, text: str, *, headed: bool, about: str, by_name: bool = True
) -> bool:
    """Tell whether a text forbids something for a patient, or has it discussed first.

    Its sentences that say so count and, where it is `headed` by words such as `Contraindications`,
    what has no verb, as `INR above 1.7`. `about` is the title and the sections: what they name is
    what is treated, not what forbids it. `by_name`: whether it names what is asked about; only then
    a condition in the same words counts.
    """
    return any(
        _holds(patient, _forbidding_part(each), about, headed=headed, by_name=by_name)
        for each in (text[start:end] for start, end in run_on_spans(text))
        if not (len(patient.asked) > 1 and _ALONE.search(without_asides(each)))
        if forbids(each) or (headed and not is_imperative(each) and not has_verb(each))
    )


def _forbidding_part(sentence: str) -> str:
    """Return the parts of a sentence that forbid, where they have a bound of their own.

    `If 15 to 30, use half the dose; if below 15, avoid it` forbids nothing at 20.
    """
    parts = [part for part in sentence.split(";") if forbids(part)]
    has_bound = any(_is_bound(bound) for part in parts for _, bound in _values(part))
    return ";".join(parts) if has_bound else sentence


def is_passed(patient: Described, text: str) -> bool:
    """Tell whether a text only forbids, up to a bound that the patient's value is beyond.

    `Contraindicated below 30`, at 38: it doesn't say that it may be given.
    """
    if not forbids_start(without_urging(text)):
        return False
    theirs, mine = people_of(text), patient.people
    pairs = [
        (patient.weeks, gestation_of(text)),
        (mine.kidney, theirs.kidney),
        (mine.ages, theirs.ages),
    ]
    both = [(ours, named) for ours, named in pairs if ours and named]
    return bool(both) and not any(_meet(ours, named) for ours, named in both)


def is_in_band(patient: Described, label: str) -> bool:
    """Tell whether the label of a row's cell is a range of kidney function, age or weight held."""
    theirs, mine = people_of(label), patient.people
    return (
        _meet(mine.kidney, theirs.kidney)
        or _meet(mine.ages, theirs.ages)
        or _meet(mine.weights, theirs.weights)
    )


def measured_in(patient: Described, label: str) -> frozenset[str]:
    """Return the stems of what a label bounds that the patient's value lies within: `platelet`.

    Empty for none, and for the name of a medicine: that is an amount of it.
    """
    ranges = [(name, each) for name, each in _values(label) if each.low != each.high]
    shared = (
        stems & name
        for stems, value in patient.values
        for name, each in ranges
        if _are_same(stems, value, name, each)
    )
    return frozenset().union(*shared) - topic_words(" ".join(drugs(label)))


def row_forbids(patient: Described, cells: Sequence[str]) -> bool:
    """Tell whether the row of the patient's band forbids: `Platelets: Below 25; Dose: Do not give`.

    All of its other cells do, or only one whose head the question names.
    """
    label, *others = cells
    if not (is_in_band(patient, label) or measured_in(patient, label)):
        return False
    heads = [frozenset(words(cell.partition(":")[0].casefold())) for cell in others]
    of_one = [head.difference(*(each for each in heads if each != head)) for head in heads]
    bans = [forbids_start(cell) for cell in others]
    asked = {word for word in patient.typed if len(word) >= _NAMES}
    named = [ban for ban, head in zip(bans, of_one, strict=True) if head & asked]
    return any(bans) and all(named or bans)


def _holds(patient: Described, text: str, about: str, *, headed: bool, by_name: bool) -> bool:
    if _lacks_condition(patient, text):
        return False
    if by_name and _is_patient(patient, text, about):
        return True
    named = frozenset(drugs(text)) | members_named(text)
    is_taken = (by_name or headed) and patient.taken & named and is_in_window(patient.ago, text)
    if is_taken or _names_both(patient, text):  # both are asked about, and must not go together
        return frozenset(people_of(text).states) <= frozenset(patient.people.states)
    if is_beyond(patient.pairs, text):
        return True
    if by_name and patient.may_it and _is_banned_outright(patient, text, about):
        return True
    bounds = [(name, bound) for name, bound in _values(text) if _is_bound(bound)]
    if any(_are_same(*value, *bound) for value in patient.values for bound in bounds):
        return True
    return (patient.may_it or patient.by_condition) and _shares_condition(
        patient, text, about, headed, by_name
    )


def _is_banned_outright(patient: Described, text: str, about: str) -> bool:
    """Tell whether a text forbids what is asked about whatever the patient, in such patients."""
    others = _conditions(about)
    text = _FOR.sub(
        lambda of: " " if _conditions(of[0]) & (others | patient.conditions) else of[0], text
    )
    if not any(_is_of(patient.asked, each) for each in banned_outright(text)):
        return False
    is_for_them = _BIRTH.intersection(people_of(about).states) <= set(patient.people.states)
    is_on_it = not (others and patient.conditions) or bool(others & patient.conditions)
    return is_for_them and is_on_it


def _is_of(medicines: frozenset[str], what: str) -> bool:
    """Tell whether words name a medicine or its class, and nothing of it: no `heparin tube`."""
    own = {name for _, end, name in drug_places(what) if end == len(what)}
    return not medicines.isdisjoint(own | (members_named(what) if not any(drugs(what)) else set()))


def _lacks_condition(patient: Described, text: str) -> bool:
    """Tell whether a bound counts only with a condition that the question doesn't name."""
    found = _WITH_BOUND.search(text)
    needed = _conditions(found["condition"]) if found else frozenset()
    return bool(needed) and needed.isdisjoint(patient.conditions)


def _names_both(patient: Described, text: str) -> bool:
    """Tell whether a text names two of the medicines asked about.

    One class that both are members of names them once: `a patient on opioids`, but `two opioids`.
    """
    text = _IN_ITS_PLACE.sub(" ", text)
    own = patient.asked & frozenset(drugs(text))
    of_class = (patient.asked & members_named(text)) - own
    if own:
        return len(own | of_class) > 1
    return len(of_class) > 1 and (
        _TOGETHER.search(text) is not None
        or not any(of_class <= set(each) for each in members_by_class(text))
    )


def _is_patient(patient: Described, text: str, about: str) -> bool:
    """Tell whether a text is about such patients, by a bound of theirs or a state.

    Of a state that the question measures, a bound in the text tells: `avoid from 36 weeks`, at 20.
    """
    theirs, mine = people_of(text), patient.people
    weeks = gestation_of(text)
    states = frozenset(mine.states) & frozenset(theirs.states) - frozenset(people_of(about).states)
    states -= {_PREGNANT} if patient.weeks and weeks else frozenset()
    states -= {_IMPAIRED} if mine.kidney and theirs.kidney else frozenset()
    return bool(
        _meet(patient.weeks, weeks)
        or _meet(mine.kidney, theirs.kidney)
        or _meet(mine.ages, theirs.ages)
        or _meet(mine.weights, theirs.weights)
        or states
    )


def _shares_condition(
    patient: Described, text: str, about: str, headed: bool, by_name: bool
) -> bool:
    """Tell whether a text has a condition of the question, or many of its words.

    What neither names what is asked about nor stands under a limit has none that counts; nor does
    what both measure, whose values were compared.
    """
    if not (headed or by_name):
        return False
    if patient.conditions & _conditions(text) - _conditions(about):
        return True
    if not patient.may_it:
        return False
    theirs = topic_words(text)
    shared = patient.words & theirs - topic_words(about) - _COMMON - _measured(patient, text)
    is_reaction = bool(_REACTS & patient.words and _REACTS & theirs)
    return (
        by_name
        and is_ban(text)
        and (
            len(shared) >= _MANY
            or any(pair <= shared for pair in patient.adjacent)
            or any(len(stem) >= _LONG for stem in shared)
            or (is_reaction and bool(shared))
        )
    )


def _measured(patient: Described, text: str) -> frozenset[str]:
    """Return the stems that name what both measure: `creatinine clearance below 50`, at 70."""
    bounds = (name for name, bound in _values(text) if _is_bound(bound))
    mine = frozenset[str]().union(*(name for name, _ in patient.values))
    return mine.intersection(frozenset[str]().union(*bounds))


def _conditions(text: str) -> frozenset[str]:
    named = conditions(_TRACT.sub(r"\1 ", text).replace("-naive", " naive"))
    return frozenset(_BLEEDS.sub("haemorrhage", name) for name, _ in named)


def _values(text: str) -> list[tuple[frozenset[str], Interval]]:
    plain = levelled(text)
    return [
        (topic_words(plain[max(0, each.start - _BEFORE) : each.start]) - _COMMON, each.interval)
        for each in measures(plain)
    ]


def _is_bound(interval: Interval) -> bool:
    return math.inf in (interval.high, -interval.low)


def _are_same(
    asked: frozenset[str], value: Interval, named: frozenset[str], bound: Interval
) -> bool:
    """Tell whether a value lies within a bound of the same quantity, named in the same words."""
    is_exact = math.isfinite(value.low) and math.isfinite(value.high)
    return is_exact and not asked.isdisjoint(named) and value.meets(bound)


def _meet(ours: tuple[Interval, ...], theirs: tuple[Interval, ...]) -> bool:
    return any(one.meets(other) for one in ours for other in theirs)
