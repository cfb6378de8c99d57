"""Test that an answer tells of which proviso of its question nothing shown speaks."""

import pytest

from chat.caveats.cautions import LACK
from chat.models import Turn, TurnStatus
from core.language.en.questions.provisos import provisos
from tests.chat.guidelines import ask
from tests.corpora import publish

ACNE = """# Acne in adults

## Treatment

Give doxycycline 100 mg once daily for 12 weeks to adults with moderate acne.

## When not

Do not give doxycycline in pregnancy.
"""


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("can I give doxycycline for acne if he has porphyria?", ["porphyria"]),
        ("doxycycline with isotretinoin, safe?", ["isotretinoin"]),
        ("is doxycycline ok in someone with porphyria?", ["porphyria"]),
        ("can I give doxycycline if eGFR is 20?", []),
        ("dose of doxycycline in porphyria?", []),
    ],
)
def test_what_it_is_made_to_depend_on(question: str, found: list[str]) -> None:
    assert provisos(question) == found


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("question", "is_told"),
    [
        ("can I give doxycycline to an adult with moderate acne if he's got porphyria?", True),
        ("can I give doxycycline to an adult with moderate acne?", False),
    ],
)
def test_a_dose_does_not_read_as_yes(question: str, is_told: bool) -> None:
    publish(ACNE)
    turn: Turn = ask(question=question)
    assert turn.status == TurnStatus.ANSWERED
    lacks = [each["text"] for each in turn.warnings if each["code"] == LACK]
    assert bool(lacks) is is_told
    assert all("porphyria" in text for text in lacks)
