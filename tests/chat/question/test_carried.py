"""Test what a follow-up takes from the question before, and how it reads without that."""

import pytest

from core.language.en.threads.mentions import carried

BEFORE = "What is the dose of amoxicillin in a child?"


@pytest.mark.parametrize(
    ("question", "standalone", "parts"),
    [
        (
            "and in pregnancy?",
            "What is the dose of amoxicillin in pregnancy?",
            [
                ("What is the dose", "Amoxicillin in pregnancy?"),
                ("amoxicillin", "What is the dose in pregnancy?"),
            ],
        ),
        (
            "How often?",
            "How often: gentamicin for an adult with sepsis?",
            [
                ("gentamicin", "How often: for an adult with sepsis?"),
                ("an adult", "How often: gentamicin with sepsis?"),
                ("sepsis", "How often: gentamicin for an adult?"),
            ],
        ),
        (
            "and at 38 weeks?",
            "Antibiotic for cystitis, she is allergic to penicillin at 38 weeks",
            [
                ("Antibiotic", "Cystitis, she is allergic to penicillin at 38 weeks"),
                ("cystitis", "Antibiotic, she is allergic to penicillin at 38 weeks"),
                ("allergic to penicillin", "Antibiotic for cystitis at 38 weeks"),
            ],
        ),
        (
            "and in pregnancy?",
            "Antibiotic for cystitis, he has a penicillin allergy, in pregnancy",
            [
                ("Antibiotic", "Cystitis, he has a penicillin allergy, in pregnancy"),
                ("cystitis", "Antibiotic, he has a penicillin allergy, in pregnancy"),
                ("penicillin allergy", "Antibiotic for cystitis, in pregnancy"),
            ],
        ),
        ("What is the dose?", "", []),
        ("dose?", "Dose: amoxicillin?", []),  # without it there is nothing to ask
    ],
)
def test_each_part_is_told_with_the_question_without_it(
    question: str, standalone: str, parts: list[tuple[str, str]]
) -> None:
    assert [(part.text, part.without) for part in carried(question, standalone)] == parts


def test_what_the_question_says_itself_is_not_carried() -> None:
    assert carried(BEFORE, BEFORE) == ()
