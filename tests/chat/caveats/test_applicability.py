"""Test whether an answer's population fits the question's patient."""

from dataclasses import replace

import pytest

from chat.caveats.applicability import applicability
from chat.caveats.cautions import applicability_cautions
from chat.models import ClaimKind
from chat.types import DraftClaim, Quote
from core.language.en.patients.people import apart, people_of
from tests.chat.evidence.hits import made_up_hit


def claim(
    text: str, *, population: str = "", title: str = "Title", section: tuple[str, ...] = ("Dose",)
) -> DraftClaim:
    hit = made_up_hit(population=population, title=title, section_path=section, text=text)
    return DraftClaim(text, (Quote(hit, 1, 0, len(text), text),))


def mismatch(question: str, text: str, population: str = "", title: str = "Title") -> str:
    return applicability(question, [claim(text, population=population, title=title)]).mismatch


DOSE = "Give amoxicillin 500 mg three times daily."

# question, statement, population of the document, title, and words of the caveat
OTHER_PEOPLE = [
    ("amoxicillin for a 17 year old", DOSE, "paediatric", "Title", ("children",)),
    ("amoxicillin dose in a child", DOSE, "adult", "Title", ("a child", "adults")),
    ("amoxicillin for a 3 year old", DOSE, "adult", "Title", ("a child", "adults")),
    ("amoxicillin for a 6-month-old baby", DOSE, "adult", "Title", ("an infant", "adults")),
    ("amoxicillin in a newborn", DOSE, "adult", "Title", ("a newborn", "adults")),
    ("paediatric dose of amoxicillin", DOSE, "", "Pneumonia in adults", ("a child", "adults")),
    ("amoxicillin for an adult", DOSE, "paediatric", "Title", ("an adult", "children")),
    ("amoxicillin for a 40 year old man", DOSE, "paediatric", "Title", ("an adult", "children")),
    ("amoxicillin for an older person", DOSE, "paediatric", "Title", ("older", "children")),
    ("amoxicillin aged 75", DOSE, "", "Fever in infants and children", ("older", "infants")),
    ("dose for an adult", "In children give 250 mg.", "all", "Title", ("an adult", "children")),
    ("dose for a child", "In adults give 500 mg.", "all", "Title", ("a child", "adults")),
    ("dose for a 2 year old", "Children aged 6 to 11 years: 250 mg.", "", "T", ("6 to 11 years",)),
    ("dose for a 14 year old", "Children under 5 years: 250 mg.", "", "T", ("years",)),
    ("dose at 2 months of age", "Infants aged 6 months or more: 5 mL.", "", "T", ("6 months",)),
    ("dose in women who are not pregnant", DOSE, "pregnancy", "T", ("not pregnant", "pregnancy")),
    ("dose in pregnancy", DOSE, "", "UTI in adults who are not pregnant", ("who are not",)),
    ("dose for a boy of 8 years", DOSE, "pregnancy", "T", ("a child", "pregnancy")),
    ("dose for a man", DOSE, "pregnancy", "T", ("a man", "pregnancy")),
    ("dose for a 5 year old", DOSE, "pregnancy", "T", ("a child", "pregnancy")),
    ("trimethoprim with an eGFR of 25", "Give it if eGFR is 45 mL/min or more.", "", "T", ("25",)),
    ("dose at CrCl 75 mL/min", "Creatinine clearance (mL/min): 20 to 39; Dose: 4 mg/kg", "", "T",
     ("(75)", "20 to 39")),
    ("dose in normal renal function", DOSE, "renal impairment", "T", ("without", "with renal")),
    ("dose for someone of 45 kg", "Patients who weigh 50 kg or more: 1 g.", "", "T", ("45 kg",)),
]  # fmt: skip

