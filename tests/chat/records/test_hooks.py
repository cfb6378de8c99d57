"""CDS Hooks: the services, their cards by what guidelines say, and feedback."""

from __future__ import annotations

import json
import logging
import uuid
from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from django.test import Client
from pytest_django import Settings

from chat.models import AuditEvent, Turn
from chat.records.cards import SUMMARY_CHARS
from corpus.models import AnsweringStop, Document
from corpus.services.stops import stop_answering
from tests.chat.records.hook_calls import (
    AUDIENCE,
    NAME,
    bundle,
    call,
    cards,
    claims,
    observed,
    order,
    send,
    signed,
    stated,
)
from tests.corpora import publish, shelf

ENOXAPARIN = """# Enoxaparin

## Dose in adults

Give adults enoxaparin 40 mg once a day.

## Contraindications

Enoxaparin is contraindicated where the eGFR is below 15 mL/min.

Do not give enoxaparin in pregnancy without advice.
"""
PNEUMONIA = """# Community-acquired pneumonia

## Treatment

Give adults with community-acquired pneumonia amoxicillin 500 mg three times a day.

Do not give amoxicillin to patients who are allergic to penicillin.
"""
pytestmark = pytest.mark.django_db


def guideline(text: str = ENOXAPARIN, **fields: Any) -> Document:
    return publish(text, **({"review_by": "2099-03-01"} | fields))


def test_the_door_is_closed_by_default(client: Client) -> None:
    assert client.get("/cds-services").status_code == 404
    assert client.post("/cds-services/order-sign").status_code == 404


def test_discovery_has_three_services_with_what_they_need(record: Client) -> None:
    bearer = {"authorization": f"Bearer {signed(claims(''))}"}
    services = record.get("/cds-services", headers=bearer).json()["services"]
    assert {each["hook"] for each in services} == {"patient-view", "order-select", "order-sign"}
    for each in services:
        assert each["id"] and each["title"] and each["description"]
        assert each["prefetch"]["patient"] == "Patient/{{context.patientId}}"
        assert "29463-7" in each["prefetch"]["weight"]
        assert "33914-3" in each["prefetch"]["egfr"]


@pytest.mark.parametrize("hook", ["order-select", "order-sign"])
def test_a_medicine_has_one_card_with_the_guideline_and_its_owner(
    record: Client, client: Client, alice: User, hook: str
) -> None:
    guideline(title="Thromboprophylaxis")
    egfr = bundle(observed("33914-3", 72, "mL/min/{1.73_m2}"))
    [card] = cards(record, hook, call(hook, "Enoxaparin 40 mg injection", egfr=egfr))
    assert card["summary"] == "Local guideline: Thromboprophylaxis, in force until 2099-03-01"
    assert card["indicator"] == "info"
    assert card["source"] == {"label": "Dr general"}
    assert uuid.UUID(card["uuid"])
    assert "eGFR 72 mL/min" in card["detail"]
    assert "Not known: weight" in card["detail"]
    assert "40 mg once" not in str(card)  # no dose
    [link] = card["links"]
    assert link["type"] == "absolute"
    client.force_login(alice)
    page = client.get(link["url"].removeprefix("http://testserver")).content.decode()
    assert "years old, eGFR 72 mL/min</textarea>" in page
    assert not Turn.objects.exists()


def test_without_infobuttons_the_link_opens_the_guideline(
    record: Client, client: Client, alice: User, settings: Settings
) -> None:
    guideline()
    settings.RECORD = settings.RECORD.model_copy(update={"infobutton": False})
    [card] = cards(record, "order-sign", call("order-sign", "Enoxaparin"))
    client.force_login(alice)
    [link] = card["links"]
    assert "Enoxaparin" in client.get(link["url"]).content.decode()


def test_an_unrelated_medicine_has_no_card(record: Client) -> None:
    guideline()
    assert cards(record, "order-sign", call("order-sign", "Levothyroxine", "Xyzzymab")) == []
    assert cards(record, "order-sign", call("order-sign")) == []


def test_a_medicine_that_the_lexicon_lacks_is_found_by_its_whole_name(record: Client) -> None:
    guideline("# Sodium zyxolate\n\nGive adults sodium zyxolate slowly.")
    [card] = cards(record, "order-sign", call("order-sign", "Sodium zyxolate 8.4 %"))
    assert "Sodium zyxolate" in card["summary"]
    assert cards(record, "order-sign", call("order-sign", "Sodium wuvolate 8.4 %")) == []


