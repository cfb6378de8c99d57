"""Counts in a claim match its evidence in any spelling, or not at all."""

import pytest

from core.language.en.quantities.matching import counted, held, not_held
from tests.tables import cases


@pytest.mark.parametrize(("claim", "evidence"), cases(__file__, "same_amounts.tsv"))
def test_the_same_in_other_words_is_held(claim: str, evidence: str) -> None:
    assert not_held(claim, held((evidence,))) == ""


@pytest.mark.parametrize(("claim", "evidence"), cases(__file__, "other_amounts.tsv"))
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
