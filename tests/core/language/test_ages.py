"""Ages are distinguished from numbers of recommendations."""

import math

import pytest

from core.language.en.patients.groups import populations
from core.language.en.patients.people import people_of

YEAR = 365.25


@pytest.mark.parametrize("text", ["1.1.9 Do not offer it", "2 Do the test", "1.7.2 Monitor it"])
def test_the_number_of_a_recommendation_is_no_age(text: str) -> None:
    assert populations(text) == ()


@pytest.mark.parametrize(
    ("text", "group"),
    [
        ("6yo girl", "child"), ("6 y/o", "child"), ("3 months old", "infant"),
        ("2 d old", "neonate"), ("28yo", "adult"), ("5 year-old", "child"), ("3 mo old", "infant"),
        ("7y old", "child"),
    ],
)  # fmt: skip
def test_ages_as_they_are_typed(text: str, group: str) -> None:
    assert group in populations(text)


@pytest.mark.parametrize(
    ("text", "years"),
    [
        ("paracetamol dose for a child of 6", 6), ("girl 8, UTI", 8), ("boy aged 11", 11),
        ("a woman of 80 on warfarin", 80), ("a child of 4 years", 4), ("aged 70", 70),
        ("a child of 6 months", 0.5), ("sorry he's 5 months, not 2", 5 / 12), ("she is 82", 82),
    ],
)  # fmt: skip
def test_a_persons_bare_number_is_an_age_in_years(text: str, years: float) -> None:
    """Read without a unit, 6 met `6 to 23 months`: half the dose."""
    (age,) = people_of(text).ages
    assert age.low == pytest.approx(years * YEAR, abs=1)


@pytest.mark.parametrize(
    "text",
    ["an adult of 45 kg", "a man of 1.8 m", "treat a child for 5 days", "a course, child 5 days",
     "she is 20 weeks pregnant", "she's 3 months postpartum", "he is 5 days post op",
     "he's 62 kg", "a child of 20 kg", "child 10 mL/kg", "adults of 12 wards"],
)  # fmt: skip
def test_other_numbers_of_a_person_are_no_age(text: str) -> None:
    assert people_of(text).ages == ()


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("eGFR 52, lithium 1.9", [52]),
        ("eGFR 52 mL/min/1.73 m2, Na 118", [52]),
        ("CrCl 64 and haemoglobin 71", [64]),
        ("creatinine clearance 64 with a ferritin of 12", [64]),
        ("eGFR 58 last month, now 31", [58, 31]),
        ("CrCl was 40, today 22", [40, 22]),
        ("eGFR below 30 or above 60", [30, 60]),
    ],
)
def test_a_number_behind_another_name_is_no_kidney_function(text: str, values: list[int]) -> None:
    found = people_of(text).kidney
    assert [each.low if math.isfinite(each.low) else each.high for each in found] == values
