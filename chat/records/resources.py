"""Read a patient's facts and orders from FHIR resources (R4, R5). Pure.

Only codes with their names, values and states are read, of a patient birth date and gender. What
has another form than FHIR's is passed over, and a fact that wasn't found is told as not known.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from chat.records.infobutton import (
    ALLERGY,
    CREATININE,
    EGFR,
    MOST,
    PREGNANCY,
    WEIGHT,
    InfobuttonFault,
    NamesByCode,
    observation_text,
    parameters_of,
)

_LOINC = "http://loinc.org"
_OF_PATIENT = "patient={{context.patientId}}"
# Searched for by the record, the newest first, and the days for which each is good.
OBSERVED: Mapping[str, tuple[frozenset[str], int]] = {
    "egfr": (EGFR, 90),
    "creatinine": (CREATININE, 90),
    "weight": (WEIGHT, 365),
    "pregnancy": (PREGNANCY, 280),
}
PREFETCH: Mapping[str, str] = {
    "patient": "Patient/{{context.patientId}}",
    "conditions": f"Condition?{_OF_PATIENT}&clinical-status=active",
    "allergies": f"AllergyIntolerance?{_OF_PATIENT}&clinical-status=active",
} | {
    name: f"Observation?{_OF_PATIENT}&code={','.join(f'{_LOINC}|{c}' for c in sorted(codes))}"
    "&_sort=-date&_count=1"
    for name, (codes, _) in OBSERVED.items()
}
_LISTS = ("allergies", "conditions")
_WANTED = ("age", "kidney function", "weight", *_LISTS)  # what is told if not known
_SEXES = {"female": "F", "male": "M"}
_MONTHS_TO, _DAYS_TO = 730, 28  # ages in days up to which months, and days, are told
_HOLDS = ("active", "recurrence", "relapse")
_DOUBTED = ("refuted", "entered-in-error", "unconfirmed", "provisional", "differential")
_FINAL = ("final", "amended", "corrected")
_ENDED = ("cancelled", "completed", "entered-in-error", "stopped")
_TAG = re.compile(
    r" \((?:disorder|finding|situation|event|substance|product|medicinal product(?: form)?"
    r"|(?:real )?clinical drug|procedure)\)$"
)
_NONE = "no known"  # allergies
_PATIENT_OF = dict.fromkeys(("Observation", "Condition", "MedicationRequest"), "subject") | {
    "AllergyIntolerance": "patient"
}


@dataclass(frozen=True)
class Subject:
    """What is known of a patient: parameters of an infobutton, and the names of conditions.

    `unknown` names what the record didn't send, or not in a form that is read.
    """

    parameters: Mapping[str, str]
    conditions: tuple[str, ...]
    unknown: tuple[str, ...]


@dataclass(frozen=True)
class Observed:
    """The newest observation of a kind, as the values of an infobutton's parts, and as words."""

    name: str  # by which it would be told as not known
    said: tuple[str, ...]
    text: str
    day: datetime.date
    is_old: bool


def subject_of(read: Mapping[str, Any], name_of: NamesByCode, on: datetime.date) -> Subject:
    """Read what a record sent or answered as of a day, by the names of `PREFETCH`."""
    parameters = demographics(read.get("patient"), on)
    new = [each for each in observations_in(read, on) if not each.is_old]
    known = {each.name for each in new} | {name for name in _LISTS if name in read}
    allergies = ((ALLERGY, "", "", "", name) for name in allergies_in(read, name_of))
    said = [*(each.said for each in new), *allergies][:MOST]
    for number, values in enumerate(said, start=1):
        named = zip(parameters_of(number), values, strict=True)
        parameters |= {name: value for name, value in named if value}
    if "age.v.v" in parameters:
        known.add("age")
    return Subject(
        parameters,
        tuple(named_in(read.get("conditions"), "Condition", name_of)),
        tuple(name for name in _WANTED if name not in known),
    )


def patients_in(read: Mapping[str, Any]) -> set[str]:
    """Return the ids of the patients of these resources; empty text where one names nobody."""
    found = {_text(_mapping(read.get("patient")).get("id"))}
    for bundle in read.values():
        for kind, field in _PATIENT_OF.items():
            for each in resources_in(bundle, kind):
                reference = _text(_mapping(each.get(field)).get("reference"))
                path = reference.partition("/_history/")[0].split("/")  # relative or absolute
                found.add(path[-1] if path[-2:-1] == ["Patient"] else "")
    return found


def ordered_medicines(
    bundle: Any, name_of: NamesByCode, selections: Collection[str] | None = None
) -> tuple[str, ...]:
    """Return the names of the medicines in a bundle of draft orders, each once.

    With `selections` only of those, such as `MedicationRequest/1`.
    """
    names = []
    for order in resources_in(bundle, "MedicationRequest"):
        if order.get("doNotPerform") is True or order.get("status") in _ENDED:
            continue
        if selections is None or f"MedicationRequest/{_text(order.get('id'))}" in selections:
            names.append(medicine_of(order, name_of))
    return tuple(dict.fromkeys(filter(None, names)))


