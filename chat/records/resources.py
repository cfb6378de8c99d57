"""Read a patient's facts and orders from FHIR resources (R4, R5). Pure.

Only what is named here is read: of a patient birth date and gender, of other resources codes with
their names, values and states. What has another form than FHIR's is passed over, and a fact that
wasn't found is told as not known. A validator would refuse a whole resource for a part that nobody
reads, and would read the names too.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Iterator, Mapping
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
    infobutton_of,
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


@dataclass(frozen=True)
class Subject:
    """What is known of a patient: parameters of an infobutton, and the names of conditions.

    `unknown` names what the record didn't send, or not in a form that is read.
    """

    parameters: Mapping[str, str]
    conditions: tuple[str, ...]
    unknown: tuple[str, ...]


def subject_of(prefetch: Mapping[str, Any], name_of: NamesByCode, on: datetime.date) -> Subject:
    """Read a prefetch as of a day."""
    parameters = demographics(prefetch.get("patient"), on)
    known = {"age"} if "age.v.v" in parameters else set()
    observations = []
    for name, (codes, days) in OBSERVED.items():
        found = newest(prefetch.get(name), codes, on)
        if found and found[0] >= on - datetime.timedelta(days):
            observations.append(found[1])
            known.add("kidney function" if name == "egfr" else name)
    for name in allergies_in(prefetch.get("allergies"), name_of):
        observations.append({"c.c": ALLERGY, "v.dn": name})
    known |= {name for name in ("allergies", "conditions") if name in prefetch}
    for number, observation in enumerate(observations[:MOST], start=1):
        end = str(number) if number > 1 else ""
        parameters |= {f"observation.{name}{end}": text for name, text in observation.items()}
    wanted = ("age", "kidney function", "weight", "allergies", "conditions")
    return Subject(
        parameters,
        tuple(named_in(prefetch.get("conditions"), "Condition", name_of)),
        tuple(name for name in wanted if name not in known),
    )


def ordered_medicines(
    bundle: Any, name_of: NamesByCode, *, selected: Callable[[str], bool]
) -> tuple[str, ...]:
    """Return the names of the medicines in a bundle of draft orders, each once.

    `selected` tells whether an order counts, by a reference such as `MedicationRequest/1`.
    """
    names = []
    for order in resources_in(bundle, "MedicationRequest"):
        if order.get("doNotPerform") is True or order.get("status") in _ENDED:
            continue
        if selected(f"MedicationRequest/{_text(order.get('id'))}"):
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
        value, unit = (
            (days, "d")
            if days < _DAYS_TO
            else (max(months, 1), "mo")
            if days < _MONTHS_TO
            else (months // 12, "a")
        )
        read |= {"age.v.v": str(value), "age.v.u": unit}
    return read


def newest(
    bundle: Any, codes: frozenset[str], on: datetime.date
) -> tuple[datetime.date, dict[str, str]] | None:
    """Return day and parameters of the newest final observation with a date, a value and a unit."""
    found = []
    for each in resources_in(bundle, "Observation"):
        day = day_of(each.get("effectiveDateTime")) or day_of(each.get("effectiveInstant"))
        code = _coded(each.get("code"), codes)
        if not code or not day or day > on or each.get("status") not in _FINAL:
            continue
        if (read := _value(each, code)) and fact_of(read):
            found.append((day, _text(each.get("effectiveDateTime")), read))
    if not found:
        return None
    day, _, read = max(found, key=lambda each: each[:2])
    return day, read


def _value(observation: Mapping[str, Any], code: str) -> dict[str, str]:
    if concept := observation.get("valueCodeableConcept"):
        codes = (_text(each.get("code")) for each in mappings_in(_mapping(concept).get("coding")))
        return {"c.c": code, "v.c": next(filter(None, codes), "")}
    quantity = _mapping(observation.get("valueQuantity"))
    number = quantity.get("value")
    if isinstance(number, bool) or not isinstance(number, int | float):
        return {}
    unit = _text(quantity.get("code")) or _text(quantity.get("unit"))
    return {"c.c": code, "v.v": f"{number:.4f}".rstrip("0").rstrip("."), "v.u": unit}


def fact_of(observation: Mapping[str, str]) -> str:
    """Return the fact that an infobutton reads from it, by the same rules; empty for none."""
    given = {f"observation.{name}": text for name, text in observation.items()}
    try:
        read = infobutton_of({"mainSearchCriteria.v.dn": "-"} | given, lambda system, code: "")
    except InfobuttonFault:
        return ""
    return read.facts[0].text if read.facts else ""


def allergies_in(bundle: Any, name_of: NamesByCode) -> dict[str, datetime.date | None]:
    """Return what somebody is allergic to, with the day when it was recorded."""
    named = named_in(bundle, "AllergyIntolerance", name_of)
    return {name: day for name, day in named.items() if not name.lower().startswith(_NONE)}


def named_in(bundle: Any, kind: str, name_of: NamesByCode) -> dict[str, datetime.date | None]:
    """Return the names of what holds of conditions or allergies, with the day of recording."""
    return {
        name: day_of(each.get("recordedDate"))
        for each in resources_in(bundle, kind)
        if _states(each.get("clinicalStatus")) <= {*_HOLDS}
        and not _states(each.get("verificationStatus")) & {*_DOUBTED}
        and (name := _name(each.get("code"), name_of))
    }


def _states(concept: Any) -> set[str]:
    return {_text(each.get("code")) for each in mappings_in(_mapping(concept).get("coding"))}


def _name(concept: Any, name_of: NamesByCode) -> str:
    """Return the name of a concept: by the site's list of codes, by a coding, or as typed."""
    concept = _mapping(concept)
    codings = list(mappings_in(concept.get("coding")))
    listed = (name_of(_text(c.get("system")), _text(c.get("code"))) for c in codings)
    shown = (_text(coding.get("display")) for coding in codings)
    return next(filter(None, (*listed, *map(_untagged, shown))), "") or _text(concept.get("text"))


def _untagged(name: str) -> str:
    """Return a name of SNOMED CT without its tag: `Pneumonia (disorder)`."""
    return _TAG.sub("", name)


def _coded(concept: Any, codes: frozenset[str]) -> str:
    codings = mappings_in(_mapping(concept).get("coding"))
    found = (_text(c.get("code")) for c in codings if c.get("system") == _LOINC)
    return next((code for code in found if code in codes), "")


def resources_in(bundle: Any, kind: str) -> Iterator[Mapping[str, Any]]:
    for entry in mappings_in(_mapping(bundle).get("entry")):
        resource = _mapping(entry.get("resource"))
        if resource.get("resourceType") == kind:
            yield resource


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def mappings_in(value: Any) -> Iterator[Mapping[str, Any]]:
    return (
        (each for each in value if isinstance(each, dict)) if isinstance(value, list) else iter(())
    )


def _text(value: Any) -> str:
    return " ".join(value.split()) if isinstance(value, str) else ""


def day_of(value: Any) -> datetime.date | None:
    """Return the day of a date or time; None for a month or a year alone."""
    try:
        return datetime.date.fromisoformat(_text(value)[:10])
    except ValueError:
        return None
