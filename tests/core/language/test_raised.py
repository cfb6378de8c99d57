"""A raised digit is a footnote's mark, a power or part of a unit, never a digit of its number."""

import pytest

from core.language.en.quantities import measures
from core.language.en.quantities.levelling import levelled
from core.language.en.quantities.matching import held, not_held
from tests.tables import cases


@pytest.mark.parametrize(("evidence", "right", "wrong"), cases(__file__, "raised_marks.tsv"))
def test_a_raised_mark_is_no_digit_of_its_number(evidence: str, right: str, wrong: str) -> None:
    assert not not_held(right, held((evidence,)))
    assert not not_held(evidence, held((right,)))
    assert not_held(wrong, held((evidence,)))


@pytest.mark.parametrize(("written", "same", "other"), cases(__file__, "raised_powers.tsv"))
def test_powers_and_units_stay(written: str, same: str, other: str) -> None:
    assert not not_held(same, held((written,)))
    assert not_held(other, held((written,)))


def test_names_and_charges_keep_their_numbers() -> None:
    assert levelled("Ca²⁺") == "ca2 ⁺"
    assert levelled("4 cm²") == "4 cm2"


def test_a_mark_in_a_question_or_a_cell_is_left_out() -> None:
    (one,) = measures.measures(measures.levelled("5² mg"))
    assert (one.interval.low, one.interval.unit) == (5.0, "mg")