@pytest.mark.parametrize(
    "said",
    [
        "Do not give enoxaparin to children under 12 years.",
        "Avoid enoxaparin in hepatic impairment.",
        "Stop enoxaparin if the platelets fall by half.",
        "Do not give enoxaparin where the eGFR is below 30 mL/min.",
        "Enoxaparin is contraindicated in pregnancy.",
        "Do not give enoxaparin to patients who are allergic to heparin.",
    ],
)
def test_what_is_forbidden_for_others_is_no_warning(record: Client, said: str) -> None:
    guideline(f"# Enoxaparin\n\n{said}")
    known = {
        "egfr": bundle(observed("33914-3", 72, "mL/min")),
        "conditions": bundle(stated("Condition", "Essential hypertension")),
        "allergies": bundle(stated("AllergyIntolerance", "Penicillin")),
    }
    [card] = cards(record, "order-sign", call("order-sign", "Enoxaparin", **known))
    assert card["indicator"] == "info"


def test_only_selected_orders_that_hold_count(record: Client) -> None:
    guideline()
    guideline(PNEUMONIA)
    both = call("order-select", "Enoxaparin", "Amoxicillin")
    both["context"]["selections"] = ["MedicationRequest/m1", "NutritionOrder/m0"]
    [card] = cards(record, "order-select", both)
    assert "pneumonia" in card["summary"]
    stopped = call("order-sign", "Enoxaparin")
    stopped["context"]["draftOrders"] = bundle(order("1", "Enoxaparin", doNotPerform=True))
    assert cards(record, "order-sign", stopped) == []


def test_what_is_forbidden_for_the_patient_is_a_warning_in_its_own_words(record: Client) -> None:
    document = guideline()
    egfr = bundle(observed("33914-3", 11, "mL/min/{1.73_m2}"))
    [card] = cards(record, "order-sign", call("order-sign", "Enoxaparin", egfr=egfr))
    assert card["indicator"] == "warning"
    assert card["summary"] == "Enoxaparin: a local guideline may forbid it for this patient"
    plain = card["detail"].replace("\\", "")
    assert plain.startswith("> ")
    assert "Enoxaparin is contraindicated where the eGFR is below 15 mL/min." in plain
    assert "Enoxaparin, page 1" in plain
    assert f"/{document.sha256}/1" in card["links"][0]["url"]
    assert {reason["code"] for reason in card["overrideReasons"]} >= {"benefit", "other"}
    better = bundle(observed("33914-3", 72, "mL/min/{1.73_m2}"))
    [card] = cards(record, "order-sign", call("order-sign", "Enoxaparin", egfr=better))
    assert card["indicator"] == "info"


def test_a_warning_that_stands_beside_a_dose_is_told_by_its_place(record: Client) -> None:
    guideline("# Enoxaparin\n\nEnoxaparin 40 mg is contraindicated if the eGFR is below 15 mL/min.")
    egfr = bundle(observed("33914-3", 11, "mL/min"))
    [card] = cards(record, "order-sign", call("order-sign", "Enoxaparin", egfr=egfr))
    assert card["indicator"] == "warning"
    assert "40 mg" not in str(card)
    assert "read it in its place" in card["detail"]


def test_another_state_counts_beside_a_known_kidney_function(record: Client) -> None:
    guideline()
    known = {
        "egfr": bundle(observed("33914-3", 90, "mL/min/{1.73_m2}")),
        "conditions": bundle(stated("Condition", "Pregnancy")),
    }
    [card] = cards(record, "order-sign", call("order-sign", "Enoxaparin", **known))
    assert "in pregnancy without advice" in card["detail"]


def test_a_warning_has_all_that_is_forbidden(record: Client) -> None:
    guideline(f"{ENOXAPARIN}\nDo not give enoxaparin to patients who are allergic to heparin.")
    known = {
        "egfr": bundle(observed("33914-3", 11, "mL/min")),
        "allergies": bundle(stated("AllergyIntolerance", "Heparin")),
    }
    [card] = cards(record, "order-sign", call("order-sign", "Enoxaparin", **known))
    assert "below 15" in card["detail"]
    assert "allergic to heparin" in card["detail"]


def test_an_allergy_is_a_warning(record: Client) -> None:
    guideline(PNEUMONIA)
    allergies = bundle(stated("AllergyIntolerance", "Penicillin"))
    [card] = cards(record, "order-sign", call("order-sign", "Amoxicillin", allergies=allergies))
    assert card["indicator"] == "warning"
    assert "allergic to penicillin" in card["detail"]


@pytest.mark.parametrize("to", ["Amoxicillin", "Heparin", "Latex"])
def test_an_allergy_to_a_member_of_a_class_or_to_no_medicine_counts(
    record: Client, to: str
) -> None:
    guideline(
        "# Enoxaparin\n\nDo not give enoxaparin to patients who are allergic to heparin or latex."
    )
    guideline("# Piperacillin\n\nAvoid piperacillin in penicillin allergy.")
    medicine = "Piperacillin" if to == "Amoxicillin" else "Enoxaparin"
    allergies = bundle(stated("AllergyIntolerance", to))
    [card] = cards(record, "order-sign", call("order-sign", medicine, allergies=allergies))
    assert card["indicator"] == "warning"


