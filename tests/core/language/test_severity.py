"""How severe a text says that a question's condition is."""

import pytest

from core.language.en.patients.severity import severities

QUESTION = "treatment of mild pneumonia, if penicillin allergic"


@pytest.mark.parametrize(
    ("text", "levels"),
    [
        (QUESTION, {"mild"}),
        ("Antibiotics for adults with high severity CAP", {"severe"}),
        ("Low severity", {"mild"}),
        ("low or moderate severity pneumonia", {"mild", "moderate"}),
        ("Moderate- or high-severity pneumonia", {"moderate", "severe"}),
        ("mild to severe pneumonia", {"mild", "moderate", "severe"}),
        ("mild or severe pneumonia", {"mild", "severe"}),
        ("Mild pneumonia: A. Severe pneumonia: B.", {"mild", "severe"}),
        ("non-severe pneumonia", {"mild", "moderate"}),
        ("If the pneumonia is not severe, go home", {"mild", "moderate"}),
        ("If severe: admit", {"severe"}),
        ("Severity: Severe (CURB65 3 to 5)", {"severe"}),
        ("severe community acquired pneumonia", {"severe"}),
        ("severe or life-threatening infection", {"severe", "life-threatening"}),
        ("In severe penicillin allergy give doxycycline", set()),
        ("If the pain is severe and persists", set()),
        ("Severe renal impairment: 250 mg", set()),
        ("severe liver disease", set()),
        ("moderate risk of death", set()),
        ("Assess the severity", set()),
        ("low sodium", set()),
        ("", set()),
    ],
)
def test_the_levels_of_the_condition_that_is_asked_about(text: str, levels: set[str]) -> None:
    assert severities(text, QUESTION) == levels


def test_another_condition_of_the_question_counts_too() -> None:
    question = "codeine dose for moderate pain in severe renal impairment"
    assert severities(question, question) == {"moderate", "severe"}
    assert severities("mild renal impairment", question) == {"mild"}
    assert severities("mild asthma", question) == set()
