"""FHIR resources of synthetic patients, and the three whom the demonstration's record holds."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

Resource = dict[str, Any]
LOINC = "http://loinc.org"
EGFR, WEIGHT = "33914-3", "29463-7"


def days_ago(days: int) -> str:
    return (date.today() - timedelta(days)).isoformat()


def observation(patient: str, code: str, value: float, unit: str, days: int = 3) -> Resource:
    return {
        "resourceType": "Observation",
        "status": "final",
        "code": {"coding": [{"system": LOINC, "code": code}]},
        "subject": {"reference": f"Patient/{patient}"},
        "effectiveDateTime": days_ago(days),
        "valueQuantity": {"value": value, "code": unit},
    }


def named(kind: str, patient: str, text: str, **more: Any) -> Resource:
    """Return a condition or an allergy that is active."""
    of = "patient" if kind == "AllergyIntolerance" else "subject"
    return {
        "resourceType": kind,
        "clinicalStatus": {"coding": [{"code": "active"}]},
        of: {"reference": f"Patient/{patient}"},
        "code": {"text": text},
        "recordedDate": days_ago(400),
    } | more


def prescription(patient: str, text: str, days: int = 10) -> Resource:
    return {
        "resourceType": "MedicationRequest",
        "status": "active",
        "subject": {"reference": f"Patient/{patient}"},
        "medicationCodeableConcept": {"text": text},
        "authoredOn": days_ago(days),
    }


def person(patient: str, gender: str, born: str, *, given: str, family: str) -> Resource:
    return {
        "resourceType": "Patient",
        "id": patient,
        "gender": gender,
        "birthDate": born,
        "name": [{"family": family, "given": [given], "text": f"{given} {family}"}],
    }


def demonstration() -> dict[str, list[Resource]]:
    """Return the resources of three patients who never lived, by the patient's id."""
    return {
        "p-1": [
            person("p-1", "female", days_ago(28_600), given="Orla", family="Sample"),
            observation("p-1", EGFR, 24, "mL/min"),
            observation("p-1", WEIGHT, 61.5, "kg", days=30),
            named("AllergyIntolerance", "p-1", "penicillin"),
            named("Condition", "p-1", "Hip fracture"),
            prescription("p-1", "Enoxaparin"),
            prescription("p-1", "Paracetamol"),
        ],
        "p-2": [
            person("p-2", "male", days_ago(19_100), given="Bram", family="Specimen"),
            observation("p-2", EGFR, 52, "mL/min"),
            observation("p-2", WEIGHT, 84, "kg"),
            named("Condition", "p-2", "Pyelonephritis"),
            prescription("p-2", "Gentamicin"),
        ],
        "p-3": [
            person("p-3", "female", days_ago(2_300), given="Tilda", family="Example"),
            observation("p-3", WEIGHT, 20, "kg"),
            prescription("p-3", "Trimethoprim"),
        ],
    }
