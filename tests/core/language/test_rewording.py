"""Questions for exceptions, reworded positively: invented cases."""

import time

import pytest

from core.language.en.negation import asks_for_exception
from retrieval.rewriting.variants import asked_positively
from tests.retrieval.hostile import HANDMADE, random_queries


def reworded(question: str) -> str:
    return asked_positively(question, is_exception=asks_for_exception(question))


@pytest.mark.parametrize(
    ("question", "wording"),
    [
        ("Which drug is LEAST likely to cause hyperkalaemia?", "causes of hyperkalaemia"),
        (
            "A 50-year-old man has a cough. Which of the following is least likely to cause it in "
            "hypertension treatment?",
            "causes of it in hypertension treatment",
        ),
        ("Which of these does not cause hearing loss?", "causes of hearing loss"),
        ("What is unlikely to lead to torsades?", "causes of torsades"),
        ("Which sign is least likely to be seen in tetanus?", "features of tetanus"),
        ("All of the following are causes of jaundice EXCEPT:", "causes of jaundice"),
        ("Each of these is a treatment for scabies, except which one?", "treatment for scabies"),
        ("Which of the following is not a risk factor for gout?", "risk factor for gout"),
        (
            "Which of these isn't a contraindication to thrombolysis?",
            "contraindication to thrombolysis",
        ),
        (
            "Which antihypertensives should not be given in pregnancy?",
            "contraindicated in pregnancy, avoid in pregnancy",
        ),
        (
            "What should be avoided in G6PD deficiency?",
            "contraindicated in G6PD deficiency, avoid in G6PD deficiency",
        ),
        ("which drugs to avoid in gout", "contraindicated in gout, avoid in gout"),
        ("When should metformin not be given?", "contraindications to metformin"),
        ("When should metformin be withheld before contrast?", "contraindications to metformin"),
        ("When is lumbar puncture contraindicated?", "contraindications to lumbar puncture"),
        ("Who must not take isotretinoin?", "contraindications to isotretinoin"),
        ("Who can’t have the MMR vaccine?", "contraindications to the MMR vaccine"),
        (
            "Which of the following statements on insulin storage is false?",
            "statements on insulin storage",
        ),
        # The negation is part of the question.
        ("What if the patient does not respond to salbutamol?", ""),
        ("Dose of enoxaparin when not on dialysis", ""),
        ("When should metformin be given?", ""),
        ("When should antibiotics be started in sepsis?", ""),
        ("Which drugs are used in gout?", ""),
        ("causes of cough", ""),
        ("", ""),
    ],
)
def test_asked_positively(question: str, wording: str) -> None:
    assert reworded(question) == wording


@pytest.mark.parametrize("question", [*HANDMADE, *random_queries(60)])
def test_any_text_is_taken(question: str) -> None:
    asked_positively(question, is_exception=True)
    asked_positively(question, is_exception=False)


@pytest.mark.parametrize(
    "text", ["all is a b of ", "which not be given in ", "who can't take ", "is not a "]
)
def test_repeated_frames_end(text: str) -> None:
    started = time.process_time()
    asked_positively(text * 20_000, is_exception=True)
    assert time.process_time() - started < 10
