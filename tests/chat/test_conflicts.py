"""Guidelines that disagree are shown as that; those that only look so are not."""

from __future__ import annotations

import datetime
from typing import Any

import pytest

from chat import statements
from chat.cautions import conflict_caution
from chat.conflicts import Conflict, conflicts
from chat.models import ClaimKind
from chat.passages import quotable_units
from chat.types import DraftClaim
from chat.verification.verify import verify
from corpus.models import Document
from retrieval.types import Hit
from tests.chat.hits import hits_for
from tests.corpora import publish

pytestmark = pytest.mark.django_db

Guideline = tuple[str, str]  # title, and the text below it


def told(hits: tuple[Hit, ...], document: Document) -> tuple[DraftClaim, ...]:
    """All that a document says, as claims."""
    own = [hit for hit in hits if hit.document_id == document.pk]
    return tuple(DraftClaim(unit.text, unit.quotes) for unit in quotable_units(own, ""))


def found(question: str, ours: Guideline, theirs: Guideline, **fields: Any) -> tuple[Conflict, ...]:
    """Conflicts of an answer from the first guideline, both being retrieved.

    `fields` of the second are `theirs_` and their name, of the first their name.
    """
    of_theirs = {k.removeprefix("theirs_"): v for k, v in fields.items() if k.startswith("theirs_")}
    of_ours = {k: v for k, v in fields.items() if not k.startswith("theirs_")}
    first = publish(f"# {ours[0]}\n{ours[1]}", title=ours[0], **of_ours)
    second = publish(f"# {theirs[0]}\n{theirs[1]}", title=theirs[0], **of_theirs)
    hits = hits_for(question)
    assert {hit.document_id for hit in hits} >= {first.pk, second.pk}
    return conflicts(told(hits, first), hits, question)


HYPO = "Hypoglycaemia in adults"
HYPO_EAST = "Hypoglycaemia in Eastvale"
CAP, CAP_EAST = "Pneumonia in adults", "Pneumonia: Eastvale guide"
SEPSIS, SEPSIS_EAST = "Sepsis in adults", "Sepsis pathway"

