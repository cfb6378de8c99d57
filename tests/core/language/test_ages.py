"""Ages are distinguished from numbers of recommendations."""

from __future__ import annotations

import pytest

from core.language.en.patients.groups import populations


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
