"""Read the parameters of an infobutton. Pure.

HL7 Version 3, Context-Aware Knowledge Retrieval ("Infobutton"), URL-based implementation guide,
release 4. A parameter that may be given several times has a number at its end from the second on,
as `observation.v.v2`. Parameters that are not read here are ignored, and never repeated.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

MAX_CHARS = 200  # of a name
PAGE, ATOM, JSON = "text/html", "application/atom+xml", "application/json"
_FORMS = {
    **dict.fromkeys(("", PAGE), PAGE),
    **dict.fromkeys(("text/xml", "application/xml", ATOM), ATOM),
    **dict.fromkeys((JSON, "text/javascript"), JSON),
}
MOST = 20  # of a parameter that is repeated
# Codes of ActTaskCode, by what is asked in that task of what the button stands beside.
_ASKED_IN = {
    **dict.fromkeys(("MEDOE", "MEDLISTREV", "MLREV", "MAR"), "dose"),
    **dict.fromkeys(("PROBLISTREV", "PROBLISTE"), "management"),
    "LABRREV": "what to do",
    "LABOE": "when to test",
}
_AGE_UNITS = {"a": "year", "mo": "month", "wk": "week", "d": "day", "h": "hour", "min": "minute"}
_SEXES = {"F": "female", "M": "male"}
# Codes of MeSH, as the guide has them for `ageGroup`.
_AGE_GROUPS = {
    "D007231": "neonate",
    "D007223": "infant",
    "D002675": "child aged 2 to 5 years",
    "D002648": "child aged 6 to 12 years",
    "D000293": "child aged 13 to 18 years",
    **dict.fromkeys(("D055815", "D000328", "D008875"), "adult"),
    "D000368": "adult aged 65 years or more",
    "D000369": "adult aged 80 years or more",
}
# Codes of LOINC, by what the appendix constrains.
EGFR = frozenset("33914-3 48642-3 48643-1 62238-1 69405-9 77147-7 88293-6 98979-8".split())
_CLEARANCE = frozenset("2164-2 35591-7 35592-5 13442-9".split())
CREATININE = frozenset("2160-0 14682-9 38483-4".split())
WEIGHT = frozenset("29463-7 3141-9 3142-7 8339-4".split())
PREGNANCY = frozenset("11449-6 82810-3".split())
ALLERGY, ALLERGIC_TO = "48765-2", "allergic to "
_IS_PREGNANT = frozenset("77386006 LA15173-0".split())  # of SNOMED CT, of LOINC
_FLOWS = dict.fromkeys("mL/min mL/min/1.73m2 mL/min/{1.73_m2} ml/min".split(), "mL/min")
# What is measured, with its units and how they are written in a question.
_MEASURES: tuple[tuple[frozenset[str], str, Mapping[str, str]], ...] = (
    (EGFR, "eGFR", _FLOWS),
    (_CLEARANCE, "creatinine clearance", _FLOWS),
    (CREATININE, "creatinine", {"umol/L": "micromol/L", "mg/dL": "mg/dL"}),
    (WEIGHT, "weight", {"kg": "kg", "g": "g", "[lb_av]": "lb"}),
)
PARTS = ("c.c", "v.v", "v.u", "v.c", "v.dn")  # of an observation
_NUMBER = re.compile(r"\d{1,6}(?:\.\d{1,4})?")

NamesByCode = Callable[[str, str], str]  # system and code -> name; empty where it is not known


class InfobuttonFault(ValueError):
    """A parameter that can't be read; the message names it and says what it may be."""


@dataclass(frozen=True)
class Fact:
    """What the record says of the patient, and the names of the parameters that say it."""

    text: str
    parameters: tuple[str, ...]


@dataclass(frozen=True)
class Infobutton:
    """What was asked, and of whom."""

    name: str  # of a medicine, problem or result
    topic: str
    facts: tuple[Fact, ...]
    form: str  # the media type of the answer
    read: tuple[tuple[str, str], ...]  # parameters that were read, in the order of the request

    @property
    def question(self) -> str:
        """Return the question, as it would be typed: `Enoxaparin: dose, for: 78 years old`."""
        asked = f"{self.name}: {self.topic}" if self.topic else self.name
        whom = ", ".join(fact.text for fact in self.facts)
        return f"{asked}, for: {whom}" if whom else asked

    def without(self, fact: Fact) -> list[tuple[str, str]]:
        """Return the parameters without those of a fact."""
        return [(name, value) for name, value in self.read if name not in fact.parameters]