CONFLICTING = [
    (
        "When is glucose rechecked after hypoglycaemia?",
        (HYPO, "Recheck the capillary glucose 15 minutes after treating hypoglycaemia."),
        (HYPO_EAST, "Recheck the capillary glucose 10 minutes after treating hypoglycaemia."),
        statements.DELAY,
    ),
    (
        "amoxicillin dose in pneumonia",
        (CAP, "Give amoxicillin 500 mg three times daily by mouth for pneumonia."),
        (CAP_EAST, "Give amoxicillin 1 g three times daily by mouth for pneumonia."),
        statements.AMOUNT,
    ),
    (
        "How long is amoxicillin given in pneumonia?",
        (CAP, "Give amoxicillin 500 mg three times daily for 5 days."),
        (CAP_EAST, "Give amoxicillin 500 mg three times daily for 7 days."),
        statements.DURATION,
    ),
    (
        "How often is amoxicillin given in pneumonia?",
        (CAP, "Give amoxicillin 500 mg every 8 hours by mouth."),
        (CAP_EAST, "Give amoxicillin 500 mg every 12 hours by mouth."),
        statements.FREQUENCY,
    ),
    (
        "piperacillin with tazobactam in sepsis",
        (SEPSIS, "Give piperacillin with tazobactam 4.5 g every 6 hours in sepsis."),
        (SEPSIS_EAST, "Give piperacillin with tazobactam 4.5 g three times a day in sepsis."),
        statements.FREQUENCY,
    ),
    (
        "Can nitrofurantoin be given in the third trimester?",
        ("Urine infection in pregnancy", "Nitrofurantoin may be given in the third trimester."),
        ("Nitrofurantoin in pregnancy", "Do not give nitrofurantoin in the third trimester."),
        statements.POLARITY,
    ),
    (
        "metformin in a patient who vomits",
        ("Metformin on the ward", "Stop metformin while the patient is vomiting."),
        ("Metformin in hospital", "Continue metformin while the patient is vomiting."),
        statements.POLARITY,
    ),
    (
        "vitamin K phytomenadione for bleeding on warfarin",
        ("Bleeding on warfarin", "Give phytomenadione 5 mg intravenously for major bleeding."),
        ("Warfarin: bleeding", "Give phytomenadione 5 mg by mouth for major bleeding."),
        statements.ROUTE,
    ),
    (
        "When are red cells transfused?",
        ("Red cell transfusion", "Transfuse red cells when the haemoglobin is below 70 g/L."),
        ("Transfusion of red cells", "Transfuse red cells when the haemoglobin is below 80 g/L."),
        statements.THRESHOLD,
    ),
    (
        "maximum of paracetamol in 24 hours",
        ("Paracetamol", "The maximum dose of paracetamol is 4 g in 24 hours."),
        ("Paracetamol in Eastvale", "The maximum dose of paracetamol is 3 g in 24 hours."),
        statements.MAXIMUM,
    ),
    (
        "mean arterial pressure in septic shock",
        (SEPSIS, "Keep the mean arterial pressure at 65 mmHg or above in septic shock."),
        (SEPSIS_EAST, "Keep the mean arterial pressure at 75 mmHg or above in septic shock."),
        statements.TARGET,
    ),
    (
        "How soon is the first antibiotic given in sepsis?",
        (SEPSIS, "Give the first antibiotic within 1 hour of recognition of sepsis."),
        (SEPSIS_EAST, "Give the first antibiotic within 3 hours of recognition of sepsis."),
        statements.LIMIT_OF_TIME,
    ),
    (
        "gentamicin infusion time",
        ("Gentamicin", "Dilute gentamicin in 100 mL and infuse it over 60 minutes."),
        ("Gentamicin in Eastvale", "Dilute gentamicin in 100 mL and infuse it over 30 minutes."),
        statements.RUNNING_TIME,
    ),
    (
        "adrenaline dose in anaphylaxis",
        ("Anaphylaxis", "Inject adrenaline 500 micrograms into the thigh in anaphylaxis."),
        ("Anaphylaxis kit", "Inject adrenaline 5 mg into the thigh in anaphylaxis."),
        statements.AMOUNT,
    ),
    (
        "gentamicin dose per kg",
        ("Gentamicin", "Give gentamicin 5 mg/kg once daily by infusion."),
        ("Gentamicin in Eastvale", "Give gentamicin 7 mg/kg once daily by infusion."),
        statements.AMOUNT,
    ),
    (
        "How often is creatinine measured on gentamicin?",
        ("Gentamicin", "Measure creatinine every 24 hours during gentamicin."),
        ("Gentamicin in Eastvale", "Measure creatinine every 72 hours during gentamicin."),
        statements.FREQUENCY,
    ),
    (
        "cefuroxime dose in sepsis",
        (SEPSIS, "| Infection | Antibiotic |\n| Abdominal | Cefuroxime 1.5 g every 8 hours |"),
        (SEPSIS_EAST, "| Source | Antibiotic |\n| Abdominal | Cefuroxime 750 mg every 8 hours |"),
        statements.AMOUNT,
    ),
]  # fmt: skip


@pytest.mark.parametrize(
    ("question", "ours", "theirs", "kind"), CONFLICTING, ids=[c[0] for c in CONFLICTING]
)
def test_disagreement_is_found(
    question: str, ours: Guideline, theirs: Guideline, kind: str
) -> None:
    (conflict,) = found(question, ours, theirs)
    assert conflict.kind == kind
    assert conflict.theirs.kind is ClaimKind.CAUTION
    assert all(verdict.supported for verdict in verify([conflict.ours, conflict.theirs]))


