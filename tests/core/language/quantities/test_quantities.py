"""Counts in a claim match its evidence in any spelling, or not at all."""

import pytest

from core.language.en.quantities.matching import counted, held, not_held

SAME = [
    ("100 mg twice a day for one week", "doxycycline 100mg BD 7 days"),
    ("0.5 g every 12 hours", "500 mg BD"),
    ("5 mg/kg, 36 hours apart", "5 mg/kg every 36 hours"),
    ("half-hourly", "every 30 minutes"),
    ("prednisolone 40 to 50 mg for at least 5 days", "40-50 mg for at least 5 days"),
    ("from 40 mg up to 50 mg", "40 to 50 mg"),
    ("above 13", "> 13"),
    ("at least 35 mm", "an adnexal mass of 35 mm or larger"),
    ("5 days", "for at least 5 days"),
    ("not above 11.5 g/dL", "avoid a target above 11.5 g/dL"),
    ("under 140 over 90", "less than 140/90 mmHg"),
    ("480 micrograms each hour", "480 microgram/h"),
    ("0.6 to 0.8 grams for each kilogram daily", "0.6 to 0.8 g/kg/day"),
    ("between the twenty-fourth and the twenty-eighth week", "24 to 28 weeks"),
    ("15 mg/kg, then 2 mg/kg/h", "15 mg.kg⁻¹ followed by 2 mg.kg⁻¹.h⁻¹"),
    ("20 mg/kg 8-hourly", "MD: 20mg/kg 8 H"),
    ("twice or three times daily", "2-3 times daily"),
    ("below 30 mL/min/1.73 m2", "eGFR <30 mL/min/1.73 m²to facilitate"),
    ("a drain of at most 14 French", "14F or smaller"),
    ("dose 3", "the third dose"),
    ("three drugs: a, b and c", "a, b and c"),
    ("38.5 °C", "101.3 °F"),
    ("INR above 5", "INR > 5"),
    ("CrCl of 30 or more", "CrCl ≥ 30"),
    ("GCS of 8 or below", "GCS 8 or less"),
    ("at or above 140/90", "BP 140/90 or above"),
    ("a score of 5", "a score of 5 or more"),
]
OTHER = [
    ("60 ml/min", "45 ml/minute or more"),
    ("40 mg", "40 to 50 mg"),
    ("at most 5 mg", "at least 5 mg"),
    ("at least 500 mg", "500 mg"),
    ("up to 20 units", "20 units"),
    ("INR < 5", "INR > 5"),
    ("INR below 5", "INR over 5"),
    ("CrCl ≤ 30", "CrCl ≥ 30"),
    ("K above 3.5", "K < 3.5"),
    ("pH > 7.1", "pH < 7.1"),
    ("GCS 8 or more", "GCS 8 or less"),
    ("blood pressure below 140/90", "BP 140/90 or above"),
    ("blood pressure above 90/60", "BP is below 90/60 mmHg"),
    ("100 micrograms", "100 mg"),
    ("50 mg", "5 mg"),
    ("four times daily", "100 mg twice daily"),
    ("for 10 days", "for 7 days"),
    ("36 days", "36 weeks"),
    ("24 hours after the first dose", "18 to 24 hours after the first dose, once daily"),
    ("five or more episodes", "2 or more episodes"),
    ("135/95", "135/85 mmHg"),
    ("IL-8", "IL-6"),
    ("key b647e8703c34", "no key"),
]


@pytest.mark.parametrize(("claim", "evidence"), SAME)
def test_the_same_in_other_words_is_held(claim: str, evidence: str) -> None:
    assert not_held(claim, held((evidence,))) == ""


@pytest.mark.parametrize(("claim", "evidence"), OTHER)
def test_another_number_unit_bound_or_frequency_is_not(claim: str, evidence: str) -> None:
    assert not_held(claim, held((evidence,)))


def test_the_head_of_a_column_gives_its_numbers_their_unit() -> None:
    row, head = "chlorthalidone | 12.5-25 (1)", "Drug | Usual dose, mg/day (frequency)*"
    assert not not_held("Chlorthalidone 12.5 to 25 mg daily", held((row, head)))
    assert not_held("Chlorthalidone 12.5 to 25 mg daily", held((row,)))


def test_what_is_asked_may_be_repeated() -> None:
    evidence = held(("Offer it to people with a level of at least 1,500 IU/litre.",))
    claim = "At 3,200 IU/litre it is offered."
    assert not_held(claim, evidence)
    assert not not_held(claim, evidence, held(("hCG 3200, methotrexate?",)))


def test_two_texts_that_count_the_same_have_the_same_set() -> None:
    assert counted("500 mg twice daily") == counted("0.5 g BD")
    assert counted("500 mg twice daily") != counted("500 mg daily")
    assert counted("Rest.") == frozenset()