def infobutton_of(given: Mapping[str, str], name_of: NamesByCode) -> Infobutton:
    """Read the parameters of a request. Raises InfobuttonFault."""
    read = _Parameters(given)
    name = _named(read, "mainSearchCriteria", name_of)
    if not name:
        raise InfobuttonFault(
            "mainSearchCriteria: a name (.v.dn or .v.ot) is needed, or a code (.v.c with .v.cs) "
            "that this site's list of codes has."
        )
    topic = _named(read, "subTopic", name_of) or _ASKED_IN.get(read("taskContext.c.c"), "")
    form = read("knowledgeResponseType").lower().partition(";")[0].strip()
    if form not in _FORMS:
        raise InfobuttonFault(
            f"knowledgeResponseType: one of {', '.join(filter(None, _FORMS))} is possible."
        )
    facts = tuple(filter(None, (_sex(read), _age(read), *_observed(read))))
    return Infobutton(name, topic, facts, _FORMS[form], tuple(read.known))


class _Parameters:
    """The values of a request; those that are asked for are `known`."""

    def __init__(self, given: Mapping[str, str]) -> None:
        self._given = given
        self._asked: set[str] = set()

    def __call__(self, name: str) -> str:
        self._asked.add(name)
        said = self._given.get(name, "")
        text = " ".join("".join(c if c.isprintable() else " " for c in said).split())
        if len(text) > MAX_CHARS:
            raise InfobuttonFault(f"{name}: at most {MAX_CHARS} characters are possible.")
        return text

    @property
    def known(self) -> list[tuple[str, str]]:
        return [(name, value) for name, value in self._given.items() if name in self._asked]


def _named(read: _Parameters, what: str, name_of: NamesByCode) -> str:
    """Return the name of a search criterion or sub-topic; the display name before the typed one."""
    shown, typed = read(f"{what}.v.dn"), read(f"{what}.v.ot")
    code, system = read(f"{what}.v.c"), read(f"{what}.v.cs")
    return name_of(system, code) or shown or typed if code else shown or typed


def _sex(read: _Parameters) -> Fact | None:
    name = "patientPerson.administrativeGenderCode.c"
    code = read(name).upper()
    if code and code not in (*_SEXES, "UN"):
        raise InfobuttonFault(f"{name}: F, M or UN is possible.")
    return Fact(_SEXES[code], (name,)) if code in _SEXES else None


def _age(read: _Parameters) -> Fact | None:
    value, unit = read("age.v.v"), read("age.v.u")
    group = read("ageGroup.v.c")
    if value:
        word = _AGE_UNITS.get(unit)
        if not word or not _NUMBER.fullmatch(value):
            raise InfobuttonFault(
                f"age.v.v, age.v.u: a number and one of {', '.join(_AGE_UNITS)} are needed."
            )
        plural = "" if float(value) == 1 else "s"
        return Fact(f"{value} {word}{plural} old", ("age.v.v", "age.v.u", "ageGroup.v.c"))
    return Fact(_AGE_GROUPS[group], ("ageGroup.v.c",)) if group in _AGE_GROUPS else None


def _observed(read: _Parameters) -> list[Fact]:
    """Return kidney function, pregnancy, weight and allergies, by the appendix on observations."""
    found = []
    for number in range(1, MOST + 1):
        names = parameters_of(number)
        if text := observation_text([*map(read, names)], place=f"{names[1]}, {names[2]}"):
            found.append(Fact(text, names))
    return found


def parameters_of(number: int) -> tuple[str, ...]:
    """Return the names of the parameters of an observation, counted from 1."""
    end = str(number) if number > 1 else ""
    return tuple(f"observation.{part}{end}" for part in PARTS)


def observation_text(said: Sequence[str], *, place: str = "") -> str:
    """Return an observation in words, by the values of its parts; empty if it isn't read.

    Raises InfobuttonFault for a value or unit that can't be read.
    """
    code, value, unit, coded, named = said
    if code == ALLERGY:
        return f"{ALLERGIC_TO}{named}" if named else ""
    if code in PREGNANCY:
        return "pregnant" if coded in _IS_PREGNANT else ""
    for codes, name, units in _MEASURES:
        if code in codes:
            if unit not in units or not _NUMBER.fullmatch(value):
                raise InfobuttonFault(
                    f"{place}: of {name} a number and one of {', '.join(sorted(units))} are needed."
                )
            return f"{name} {value} {units[unit]}"
    return ""