NO_CONFLICT = [
    (
        "another population of the documents",
        "amoxicillin dose in pneumonia",
        (CAP, "Give amoxicillin 500 mg three times daily for pneumonia."),
        ("Pneumonia in children", "Give amoxicillin 250 mg three times daily for pneumonia."),
        {"population": "adult", "theirs_population": "paediatric"},
    ),
    (
        "another population of the rows",
        "amoxicillin dose in pneumonia",
        (CAP, "| Who | Dose |\n| Adults | Amoxicillin 500 mg three times daily |"),
        (CAP_EAST, "| Who | Dose |\n| Children | Amoxicillin 250 mg three times daily |"),
        {},
    ),
    (
        "older people",
        "digoxin dose in atrial fibrillation",
        ("Atrial fibrillation", "Give digoxin 250 micrograms once daily."),
        ("Fibrillation", "Older people: in atrial fibrillation give digoxin 125 micrograms daily."),
        {},
    ),
    (
        "pregnancy",
        "nitrofurantoin in urine infection",
        ("Urine infection", "Give nitrofurantoin 100 mg twice daily for 3 days."),
        ("Urine infection in pregnancy", "Give nitrofurantoin 100 mg twice daily for 7 days."),
        {"theirs_population": "pregnancy"},
    ),
    (
        "kidney function",
        "trimethoprim in urine infection",
        ("Urine infection", "Give trimethoprim 200 mg twice daily."),
        ("Urine and kidneys", "With an eGFR below 15 mL/min give trimethoprim 100 mg once daily."),
        {},
    ),
    (
        "another indication",
        "dose of flucloxacillin",
        ("Cellulitis", "Give flucloxacillin 500 mg every 6 hours."),
        ("Endocarditis", "Give flucloxacillin 2 g every 6 hours."),
        {},
    ),
    (
        "another indication in the sentence",
        "dose of prednisolone",
        ("Prednisolone", "Give prednisolone 40 mg once daily in acute asthma."),
        ("Prednisolone courses", "Give prednisolone 15 mg once daily in polymyalgia."),
        {},
    ),
    (
        "a range that holds the other value",
        "How long is amoxicillin given in pneumonia?",
        (CAP, "Give amoxicillin 500 mg three times daily for 5 days."),
        (CAP_EAST, "Give amoxicillin 500 mg three times daily for 5 to 7 days."),
        {},
    ),
    (
        "at least",
        "How long is a patient observed after anaphylaxis?",
        ("Anaphylaxis", "Observe the patient for at least 12 hours after anaphylaxis."),
        ("Anaphylaxis ward", "Observe the patient for 24 hours after anaphylaxis."),
        {},
    ),
    (
        "loading and maintenance",
        "dose of phenytoin in seizures",
        ("Seizures", "Give a loading dose of phenytoin 20 mg/kg for seizures."),
        ("Seizure control", "Give a maintenance dose of phenytoin 5 mg/kg for seizures."),
        {},
    ),
    (
        "first dose and those that follow",
        "pivmecillinam in urine infection",
        ("Urine infection", "Give pivmecillinam 400 mg as a first dose."),
        ("Urine infection ward", "Then give pivmecillinam 200 mg three times daily."),
        {},
    ),
    (
        "twins",
        "When is glucose rechecked after hypoglycaemia?",
        (HYPO, "Recheck the glucose 15 minutes after treating hypoglycaemia."),
        (HYPO_EAST, "Recheck the glucose 15 minutes after treating hypoglycaemia."),
        {},
    ),
    (
        "grams and milligrams",
        "amoxicillin dose in pneumonia",
        (CAP, "Give amoxicillin 500 mg three times daily for pneumonia."),
        (CAP_EAST, "Give amoxicillin 0.5 g three times daily for pneumonia."),
        {},
    ),
    (
        "every 8 hours and three times a day",
        "How often is amoxicillin given in pneumonia?",
        (CAP, "Give amoxicillin 500 mg every 8 hours for pneumonia."),
        (CAP_EAST, "Give amoxicillin 500 mg tds for pneumonia."),
        {},
    ),
    (
        "hours and days",
        "How long is oxygen given in pneumonia?",
        (CAP, "Continue oxygen for 48 hours in pneumonia."),
        (CAP_EAST, "Continue oxygen for 2 days in pneumonia."),
        {},
    ),
    (
        "as much a day",
        "amoxicillin dose in pneumonia",
        (CAP, "Give amoxicillin 500 mg twice daily for pneumonia."),
        (CAP_EAST, "Give amoxicillin 1 g once daily for pneumonia."),
        {},
    ),
    (
        "another route has another dose",
        "clarithromycin in pneumonia",
        (CAP, "Give clarithromycin 250 mg by mouth for pneumonia."),
        (CAP_EAST, "Give clarithromycin 500 mg intravenously for pneumonia."),
        {},
    ),
    (
        "severity",
        "magnesium in low magnesium",
        ("Low magnesium", "In mild deficiency give magnesium sulfate 2 g."),
        ("Magnesium that is low", "In severe deficiency give magnesium sulfate 5 g."),
        {},
    ),
    (
        "prevention and treatment",
        "enoxaparin for thrombosis",
        ("Thrombosis prophylaxis", "Give enoxaparin 40 mg once daily to prevent thrombosis."),
        ("Thrombosis", "Give enoxaparin 120 mg once daily for thrombosis."),
        {},
    ),
    (
        "another medicine",
        "antibiotic in pneumonia",
        (CAP, "Give amoxicillin 500 mg three times daily for pneumonia."),
        (CAP_EAST, "Give doxycycline 100 mg once daily for pneumonia."),
        {},
    ),
    (
        "another strength",
        "intravenous glucose in hypoglycaemia",
        (HYPO, "Give glucose 10% 200 mL for severe hypoglycaemia."),
        (HYPO_EAST, "Give glucose 20% 100 mL for severe hypoglycaemia."),
        {},
    ),
    (
        "bounds from opposite sides",
        "digoxin and potassium",
        ("Digoxin", "Give potassium when the potassium is below 4.0 mmol/L on digoxin."),
        ("Digoxin safety", "Call the doctor when the potassium is above 5.5 mmol/L on digoxin."),
        {},
    ),
    (
        "other rows of one scale",
        "effervescent potassium in hypokalaemia",
        ("Hypokalaemia", "If the potassium is 3.0 to 3.4 mmol/L give potassium 48 mmol a day."),
        ("Low potassium", "If the potassium is 2.5 to 2.9 mmol/L give potassium 96 mmol a day."),
        {},
    ),
    (
        "an exception beside the rule",
        "Is gentamicin given in sepsis?",
        (SEPSIS, "Give gentamicin 5 mg/kg in sepsis."),
        (SEPSIS_EAST, "Do not give gentamicin in sepsis with myasthenia gravis."),
        {},
    ),
    (
        "forbidden at another time",
        "nitrofurantoin in pregnancy",
        ("Urine infection in pregnancy", "Offer nitrofurantoin in the second trimester."),
        ("Nitrofurantoin in pregnancy", "Avoid nitrofurantoin at term."),
        {},
    ),
    (
        "forbidden below a bound",
        "nitrofurantoin in urine infection",
        ("Urine infection", "Give nitrofurantoin 100 mg twice daily."),
        ("Urine and kidneys", "Do not give nitrofurantoin when the eGFR is below 30 mL/min."),
        {},
    ),
    (
        "trough and peak",
        "gentamicin level",
        ("Gentamicin", "Keep the trough level of gentamicin below 1 mg/L."),
        ("Gentamicin in Eastvale", "Keep the peak level of gentamicin below 10 mg/L."),
        {},
    ),
    (
        "before and after",
        "enoxaparin and spinal needle",
        ("Enoxaparin", "Wait 12 hours before the spinal needle after enoxaparin."),
        ("Enoxaparin in theatre", "Wait 4 hours after the spinal needle to give enoxaparin."),
        {},
    ),
    (
        "women and men",
        "trimethoprim in urine infection",
        ("Urine at home", "| Who | Dose |\n| Women | Trimethoprim 200 mg twice daily for 3 days |"),
        ("Urine at night", "| Who | Dose |\n| Men | Trimethoprim 200 mg twice daily for 7 days |"),
        {},
    ),
    (
        "one dose and the most of a day",
        "paracetamol dose",
        ("Paracetamol", "Give paracetamol 1 g every 6 hours for pain."),
        ("Paracetamol for pain", "The maximum of paracetamol for pain is 4 g in 24 hours."),
        {},
    ),
    (
        "another analyte",
        "When is the registrar called in kidney injury?",
        ("Kidney injury", "Call the registrar when the potassium is above 6.0 mmol/L."),
        ("Kidney injury ward", "Call the registrar when the sodium is above 155 mmol/L."),
        {},
    ),
    (
        "weights",
        "intravenous paracetamol dose",
        ("Paracetamol", "Patients who weigh under 50 kg receive paracetamol 15 mg/kg."),
        ("Paracetamol infusion", "Patients who weigh 50 kg or more receive paracetamol 20 mg/kg."),
        {},
    ),
]  # fmt: skip


