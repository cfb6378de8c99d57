"""Test what a refusal says that its nearest passages lack."""

import pytest

from chat.caveats.cautions import missing_evidence_cautions
from core.language.en.medicines.doses import says_of_dose
from retrieval.types import Hit
from tests.chat.evidence.hits import made_up_hit

ADULTS = made_up_hit(text="Adults aged 18 years and over: give gentamicin once daily.")
CHILDREN = made_up_hit(text="Children under 12 years: give gentamicin 7 mg/kg once daily.")
NO_DOSE = "The nearest passages give no dose."


@pytest.mark.parametrize(
    ("question", "hits", "said"),
    [
        ("What dose of gentamicin?", [ADULTS], [NO_DOSE]),
        ("What dose of gentamicin?", [ADULTS, CHILDREN], []),
        ("How much gentamicin for a child?", [ADULTS], [NO_DOSE]),
        ("Gentamicin for a child?", [ADULTS], []),
        ("Is gentamicin given once daily?", [ADULTS, CHILDREN], []),
        ("What dose of gentamicin for a child?", [], []),
    ],
)
def test_what_they_lack_is_said(question: str, hits: list[Hit], said: list[str]) -> None:
    assert [caution.text for caution in missing_evidence_cautions(question, hits)] == said


def test_a_number_of_doses_is_no_dose() -> None:
    assert not says_of_dose("Observe for 12 hours after two doses of adrenaline.")
    assert says_of_dose("Give adrenaline 500 micrograms.")