SAME_PEOPLE = [
    ("amoxicillin dose", DOSE, "adult", "Title"),
    ("amoxicillin dose", DOSE, "paediatric", "Title"),
    ("amoxicillin dose in adults", DOSE, "adult", "Title"),
    ("amoxicillin dose in a child", DOSE, "paediatric", "Title"),
    ("amoxicillin dose in a child", DOSE, "all", "Title"),
    ("amoxicillin dose in a child", DOSE, "", "Title"),
    ("amoxicillin for a 3 year old", DOSE, "", "Fever in infants and children"),
    ("amoxicillin for a 17 year old", DOSE, "adult", "Title"),
    ("amoxicillin for a 16 year old", DOSE, "paediatric", "Title"),  # adult in some hospitals
    ("amoxicillin for a teenager", DOSE, "paediatric", "Title"),
    ("amoxicillin for a 70 year old", DOSE, "adult", "Title"),
    ("amoxicillin for the elderly", DOSE, "adult", "Title"),
    ("dose for an adult", "Unlike in children, give 500 mg.", "adult", "Title"),
    ("dose for an adult", "Call the paediatric registrar about a septic patient.", "adult", "T"),
    ("dose for an adult", "Give 3 jelly babies.", "adult", "Title"),
    ("dose for a 9 year old", "Children aged 6 to 11 years: 250 mg.", "", "Title"),
    ("dose for a 10 month old", "Infants aged 6 months or more: 5 mL.", "", "Title"),
    ("dose for a 4 year old for 3 days", "Children under 5 years: 5 mL.", "", "Title"),
    ("dose in pregnancy", DOSE, "pregnancy", "Title"),
    ("dose in pregnancy", DOSE, "adult", "Title"),
    ("dose in a pregnant woman", "It may cause haemolysis in the newborn.", "pregnancy", "T"),
    ("dose for an adult", "It may harm the baby late in pregnancy.", "adult", "Title"),
    ("eGFR of 25", "It is contraindicated when eGFR is below 30 mL/min.", "", "Title"),
    ("eGFR of 60", "Assume that the eGFR is below 15 mL/min with anuria.", "", "Title"),
    ("CrCl 45 mL/min", "Creatinine clearance (mL/min): 40 to 60; Dose: 5 mg/kg", "", "Title"),
    ("a patient of 60 kg", "Patients who weigh 50 kg or more: 1 g.", "", "Title"),
    ("a patient of 60 kg", "Give 5 mg/kg in 100 mL over 60 minutes.", "", "Title"),
    ("a course of 7 days", "Give it for 3 months, and repeat it within 5 days.", "", "Title"),
    ("dose in renal impairment", DOSE, "renal impairment", "Title"),
    ("dose in a woman", DOSE, "pregnancy", "Title"),
    ("Child-Pugh C cirrhosis", DOSE, "adult", "Title"),
    ("boiling point of tungsten", DOSE, "adult", "Title"),
]


@pytest.mark.parametrize(("question", "text", "population", "title", "words"), OTHER_PEOPLE)
def test_other_people_are_told(
    question: str, text: str, population: str, title: str, words: tuple[str, ...]
) -> None:
    told = mismatch(question, text, population, title)
    assert told.startswith(("The question is", "The patient's "))
    assert "this statement" in told
    assert [word for word in words if word not in told] == [], told


@pytest.mark.parametrize(("question", "text", "population", "title"), SAME_PEOPLE)
def test_the_same_or_nobody_in_particular_is_no_mismatch(
    question: str, text: str, population: str, title: str
) -> None:
    assert mismatch(question, text, population, title) == ""


def test_the_sentence_names_each_statement_once() -> None:
    claims = [claim(DOSE, population="paediatric"), claim(DOSE, population="adult"), claim(DOSE)]
    found = applicability("dose in a child", [*claims, claim("Measure it.", population="adult")])
    assert found.mismatch == "The question is about a child; statements 2 and 4 are for adults."
    assert found.claims == (2, 4)


def test_the_nearest_word_counts() -> None:
    child = claim(DOSE, population="adult", section=("Doses", "Children under 12"))
    assert applicability("dose in a child", [child]).mismatch == ""
    assert applicability("dose in an adult", [child]).mismatch.endswith("is for children.")
    adult = claim("For adults give 500 mg.", section=("Doses", "Children"), population="paediatric")
    assert applicability("dose in an adult", [adult]).mismatch == ""


def test_a_caption_for_others_is_a_mismatch() -> None:
    found = applicability("dose in a child", [captioned(DOSE, "Table 2. Doses for adults")])
    assert found.mismatch == "The question is about a child; this statement is for adults."


