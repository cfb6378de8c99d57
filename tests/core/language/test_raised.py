"""A raised digit is a footnote's mark, a power or part of a unit, never a digit of its number."""

import pytest

from core.language.en.quantities import measures
from core.language.en.quantities.levelling import levelled
from core.language.en.quantities.matching import held, not_held

MARKED = [
    ("5² mg daily", "5 mg daily", "52 mg daily"),
    ("5 mg² daily", "5 mg daily", "2 mg daily"),
    ("for 7² days", "for 7 days", "for 72 days"),
    ("2.5³ mg/kg", "2.5 mg/kg", "2.53 mg/kg"),
    ("3³ tablets", "3 tablets", "33 tablets"),
    ("20¹,² mg", "20 mg", "2012 mg"),
    ("5^1,2 mg", "5 mg", "51 mg"),
    ("for 14ᵃ days", "for 14 days", "for 7 days"),
    ("5 ² mg", "5 mg", "2 mg"),
    ("110² mg", "110 mg", "1102 mg"),
    ("10¹ mg", "10 mg", "101 mg"),
    ("10² units", "10 units", "100 units"),
    ("10³ IU", "10 IU", "1000 IU"),
    ("10² mmol", "10 mmol", "100 mmol"),
    ("50%² of the dose", "50% of the dose", "502 of the dose"),
    ("² Give 5 mg", "give 5 mg", "give 25 mg"),
    ("2¹⁄₂ tablets", "2.5 tablets", "21 tablets"),
]


@pytest.mark.parametrize(("evidence", "right", "wrong"), MARKED)
def test_a_raised_mark_is_no_digit_of_its_number(evidence: str, right: str, wrong: str) -> None:
    assert not not_held(right, held((evidence,)))
    assert not not_held(evidence, held((right,)))
    assert not_held(wrong, held((evidence,)))


@pytest.mark.parametrize(
    ("written", "same", "other"),
    [
        ("2 × 10⁹/L", "2 x 10^9/L", "2 × 109/L"),
        ("10⁵ CFU/mL", "10^5 CFU/mL", "10 CFU/mL"),
        ("10⁶ units", "1 million units", "10 units"),
        ("10² CFU/mL", "100 CFU/mL", "10 CFU/mL"),
        ("10⁻³ mol/L", "0.001 mol/L", "3 mol/L"),
        ("10⁻³ mol/L", "10^-3 mol/L", "10 mol/L"),
        ("10⁻³ mol/L", "1 mmol/L", "10 to 3 mol/L"),
        ("5 × 10⁻³ mg", "0.005 mg", "5 mg"),
        ("10⁻⁶ to 10⁻³ mol", "10^-6 to 10^-3 mol", "10⁶ to 10³ mol"),
        ("below 2 mmol L⁻¹", "below 2 mmol/L", "below 2 mmol"),
        ("100 mg/m² daily", "100 mg/m2 daily", "100 mg daily"),
        ("100 mg/m²³ daily", "100 mg/m2 daily", "100 mg/m3 daily"),
        ("200 cells/mm³", "200 cells per cubic millimetre", "200 cells/mL"),
        ("below 30 mL/min/1.73 m²", "below 30 mL/min/1.73 m2", "below 2 mL/min"),
    ],
)
def test_powers_and_units_stay(written: str, same: str, other: str) -> None:
    assert not not_held(same, held((written,)))
    assert not_held(other, held((written,)))


def test_names_and_charges_keep_their_numbers() -> None:
    assert levelled("Ca²⁺") == "ca2 ⁺"
    assert levelled("4 cm²") == "4 cm2"


def test_a_mark_in_a_question_or_a_cell_is_left_out() -> None:
    (one,) = measures.measures(measures.levelled("5² mg"))
    assert (one.interval.low, one.interval.unit) == (5.0, "mg")
