"""Which two ends a question wants a dose converted between."""

import pytest

from core.language.en.questions.conversions import conversion


@pytest.mark.parametrize(
    ("question", "ends"),
    [
        ("What is the dose ratio of oral morphine to oral oxycodone?", {"morphine", "oxycodone"}),
        ("fentanyl equivalent of hydromorphone 4 mg", {"fentanyl", "hydromorphone"}),
        ("switch from enoxaparin to dabigatran", {"enoxaparin", "dabigatran"}),
        # A result that has the word in its name, and the other name of the medicine.
        ("INR (international normalised ratio) 9, vit K (phytomenadione or phytonadione)?", set()),
        ("protein to creatinine ratio 60, ramipril and amlodipine?", set()),
        ("change from morphine 30 mg to oxycodone, what dose?", {"morphine", "oxycodone"}),
        ("morphine and haloperidol dose", set()),
        ("amoxicillin failed, change to clarithromycin, what dose?", set()),
        ("change amoxicillin to doxycycline, doxycycline dose", set()),
    ],
)
def test_only_what_asks_for_a_conversion_has_two_ends(question: str, ends: set[str]) -> None:
    found = conversion(question)
    named = {name for end in found.ends for name in end.medicines} if found else set()
    assert named == ends