def captioned(text: str, caption: str, title: str = "Title") -> DraftClaim:
    return replace(claim(text, title=title), caption=caption)


LINES = [
    (captioned(DOSE, "Table 2. Doses for adults"), "Applies to: adults."),
    (captioned(DOSE, "Table 3. Doses in pregnancy"), "Applies to: pregnancy."),
    (captioned(DOSE, "Table 3. Doses for children", title="Doses for adults"),
     "Applies to: children."),
    (captioned("Adults: 500 mg.", "Table 3. Doses for children"), "Applies to: adults."),
    (captioned(DOSE, "Table 4. Doses"), "The source does not say whom this is for."),
    (claim(DOSE, population="adult"), "Applies to: adults."),
    (claim(DOSE, population="all"), ""),
    (claim(DOSE), "The source does not say whom this is for."),
    (claim(DOSE, population="sailors"), "Applies to: sailors."),
    (claim(DOSE, population="pregnancy"), "Applies to: pregnancy."),
    (claim(DOSE, title="UTI in adults who are not pregnant"),
     "Applies to: adults, people who are not pregnant."),
    (claim("Children aged 6 to 11 years: 250 mg."), "Applies to: children aged 6 to 11 years."),
    (claim("Give 5 mg/kg.", population="adult"), "Applies to: adults. You need the weight."),
    (claim("Only if eGFR is 45 mL/min/1.73 m² or more.", population="adult"),
     "Applies to: adults. This statement is for an eGFR of 45 or more."),
    (claim("Creatinine clearance (mL/min): 40 to 60; Interval: Every 36 hours", population="adult"),
     "Applies to: adults. This statement is for a creatinine clearance of 40 to 60."),
    (claim("Patients who weigh less than 50 kg receive less.", population="adult"),
     "Applies to: adults. This statement is for a weight below 50 kg."),
    # Columns of a table: none of them is assumed.
    (claim("eGFR 30 to 44: 100 mg; eGFR 15 to 29: Contraindicated", population="adult"),
     "Applies to: adults."),
]  # fmt: skip


@pytest.mark.parametrize(("said", "line"), LINES)
def test_line(said: DraftClaim, line: str) -> None:
    assert applicability("dose", [said]).line == line


ADULT, CHILD = claim(DOSE, population="adult"), claim(DOSE, population="paediatric")
BY_WEIGHT = claim("Give 15 mg/kg.", population="all")
LIMIT = replace(claim("Do not give it in porphyria."), kind=ClaimKind.CAUTION)
BOUNDED = claim("Only if creatinine clearance is above 60 mL/min.", population="adult")


@pytest.mark.parametrize(
    ("question", "claims", "line"),
    [
        ("amoxicillin dose in pregnancy", [ADULT],
         "Applies to: adults. This statement is not about pregnancy."),
        # Only what the question does not say
        ("amoxicillin in adults", [ADULT, claim(DOSE, population="all")], ""),
        ("amoxicillin in children", [ADULT], "Applies to: adults."),
        ("amoxicillin in adults", [ADULT, CHILD],
         "Applies to: adults (statement 1); children (statement 2)."),
        ("amoxicillin", [ADULT, CHILD],
         "Applies to: adults (statement 1); children (statement 2)."),
        # Statements keep their numbers behind a limit that stands first
        ("amoxicillin", [LIMIT, ADULT, CHILD],
         "Applies to: adults (statement 2); children (statement 3)."),
        # What must be known, with the statements that it bounds
        ("dose in adults", [claim("Give 5 mg/kg.", population="adult"), BOUNDED],
         "You need the weight. Statement 2 is for a creatinine clearance above 60."),
        ("dose", [BY_WEIGHT], "You need the weight."),
        ("dose at 14 kg", [BY_WEIGHT], ""),
        ("dose at a weight of 14 kg", [BY_WEIGHT], ""),
        ("dose in a child", [], ""),
    ],
)  # fmt: skip
def test_the_line_of_several_statements(question: str, claims: list[DraftClaim], line: str) -> None:
    assert applicability(question, claims).line == line


