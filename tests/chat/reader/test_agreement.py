"""Test that a statement about another medicine or other people is never the answer."""

from dataclasses import replace
from pathlib import Path

import pytest

from chat.checks.agreement import Asked, in_agreement, is_about_medicine
from chat.evidence.quotable import quotable_units
from chat.reader.choose import sifted
from chat.types import Unit
from tests.chat.evidence.hits import hits_for
from tests.corpora import publish

pytestmark = pytest.mark.django_db
# A guideline, then questions: `+` begins what must be left for it, `-` what must not.
BLOCKS = Path(__file__).with_name("agreement.txt").read_text(encoding="utf-8").split("\n\n")
CASES = [
    (text, *case.split("\n"))
    for text, *cases in (block.strip().split("\n?\t") for block in BLOCKS)
    for case in cases
]
GUIDE = CASES[0][0]


@pytest.fixture(autouse=True)
def guide() -> None:
    publish(GUIDE, population="")


def agreeing(text: str, question: str) -> list[str]:
    """Return the statements of a published document that agree with the question."""
    units = quotable_units(hits_for(text), "")
    return [unit.text for unit in in_agreement(Asked.of(question, question), units)]


@pytest.mark.parametrize("case", CASES, ids=[case[1] for case in CASES])
def test_what_is_of_another_medicine_patient_or_purpose_is_left_out(case: tuple[str, ...]) -> None:
    text, question, *expected = case
    if text != GUIDE:
        publish(text)
    whole = "\n".join(unit.text for unit in quotable_units(hits_for(text), ""))
    left = "\n".join(agreeing(text, question))
    for sign, words in (line.split("\t") for line in expected):
        assert words in whole
        assert (words in left) == (sign == "+"), words


def test_where_no_medicine_is_asked_about_none_is_left_out() -> None:
    question = "How is cystitis treated?"
    assert len(agreeing(GUIDE, question)) == len(quotable_units(hits_for(GUIDE), ""))


def test_what_says_nothing_of_pregnancy_is_not_for_it() -> None:
    assert agreeing(GUIDE, "What is given in pregnancy?") == ["Give cefalexin 500 mg."]


def test_a_kind_of_a_medicine_is_that_medicine() -> None:
    (unit, *_) = quotable_units(hits_for(GUIDE), "")
    kind: Unit = replace(unit, text="Give phenoxymethylpenicillin 250 mg.", is_row=False)
    assert is_about_medicine(frozenset({"penicillin"}), kind)
    assert not is_about_medicine(frozenset({"codeine"}), kind)
    other = replace(unit, text="Give noradrenaline 4 mg.", is_row=False)
    assert not is_about_medicine(frozenset({"adrenaline"}), other)


@pytest.mark.parametrize(
    ("question", "is_left"),
    [
        ("adrenaline im dose, child", True),
        ("epinephrine im dose, child", True),
        ("noradrenaline dose, child", False),
        ("already on adrenaline, ketamine dose", False),
    ],
)
def test_a_medicine_is_the_same_by_its_other_name(question: str, is_left: bool) -> None:
    publish("# Emergency card\n| Drug | Dose |\n| --- | --- |\n| Epinephrine | IM: 0.01 mg/kg |")
    units = sifted(question, hits_for("Epinephrine IM 0.01 mg/kg")).units
    assert any("0.01 mg/kg" in unit.text for unit in units) is is_left


PAIN = """# Pain in children
Give ibuprofen 10 mg/kg by mouth.
Give paracetamol 15 mg/kg from 1 month of age.
Give ibuprofen 5 mg/kg to infants.
"""


@pytest.mark.parametrize(
    ("question", "shown"),
    [
        ("ibuprofen dose 4 month old", ["Give ibuprofen 5 mg/kg to infants."]),
        ("paracetamol dose 4 month old", ["Give paracetamol 15 mg/kg from 1 month of age."]),
        ("ibuprofen dose 4 year old", ["Give ibuprofen 10 mg/kg by mouth."]),
        ("ibuprofen dose newborn", ["Give ibuprofen 5 mg/kg to infants."]),
    ],
)
def test_a_dose_for_children_is_for_nobody_under_a_year(question: str, shown: list[str]) -> None:
    parts = PAIN.strip().splitlines()
    for line in parts[1:]:
        publish(f"{parts[0]}\n{line}", population="children", title=f"Pain {line}")
    units = quotable_units(hits_for(f"{question} {PAIN}"), "")
    left = [unit.text for unit in in_agreement(Asked.of(question, question), units)]
    assert sorted(text for text in left if text in parts) == sorted(shown)