@pytest.mark.parametrize(
    ("question", "ours", "theirs", "fields"),
    [case[1:] for case in NO_CONFLICT],
    ids=[case[0] for case in NO_CONFLICT],
)
def test_what_is_no_disagreement_is_not_told(
    question: str, ours: Guideline, theirs: Guideline, fields: dict[str, Any]
) -> None:
    assert found(question, ours, theirs, **fields) == ()


MORE = [
    ("Give tranexamic acid 1 g at the start of surgery.",
     "Tranexamic acid is not recommended at the start of surgery.", statements.POLARITY),
    ("Start bisoprolol 1.25 mg once daily.", "Start bisoprolol 2.5 mg once daily.",
     statements.AMOUNT),
    ("Give oxygen if the saturation is persistently below 92%.",
     "Give oxygen if the saturation is persistently below 90%.", statements.THRESHOLD),
    ("Give a booster of tetanus vaccine if more than 10 years have passed.",
     "Give a booster of tetanus vaccine if more than 5 years have passed.", statements.THRESHOLD),
    ("Give 10 units of soluble insulin in 25 g of glucose.",
     "Give 5 units of soluble insulin in 25 g of glucose.", statements.AMOUNT),
    ("Doxycycline is first choice in a chest infection.",
     "Avoid doxycycline in a chest infection.", statements.POLARITY),
    ("Start amlodipine 5 mg once daily.",
     "Increase amlodipine to 10 mg once daily after 4 weeks.", ""),
    ("Aim for an oxygen saturation of 94 to 98%.",
     "Aim for an oxygen saturation of 88 to 92% in COPD.", ""),
    ("Check sodium every 2 hours during hypertonic saline.",
     "Check sodium every 24 hours during fluid restriction.", ""),
    ("Repeat the blood gas 30 minutes after a change of oxygen.",
     "Repeat the blood gas 60 minutes after starting ventilation.", ""),
    ("Remove sutures of the face after 5 days.", "Remove sutures of the leg after 14 days.", ""),
    ("Give digoxin 500 micrograms, then 250 micrograms after 6 hours.",
     "Give digoxin 125 micrograms once daily as maintenance.", ""),
]  # fmt: skip