@pytest.mark.parametrize(
    ("question", "text", "told"),
    [
        ("dose with an eGFR of 50", "Give less if eGFR is below 30 mL/min.",
         "The patient's eGFR (50) is outside this statement (below 30)."),
        ("dose at CrCl 50 mL/min", "Give less if eGFR is below 30 mL/min.",
         "The patient's creatinine clearance (50) is outside this statement (eGFR below 30)."),
        ("dose for someone of 45 kg", "Patients who weigh 50 kg or more: 1 g.",
         "The patient's weight (45 kg) is outside this statement (50 kg or more)."),
    ],
)  # fmt: skip
def test_a_value_outside_a_statement_is_told_with_both(question: str, text: str, told: str) -> None:
    assert mismatch(question, text, "adult") == told


def test_a_value_within_a_bound_is_told_with_it() -> None:
    row = claim("Creatinine clearance (mL/min): 20 to 39; Interval: Every 48 hours")
    told = applicability("gentamicin interval at a clearance of 30 mL/min", [row]).line
    assert told.endswith("is for a creatinine clearance of 20 to 39; the patient's is 30.")
    assert "You need" not in told


def test_a_guideline_on_prevention_and_treatment_is_not_for_prevention_alone() -> None:
    dose, title = "Give gentamicin 5 mg/kg.", "Infection: prevention and treatment"
    treats = claim(dose, title=title, section=("Suspected infection",))
    assert applicability("gentamicin dose", [treats]).unasked == ""
    prevents = claim(dose, title=title, section=("Prevention",))
    assert "only for prevention" in applicability("gentamicin dose", [prevents]).unasked


def test_a_statement_for_a_state_that_was_not_asked_about_is_told_apart() -> None:
    claims = [claim(DOSE, population="renal impairment"), claim(DOSE, population="adult")]
    told = "Statement 1 is only for people with renal impairment, which the question does not name."
    for question, is_told in (
        ("amoxicillin dose for an adult", True),
        ("amoxicillin dose in renal impairment", False),
        ("amoxicillin dose, CrCl 35", False),
    ):
        assert (applicability(question, claims).unasked == told) == is_told
    assert applicability("amoxicillin dose", claims[:1]).unasked == ""


def test_a_dose_that_prevents_is_told_from_one_that_treats() -> None:
    row = "Body weight: 50 to 99 kg; Enoxaparin dose: 40 mg"
    said = claim(row, title="Prevention of thrombosis", section=("Prophylaxis",))
    told = "Statement 1 is only for prevention, which the question does not name."
    found = applicability("enoxaparin treatment dose for PE", [said])
    assert (found.unasked, found.only_for) == (told, (1,))
    assert applicability_cautions(found)[-1].code == "unasked"
    assert applicability_cautions(applicability("dose in a child", [])) == ()
    for question in ("enoxaparin prophylaxis", "enoxaparin to prevent thrombosis"):
        assert applicability(question, [said]).unasked == ""
    treats = claim(row, title="Treatment of thrombosis")
    assert applicability("enoxaparin dose", [treats]).unasked == ""
    nurse = claim("Inspect the heels daily.", title="Prevention of pressure ulcers")
    assert applicability("when are the heels inspected", [nurse]).unasked == ""


def test_as_it_is_stored() -> None:
    found = applicability("dose in a child", [claim(DOSE, population="adult")])
    assert [caution.as_dict() for caution in applicability_cautions(found)] == [
        {"code": "applicability", "text": "Applies to: adults.", "claims": [], "documents": []},
        {
            "code": "mismatch",
            "text": "The question is about a child; this statement is for adults.",
            "claims": [1],
            "documents": [],
        },
    ]


def test_nobody_is_apart_from_nobody() -> None:
    assert apart(people_of(""), people_of("")) is None
    assert apart(people_of("a child"), people_of("")) is None
    assert apart(people_of("a child"), people_of("adults and children")) is None


def test_a_claim_of_several_passages_is_for_those_of_each() -> None:
    hits = [
        made_up_hit(key=f"{people}_p1_c0", population=people, text=DOSE)
        for people in ("adult", "paediatric")
    ]
    both = DraftClaim(DOSE, tuple(Quote(hit, 1, 0, len(DOSE), DOSE) for hit in hits))
    found = applicability("amoxicillin for an adult", [both])
    assert "children" in found.mismatch
    assert found.claims == (1,)
    assert found.line == "Applies to: adults and children."