def medicine_of(order: Mapping[str, Any], name_of: NamesByCode) -> str:
    """Return the name of an order's medicine: its own (R4, R5) or that of one within it."""
    both = _mapping(order.get("medication"))
    if own := order.get("medicationCodeableConcept") or both.get("concept"):
        return _name(own, name_of)
    reference = _mapping(order.get("medicationReference") or both.get("reference"))
    inside = _text(reference.get("reference")).removeprefix("#")
    for resource in mappings_in(order.get("contained")):
        if inside and resource.get("id") == inside:
            return _name(resource.get("code"), name_of)
    return _text(reference.get("display"))


def demographics(patient: Any, on: datetime.date) -> dict[str, str]:
    read: dict[str, str] = {}
    patient = _mapping(patient)
    if patient.get("resourceType") != "Patient":
        return read
    if sex := _SEXES.get(_text(patient.get("gender"))):
        read["patientPerson.administrativeGenderCode.c"] = sex
    born = day_of(patient.get("birthDate"))
    if born and born <= on:
        days = (on - born).days
        months = (on.year - born.year) * 12 + on.month - born.month - (on.day < born.day)
        value, unit = (months // 12, "a")
        if days < _MONTHS_TO:
            value, unit = (days, "d") if days < _DAYS_TO else (max(months, 1), "mo")
        read |= {"age.v.v": str(value), "age.v.u": unit}
    return read


def observations_in(read: Mapping[str, Any], on: datetime.date) -> Iterator[Observed]:
    """Yield the newest of each kind that is final and has a date, a value and a unit."""
    for kind, (codes, days) in OBSERVED.items():
        found = []
        for each in resources_in(read.get(kind), "Observation"):
            at = _text(each.get("effectiveDateTime")) or _text(each.get("effectiveInstant"))
            day, said = day_of(at), _values(each, codes)
            if day and day <= on and each.get("status") in _FINAL and (text := _in_words(said)):
                found.append((day, at, said, text))
        if found:
            day, _, said, text = max(found, key=lambda each: each[:2])
            name = "kidney function" if kind == "egfr" else kind
            yield Observed(name, said, text, day, on - day > datetime.timedelta(days))


def _values(observation: Mapping[str, Any], codes: frozenset[str]) -> tuple[str, ...]:
    coded = mappings_in(_mapping(observation.get("code")).get("coding"))
    found = (_text(each.get("code")) for each in coded if each.get("system") == _LOINC)
    code = next((each for each in found if each in codes), "")
    if concept := observation.get("valueCodeableConcept"):
        return code, "", "", next(filter(None, _codes(concept)), ""), ""
    quantity = _mapping(observation.get("valueQuantity"))
    unit, number = _text(quantity.get("code")) or _text(quantity.get("unit")), quantity.get("value")
    is_number = isinstance(number, int | float) and not isinstance(number, bool)
    return code, f"{number:.4f}".rstrip("0").rstrip(".") if is_number else "", unit, "", ""


def _in_words(said: tuple[str, ...]) -> str:
    try:
        return observation_text(said)
    except InfobuttonFault:
        return ""


def allergies_in(read: Mapping[str, Any], name_of: NamesByCode) -> dict[str, datetime.date | None]:
    """Return what somebody is allergic to, with the day when it was recorded."""
    named = named_in(read.get("allergies"), "AllergyIntolerance", name_of)
    return {name: day for name, day in named.items() if not name.lower().startswith(_NONE)}


def named_in(bundle: Any, kind: str, name_of: NamesByCode) -> dict[str, datetime.date | None]:
    """Return the names of what holds of conditions or allergies, with the day of recording."""
    return {
        name: day_of(each.get("recordedDate"))
        for each in resources_in(bundle, kind)
        if {*_codes(each.get("clinicalStatus"))} <= {*_HOLDS}
        and not {*_codes(each.get("verificationStatus"))} & {*_DOUBTED}
        and (name := _name(each.get("code"), name_of))
    }


def _codes(concept: Any) -> list[str]:
    return [_text(each.get("code")) for each in mappings_in(_mapping(concept).get("coding"))]


def _name(concept: Any, name_of: NamesByCode) -> str:
    """Return the name of a concept: by the site's list of codes, by a coding, or as typed."""
    concept = _mapping(concept)
    codings = list(mappings_in(concept.get("coding")))
    listed = (name_of(_text(c.get("system")), _text(c.get("code"))) for c in codings)
    # Without the tag of SNOMED CT: `Pneumonia (disorder)`
    shown = (_TAG.sub("", _text(coding.get("display"))) for coding in codings)
    return next(filter(None, (*listed, *shown)), "") or _text(concept.get("text"))


def resources_in(bundle: Any, kind: str) -> Iterator[Mapping[str, Any]]:
    for entry in mappings_in(_mapping(bundle).get("entry")):
        resource = _mapping(entry.get("resource"))
        if resource.get("resourceType") == kind:
            yield resource


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def mappings_in(value: Any) -> Iterator[Mapping[str, Any]]:
    return (each for each in (value if isinstance(value, list) else ()) if isinstance(each, dict))


def _text(value: Any) -> str:
    return " ".join(value.split()) if isinstance(value, str) else ""


def day_of(value: Any) -> datetime.date | None:
    """Return the day of a date or time; None for a month or a year alone."""
    try:
        return datetime.date.fromisoformat(_text(value)[:10])
    except ValueError:
        return None
