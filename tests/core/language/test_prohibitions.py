"""What a guideline forbids, compared with the patient that a question describes."""

import pytest

from core.language.en.statements.prohibitions import (
    Described,
    forbids_for,
    is_in_band,
    is_passed,
)

ABOUT = "Clots in adults > Prevention"
PLATELETS = "Do not give prophylaxis to a patient with a platelet count below 50 x 10⁹/L."
TRIMESTER = "Do not prescribe trimethoprim in the first trimester."
KIDNEY = "Nitrofurantoin is contraindicated when eGFR is below 30 mL/min."


@pytest.mark.parametrize(
    ("question", "text", "forbidden"),
    [
        ("can I give enoxaparin if platelets are 40?", PLATELETS, True),
        ("enoxaparin, platelets 40", PLATELETS, True),
        ("enoxaparin, platelets 140", PLATELETS, False),
        ("enoxaparin 40 mg, 80 kg", PLATELETS, False),
        ("trimethoprim at 10 weeks of pregnancy?", TRIMESTER, True),
        ("trimethoprim at 20 weeks of pregnancy?", TRIMESTER, False),
        ("nitrofurantoin, eGFR 25?", KIDNEY, True),
        ("nitrofurantoin, eGFR 38?", KIDNEY, False),
        ("ok to give codeine to a 5 year old?", "Never give codeine to children under 12 years.",
         True),
        ("codeine for a 15 year old?", "Never give codeine to children under 12 years.", False),
        ("can I give ibuprofen, she takes warfarin?", "Avoid ibuprofen with warfarin.", True),
        ("gentamicin in myasthenia gravis ok?",
         "Do not give gentamicin to a patient with myasthenia gravis.", True),
        # A state holds whatever else is measured, unless the text bounds it.
        ("ibuprofen at 20 weeks of pregnancy?", "Do not give ibuprofen in pregnancy.", True),
        ("ibuprofen, pregnant, eGFR 80?", "Do not give ibuprofen in pregnancy.", True),
        ("ibuprofen at 20 weeks of pregnancy?",
         "Do not give ibuprofen from 28 weeks of pregnancy.", False),
        ("metformin in CKD, eGFR 50?",
         "Do not give metformin in renal impairment with an eGFR below 30.", False),
        ("can I give cefalexin, latex hypersensitivity?",
         "Do not give cefalexin to people with penicillin hypersensitivity.", False),
        ("can I give cefalexin, allergic to latex?",
         "Do not give cefalexin to people with a latex allergy.", True),
        # What is stopped isn't begun.
        ("can I give metformin with an eGFR of 22?", "Stop metformin if eGFR is below 30.", True),
        ("can I give metformin with an eGFR of 42?", "Stop metformin if eGFR is below 30.", False),
        ("BP 190/100 alteplase?", "Do not give alteplase above 185/110 mmHg.", True),
        ("BP 150/80 alteplase?", "Do not give alteplase above 185/110 mmHg.", False),
        ("ramipril, BP 85/50", "Do not start ramipril if blood pressure is below 90/60.", True),
        ("thrombolysis if he takes apixaban?",
         "Do not thrombolyse a patient who takes a direct oral anticoagulant.", True),
        ("can I start him on apixaban?", "Stop apixaban if he takes rivaroxaban.", False),
        ("he is on warfarin, INR 6, what now?", "Avoid ibuprofen with warfarin.", False),
        ("trimethoprim with methotrexate", "Never give trimethoprim with methotrexate.", True),
        ("38 kg, can I give rivaroxaban?", "Do not give rivaroxaban below 40 kg.", True),
        ("55 kg, can I give rivaroxaban?", "Do not give rivaroxaban below 40 kg.", False),
        ("metoclopramide in Parkinson's?",
         "Do not give metoclopramide to people with Parkinson's disease.", True),
        ("metoclopramide dose in Parkinson's?",
         "Do not give metoclopramide to people with Parkinson's disease.", False),
        # Putting it off is forbidden, not giving it.
        ("noradrenaline, MAP 50, can I start?",
         "Do not wait for a central line if noradrenaline is needed and MAP is below 65.", False),
        ("enoxaparin, platelets 40", "Give enoxaparin where platelets are above 30.", False),
    ],
)  # fmt: skip
def test_it_forbids_where_the_patient_is_within_its_bounds(
    question: str, text: str, forbidden: bool
) -> None:
    found = forbids_for(Described.of(question), text, headed=False, about=ABOUT)
    assert found is forbidden


@pytest.mark.parametrize(
    ("question", "forbidden"),
    [
        ("thrombolysis ok if INR 1.9?", True),
        ("thrombolysis ok if INR 1.2?", False),
        ("brain bleed, can I give alteplase?", True),
        ("no bleed on CT, can I give alteplase?", False),
    ],
)
def test_what_stands_under_contraindications_needs_no_verb(question: str, forbidden: bool) -> None:
    items = "Platelets below 100, or INR above 1.7. Intracranial haemorrhage on imaging."
    patient = Described.of(question)
    assert forbids_for(patient, items, headed=True, about=ABOUT, by_name=False) is forbidden
    assert not forbids_for(patient, items, headed=False, about=ABOUT)


@pytest.mark.parametrize(
    ("question", "forbidden"),
    [
        ("stroke on apixaban, can I give alteplase?", True),
        ("last apixaban 20 hours ago, can I give alteplase?", True),
        ("last apixaban 60 hours ago, can I give alteplase?", False),
        ("stroke on ramipril, can I give alteplase?", False),
    ],
)
def test_a_class_forbids_its_members_within_its_time(question: str, forbidden: bool) -> None:
    text = "A treatment dose of a direct oral anticoagulant within the previous 48 hours."
    assert forbids_for(Described.of(question), text, headed=True, about=ABOUT) is forbidden


def test_instructions_under_cautions_forbid_nothing() -> None:
    text = "Repeat the INR after 6 hours. Call the haematologist if the INR is still above 1.5."
    patient = Described.of("concentrate, INR 4.8, big bleed, ok to give?")
    assert not forbids_for(patient, text, headed=True, about=ABOUT)


def test_people_count_only_where_what_is_asked_about_is_named() -> None:
    text = "Avoid anti-inflammatory drugs in renal impairment."
    patient = Described.of("nitrofurantoin in renal impairment?")
    assert forbids_for(patient, text, headed=False, about=ABOUT)
    assert not forbids_for(patient, text, headed=False, about=ABOUT, by_name=False)


def test_a_bound_that_is_passed_permits_nothing() -> None:
    assert is_passed(Described.of("nitrofurantoin, eGFR 38 ok?"), KIDNEY)
    assert not is_passed(Described.of("nitrofurantoin, eGFR 25 ok?"), KIDNEY)
    assert not is_passed(Described.of("nitrofurantoin ok?"), KIDNEY)
    assert not is_passed(Described.of("eGFR 38"), "Give 100 mg when eGFR is below 30.")
    assert is_in_band(Described.of("eGFR 38"), "eGFR 30 to 44")
    assert not is_in_band(Described.of("eGFR 50"), "eGFR 30 to 44")
