"""Synthetic patients of the tests' own record, as FHIR resources."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.utils import timezone

LOINC = "http://loinc.org"
SURNAME, NUMBER = "Featherstonehaugh", "943 476 5919"  # of every patient, and nowhere else
_ACTIVE = {"coding": [{"code": "active"}]}


def days_ago(days: int) -> str:
    return (timezone.localdate() - timedelta(days)).isoformat()


def observation(patient: str, code: str, value: float, unit: str, days: int = 3) -> dict[str, Any]:
    return {
        "resourceType": "Observation",
        "status": "final",
        "code": {"coding": [{"system": LOINC, "code": code}]},
        "subject": {"reference": f"Patient/{patient}"},
        "effectiveDateTime": days_ago(days),
        "valueQuantity": {"value": value, "code": unit},
    }


def named(kind: str, patient: str, text: str, **more: Any) -> dict[str, Any]:
    of = "patient" if kind == "AllergyIntolerance" else "subject"
    return {
        "resourceType": kind,
        "clinicalStatus": _ACTIVE,
        of: {"reference": f"Patient/{patient}"},
        "code": {"text": text},
        "recordedDate": days_ago(400),
    } | more


def prescription(patient: str, text: str, days: int = 10) -> dict[str, Any]:
    return {
        "resourceType": "MedicationRequest",
        "status": "active",
        "subject": {"reference": f"Patient/{patient}"},
        "medicationCodeableConcept": {"text": text},
        "authoredOn": days_ago(days),
    }


def person(patient: str, gender: str, born: str) -> dict[str, Any]:
    return {
        "resourceType": "Patient",
        "id": patient,
        "gender": gender,
        "birthDate": born,
        "name": [{"family": SURNAME, "given": ["Wilhelmina"], "text": f"Ms {SURNAME}"}],
        "identifier": [{"system": "https://fhir.nhs.uk/Id/nhs-number", "value": NUMBER}],
    }


def patients() -> dict[str, list[dict[str, Any]]]:
    """Return the resources of each patient: poor kidneys, good kidneys, old facts, a child."""
    return {
        "p-kidneys": [
            person("p-kidneys", "female", "1948-01-01"),
            observation("p-kidneys", "33914-3", 24, "mL/min/{1.73_m2}"),
            observation("p-kidneys", "29463-7", 61.5, "kg", days=30),
            named("AllergyIntolerance", "p-kidneys", "penicillin"),
            named("Condition", "p-kidneys", "Atrial fibrillation"),
            named("Condition", "p-kidneys", f"Gout, says {SURNAME.upper()}"),
            prescription("p-kidneys", "Apixaban"),
        ],
        "p-well": [
            person("p-well", "male", "1980-05-05"),
            observation("p-well", "33914-3", 95, "mL/min"),
            named("AllergyIntolerance", "p-well", "No known allergies"),
        ],
        "p-old": [
            person("p-old", "male", "1950-05-05"),
            observation("p-old", "33914-3", 31, "mL/min", days=400),
            prescription("p-old", "Warfarin", days=500),
        ],
        "p-child": [
            person("p-child", "female", days_ago(400)),
            observation("p-child", "29463-7", 9, "kg"),
        ],
    }
