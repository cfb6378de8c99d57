"""Synthetic patients of the tests' own record, as FHIR resources."""

from __future__ import annotations

from typing import Any

from samples.record.resources import Resource, days_ago, named, observation, person, prescription

SURNAME, NUMBER = "Featherstonehaugh", "943 476 5919"  # of every patient, and nowhere else
_NUMBERED = {"identifier": [{"system": "https://fhir.nhs.uk/Id/nhs-number", "value": NUMBER}]}


def _person(patient: str, gender: str, born: str) -> dict[str, Any]:
    return person(patient, gender, born, given="Wilhelmina", family=SURNAME) | _NUMBERED


def patients() -> dict[str, list[Resource]]:
    """Return the resources of each patient: poor kidneys, good kidneys, old facts, a child."""
    return {
        "p-kidneys": [
            _person("p-kidneys", "female", "1948-01-01"),
            observation("p-kidneys", "33914-3", 24, "mL/min/{1.73_m2}"),
            observation("p-kidneys", "29463-7", 61.5, "kg", days=30),
            named("AllergyIntolerance", "p-kidneys", "penicillin"),
            named("Condition", "p-kidneys", "Atrial fibrillation"),
            named("Condition", "p-kidneys", f"Gout, says {SURNAME.upper()}"),
            prescription("p-kidneys", "Apixaban"),
        ],
        "p-well": [
            _person("p-well", "male", "1980-05-05"),
            observation("p-well", "33914-3", 95, "mL/min"),
            named("AllergyIntolerance", "p-well", "No known allergies"),
        ],
        "p-old": [
            _person("p-old", "male", "1950-05-05"),
            observation("p-old", "33914-3", 31, "mL/min", days=400),
            prescription("p-old", "Warfarin", days=500),
        ],
        "p-child": [
            _person("p-child", "female", days_ago(400)),
            observation("p-child", "29463-7", 9, "kg"),
        ],
    }