def test_a_condition_has_a_card_where_a_guideline_is_on_it(record: Client) -> None:
    guideline(PNEUMONIA)
    conditions = bundle(
        stated("Condition", "Community-acquired pneumonia"),
        stated("Condition", "Pneumonia"),  # the same guideline
        stated("Condition", "Osteoarthritis of the knee"),
        stated("Condition", "Pneumonia due to nothing", "resolved"),
    )
    [card] = cards(record, "patient-view", call("patient-view", conditions=conditions))
    assert "Community-acquired pneumonia" in card["summary"]
    assert cards(record, "patient-view", call("patient-view")) == []


def test_a_stop_hides_or_tells_as_in_searches(record: Client, alice: User) -> None:
    document = guideline()
    stop = AnsweringStop(document=document, reason="Two doses are wrong.", contact="Dr Blue, 4417")
    stop_answering(stop, by=alice)
    egfr = bundle(observed("33914-3", 11, "mL/min/{1.73_m2}"))
    [card] = cards(record, "order-sign", call("order-sign", "Enoxaparin", egfr=egfr))
    assert card["indicator"] == "info"  # nothing is quoted from it
    assert "stopped" in card["detail"].lower()
    AnsweringStop.objects.update(hides=True)
    assert cards(record, "order-sign", call("order-sign", "Enoxaparin")) == []


def test_rights_are_those_of_the_account(record: Client) -> None:
    guideline()
    shelf().searchers.add(Group.objects.create(name="Pharmacy"))
    assert cards(record, "order-sign", call("order-sign", "Enoxaparin")) == []


def test_nothing_that_names_the_patient_is_kept_or_told(
    record: Client, caplog: pytest.LogCaptureFixture
) -> None:
    guideline()
    sent = call("order-sign", "Enoxaparin", "Levothyroxine")
    with caplog.at_level(logging.DEBUG):
        answer = send(record, "order-sign", sent).content.decode()
    kept = str([(e.subject, e.payload) for e in AuditEvent.objects.all()]) + caplog.text + answer
    assert {e.action for e in AuditEvent.objects.all()} >= {"search", "cards"}
    for text in (NAME, "Aurelia", "MRN-90210", "p-4711", "1948-04-02", sent["hookInstance"]):
        assert text not in kept


def test_a_long_title_leaves_the_summary_short(record: Client) -> None:
    guideline(title="Enoxaparin " + "and more " * 20)
    [card] = cards(record, "order-sign", call("order-sign", "Enoxaparin"))
    assert len(card["summary"]) <= SUMMARY_CHARS
    assert card["summary"].endswith("…, in force until 2099-03-01")


def test_feedback_is_an_event_without_free_text(record: Client) -> None:
    card = str(uuid.uuid4())
    said = {"card": card, "outcome": "overridden", "outcomeTimestamp": "2026-11-29T09:00:00Z"}
    why = {"reason": {"code": "benefit", "system": AUDIENCE}, "userComment": f"{NAME} is well"}
    other = {"reason": {"code": f"{NAME}"}}
    accepted = said | {"outcome": "accepted", "acceptedSuggestions": [{"id": card}]}
    odd = {"reason": {"code": [NAME]}}
    reasons = [said | {"overrideReason": each} for each in (why, other, odd)]
    given = [*reasons, said, accepted]
    response = send(record, "order-sign", {"feedback": given}, end="/feedback")
    assert response.status_code == 200
    events = AuditEvent.objects.filter(subject=f"card:{card}").order_by("seq")
    kept = [(event.action, json.loads(event.payload).get("reason")) for event in events]
    assert kept == [
        ("card.overridden", "benefit"),
        ("card.overridden", "other"),
        ("card.overridden", None),
        ("card.overridden", None),
        ("card.accepted", None),
    ]
    assert NAME not in str([event.payload for event in events])


def test_a_page_of_an_allowed_origin_may_call(record: Client, settings: Settings) -> None:
    settings.CORS_ORIGINS = ["https://record.example.org"]
    asks = {"access-control-request-method": "POST"}
    allowed = record.options(
        "/cds-services/order-sign", headers={"origin": "https://record.example.org"} | asks
    )
    assert allowed["Access-Control-Allow-Origin"] == "https://record.example.org"
    assert "Authorization" in allowed["Access-Control-Allow-Headers"]
    other = record.options("/cds-services", headers={"origin": "https://example.org"} | asks)
    assert "Access-Control-Allow-Origin" not in other


def test_a_site_whose_account_is_gone_says_so(record: Client, alice: User) -> None:
    User.objects.filter(pk=alice.pk).update(is_active=False)
    response = send(record, "order-sign", call("order-sign"))
    assert response.status_code == 503
    assert "administrator" in response.json()["detail"]