@pytest.mark.parametrize(("ours", "theirs", "kind"), MORE)
def test_sentences_of_two_guides_to_one_ward(ours: str, theirs: str, kind: str) -> None:
    seen = found(ours, ("Ward handbook", ours), ("Ward handbook of Eastvale", theirs))
    assert [conflict.kind for conflict in seen] == ([kind] if kind else [])


ASKED = "When is glucose rechecked after hypoglycaemia?"
TEN = (HYPO_EAST, "Recheck the capillary glucose 10 minutes after treating hypoglycaemia.")
FIFTEEN = (HYPO, "Recheck the capillary glucose 15 minutes after treating hypoglycaemia.")


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        (
            {"authority": "trust", "theirs_authority": "national"},
            "“Hypoglycaemia in Eastvale” (issu",
        ),
        (
            {"authority": "national", "theirs_authority": "local"},
            "“Hypoglycaemia in adults” (issuer",
        ),
        (
            {
                "effective_from": datetime.date(2024, 1, 1),
                "theirs_effective_from": datetime.date(2025, 2, 1),
            },
            "in force since 1 February 2025) is the later one",
        ),
        (
            {"year": 2019, "theirs_year": 2012},
            "“Hypoglycaemia in adults” (issuer not recorded, local,",
        ),
        ({"issuer": "North", "theirs_issuer": "East"}, "Nothing recorded speaks for one of them"),
    ],
)
def test_precedence_is_told_and_decides_nothing(fields: dict[str, Any], words: str) -> None:
    (conflict,) = found(ASKED, FIFTEEN, TEN, **fields)
    assert conflict.precedence.startswith(words) or words in conflict.precedence
    assert conflict.precedence.count("“") == 2
    assert conflict.precedence.endswith("Ask their issuers before acting.")


def test_statements_of_one_answer_that_disagree_are_told_once() -> None:
    first, second = publish(f"# {FIFTEEN[0]}\n{FIFTEEN[1]}"), publish(f"# {TEN[0]}\n{TEN[1]}")
    hits = hits_for(ASKED)
    claims = told(hits, first) + told(hits, second)
    (conflict,) = conflicts(claims, hits, ASKED)
    stored = conflict_caution(conflict, claims).as_dict()
    assert stored["claims"] == [1, 2]
    assert stored["code"] == "conflict"
    assert FIFTEEN[1] not in stored["text"] and TEN[1] not in stored["text"]
    assert set(stored["documents"]) == {first.sha256, second.sha256}


def test_one_document_and_no_claims_have_none() -> None:
    publish("# Hypoglycaemia\n" + FIFTEEN[1] + "\n" + TEN[1])
    hits = hits_for(ASKED)
    claims = told(hits, Document.objects.get())
    assert claims
    assert conflicts(claims, hits, ASKED) == ()
    assert conflicts((), hits, ASKED) == ()


def test_guidance_for_other_people_than_asked_is_not_compared() -> None:
    children = ("Hypoglycaemia: all", TEN[1].replace("hypoglycaemia", "hypoglycaemia in children"))
    adults = (FIFTEEN[0], FIFTEEN[1].replace("hypoglycaemia", "hypoglycaemia in adults"))
    assert found("When is glucose rechecked in adults?", adults, children) == ()
