"""Test whether an answer's population fits the question's patient."""

from dataclasses import replace

import pytest

from chat.caveats.applicability import applicability
from chat.caveats.cautions import applicability_cautions
from chat.models import ClaimKind
from chat.types import DraftClaim, Quote
from core.language.en.patients.people import apart, people_of
from tests.chat.evidence.hits import made_up_hit
from tests.tables import cases


def claim(
    text: str, *, population: str = "", title: str = "Title", section: tuple[str, ...] = ("Dose",)
) -> DraftClaim:
    hit = made_up_hit(population=population, title=title, section_path=section, text=text)
    return DraftClaim(text, (Quote(hit, 1, 0, len(text), text),))


DOSE = "Give amoxicillin 500 mg three times daily."


@pytest.mark.parametrize("row", cases(__file__, "applicability.tsv"), ids="|".join)
def test_other_people_are_told(row: list[str]) -> None:
    what, question, text, population, title, section, caption, told = row
    said = claim(text, population=population, title=title or "Title", section=(section or "Dose",))
    found = applicability(question, [replace(said, caption=caption)])
    assert getattr(found, what) == told


def test_the_sentence_names_each_statement_once() -> None:
    claims = [claim(DOSE, population="paediatric"), claim(DOSE, population="adult"), claim(DOSE)]
    found = applicability("dose in a child", [*claims, claim("Measure it.", population="adult")])
    assert found.mismatch == "The question is about a child; statements 2 and 4 are for adults."
    assert found.claims == (2, 4)


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


def test_a_statement_for_a_state_that_was_not_asked_about_is_told_apart() -> None:
    claims = [claim(DOSE, population="renal impairment"), claim(DOSE, population="adult")]
    told = "Statement 1 is only for people with renal impairment, which the question does not name."
    for question, is_told in (
        ("amoxicillin dose for an adult", True),
        ("amoxicillin dose in renal impairment", False),
        ("amoxicillin dose, CrCl 35", False),
    ):
        assert (applicability(question, claims).unasked == told) == is_told


def test_a_dose_that_prevents_is_told_by_number_and_code() -> None:
    found = applicability("enoxaparin dose", [claim(DOSE, title="Prevention of thrombosis")])
    assert found.only_for == (1,)
    assert applicability_cautions(found)[-1].code == "unasked"
    assert applicability_cautions(applicability("dose in a child", [])) == ()


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


@pytest.mark.parametrize(
    ("question", "mismatch"),
    [
        ("ketamine for an adult", ""),
        ("ketamine for a 5 year old", ""),
        (
            "ketamine for a baby of 2 weeks",
            "The question is about an infant of 14 days; this statement is for children aged 6 "
            "months to 15 years.",
        ),
    ],
)
def test_a_row_for_adults_and_children_is_for_either(question: str, mismatch: str) -> None:
    text = "Medicine: Ketamine; Adults: 2 mg/kg; Children 6 months to 15 years: 1 mg/kg"
    raw = "Ketamine | 2 mg/kg | 1 mg/kg"
    hit = made_up_hit(population="", title="Sedation", section_path=("Dose",), text=raw)
    found = applicability(question, [DraftClaim(text, (Quote(hit, 1, 0, len(raw), raw),))])
    assert found.mismatch == mismatch
    assert "15 years" not in found.line
