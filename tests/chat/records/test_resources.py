"""What is read of FHIR resources, and what is passed over."""

from __future__ import annotations

import datetime
from typing import Any

import pytest

from chat.records.infobutton import infobutton_of
from chat.records.resources import ordered_medicines, subject_of
from tests.chat.records.hook_calls import bundle, concept, observed, order, patient, stated
from tests.tables import rows

TODAY = datetime.date(2026, 11, 29)


def unknown(system: str, code: str) -> str:
    return ""


def facts(**prefetch: Any) -> list[str]:
    subject = subject_of(prefetch, unknown, TODAY)
    asked = infobutton_of({"mainSearchCriteria.v.dn": "x"} | dict(subject.parameters), unknown)
    return [fact.text for fact in asked.facts]


def egfr(value: Any = 40, **other: Any) -> dict[str, Any]:
    return observed("33914-3", value, "mL/min", effectiveDateTime="2026-11-20") | other


@pytest.mark.parametrize(("born", "age"), rows(__file__, "ages.jsonl"))
def test_the_age_of_a_day(born: Any, age: list[str]) -> None:
    assert facts(patient=patient(birthDate=born, gender="unknown")) == age


def test_facts_of_all_kinds() -> None:
    known = facts(
        patient=patient(),
        egfr=bundle(egfr(38.25)),
        weight=bundle(observed("29463-7", 61, "kg", effectiveDateTime="2026-09-01")),
        pregnancy=bundle(
            observed("82810-3", 0, "")
            | {
                "effectiveDateTime": "2026-09-01",
                "valueCodeableConcept": concept("Pregnant", "http://snomed.info/sct", "77386006"),
            }
        ),
        allergies=bundle(
            stated("AllergyIntolerance", "Penicillin"),
            stated("AllergyIntolerance", "Latex", "resolved"),
            stated("AllergyIntolerance", "No known drug allergy"),
            stated("AllergyIntolerance", "Iodine", verificationStatus=concept("", "", "refuted")),
        ),
    )
    assert known == [
        "female",
        "78 years old",
        "eGFR 38.25 mL/min",
        "weight 61 kg",
        "pregnant",
        "allergic to Penicillin",
    ]


@pytest.mark.parametrize(
    "observation",
    [
        egfr(effectiveDateTime="2026-08-01"),  # old
        egfr(effectiveDateTime="2027-01-01"),
        egfr(effectiveDateTime=None),
        egfr(status="preliminary"),
        egfr("40"),
        egfr(True),
        egfr(-40),
        egfr(float("inf")),
        egfr(valueQuantity={"value": 40, "unit": "mL/s"}),
        egfr(valueQuantity=[40]),
        egfr(code=concept("eGFR", "http://example.org", "33914-3")),
        egfr(code="33914-3"),
        egfr(resourceType="DiagnosticReport"),
        None,
        "Observation",
    ],
)
def test_an_observation_that_is_not_certain_is_not_known(observation: Any) -> None:
    subject = subject_of({"egfr": bundle(observation)}, unknown, TODAY)
    assert subject.parameters == {}
    assert "kidney function" in subject.unknown


def test_the_newest_observation_counts() -> None:
    older, newer = egfr(80, effectiveDateTime="2026-10-01"), egfr(20)
    assert facts(egfr=bundle(older, newer)) == facts(egfr=bundle(newer, older))
    assert facts(egfr=bundle(older, newer)) == ["eGFR 20 mL/min"]


def test_medicines_of_every_form() -> None:
    inside = {"resourceType": "Medication", "id": "in", "code": concept("Warfarin")}
    orders = bundle(
        order("1", "Enoxaparin"),
        order("2", "Enoxaparin"),
        order("3", "", medicationCodeableConcept={"text": "Apixaban"}),
        order("4", "", medicationCodeableConcept=None, medication={"concept": concept("Digoxin")}),
        order("5", "")
        | {
            "medicationCodeableConcept": None,
            "medicationReference": {"reference": "#in"},
            "contained": [inside],
        },
        order("6", "Aspirin", status="cancelled"),
        order("7", "Naproxen", doNotPerform=True),
        {"resourceType": "NutritionOrder", "id": "8"},
        {"resourceType": "MedicationRequest", "medicationCodeableConcept": ["Ibuprofen"]},
    )
    names = ordered_medicines(orders, unknown)
    assert names == ("Enoxaparin", "Apixaban", "Digoxin", "Warfarin")


def test_a_tag_of_snomed_is_no_part_of_a_name() -> None:
    conditions = bundle(stated("Condition", "Pneumonia (disorder)"))
    assert subject_of({"conditions": conditions}, unknown, TODAY).conditions == ("Pneumonia",)


def test_creatinine_alone_is_no_kidney_function() -> None:
    creatinine = observed("14682-9", 212, "umol/L", effectiveDateTime="2026-11-20")
    subject = subject_of({"creatinine": bundle(creatinine)}, unknown, TODAY)
    assert "kidney function" in subject.unknown


def test_a_code_is_named_by_the_sites_list() -> None:
    def listed(system: str, code: str) -> str:
        return "Enoxaparin" if (system, code) == ("urn:own", "7") else ""

    coded = order("1", "", medicationCodeableConcept=concept("ENOX SYR", "urn:own", "7"))
    names = ordered_medicines(bundle(coded), listed)
    assert names == ("Enoxaparin",)


@pytest.mark.parametrize(
    "broken", [None, [], "x", {"entry": {}}, {"entry": [None, {"resource": 1}]}]
)
def test_what_is_no_bundle_has_nothing(broken: Any) -> None:
    assert ordered_medicines(broken, unknown) == ()
    subject = subject_of(dict.fromkeys(("patient", "egfr", "weight"), broken), unknown, TODAY)
    assert subject.parameters == {}
