"""What a guideline forbids, compared with the patient that a question describes."""

import pytest

from core.language.en.statements.prohibitions import Described, forbids_for, is_in_band, is_passed
from tests.tables import cases, yes

ABOUT = "Clots in adults > Prevention"
KIDNEY = "Nitrofurantoin is contraindicated when eGFR is below 30 mL/min."


@pytest.mark.parametrize(
    ("question", "text", "forbidden"), cases(__file__, "prohibitions.tsv", str, str, yes)
)
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
