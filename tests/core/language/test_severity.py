"""How severe a text says that a question's condition is."""

import pytest

from core.language.en.patients.severity import severities
from tests.tables import cases, listed

QUESTION = "treatment of mild pneumonia, if penicillin allergic"


@pytest.mark.parametrize(("text", "levels"), cases(__file__, "severity.tsv", str, listed))
def test_the_levels_of_the_condition_that_is_asked_about(text: str, levels: list[str]) -> None:
    assert severities(text, QUESTION) == set(levels)


def test_another_condition_of_the_question_counts_too() -> None:
    question = "codeine dose for moderate pain in severe renal impairment"
    assert severities(question, question) == {"moderate", "severe"}
    assert severities("mild renal impairment", question) == {"mild"}
    assert severities("mild asthma", question) == set()
