"""Test that a limit about the question's patient is shown before the answer."""

import pytest

from chat.caveats.limits import binds
from chat.models import ClaimKind
from chat.types import DraftClaim
from tests.chat.guidelines import ask
from tests.corpora import publish

GUIDE = """# Thrombolysis with alteplase
## Dose
Give alteplase 0.9 mg/kg to adults with acute stroke, to a maximum of 90 mg.
## Contraindications to alteplase
Do not give alteplase:
- with a treatment dose of warfarin in the last two days
- after major surgery in the last two weeks
"""


@pytest.mark.parametrize(
    ("limit", "question", "bound"),
    [
        ("Not with warfarin.", "alteplase dose, man on warfarin", True),
        ("Not with warfarin.", "alteplase dose", False),
        ("Avoid in pregnancy.", "dose in a pregnant woman", True),
        ("Avoid in pregnancy.", "dose in a woman", False),
        ("Avoid if eGFR is below 30 mL/min.", "dose, eGFR 22", True),
        ("Avoid if eGFR is below 30 mL/min.", "dose, eGFR 80", False),
        ("Not after recent neurosurgery.", "stroke after neurosurgery", True),
        ("Not in adults with porphyria.", "dose for an adult", False),
    ],
)
def test_what_the_question_names_binds(limit: str, question: str, bound: bool) -> None:
    caution = DraftClaim(limit, (), kind=ClaimKind.CAUTION)
    assert binds(caution, question, "Give alteplase 0.9 mg/kg. Stroke") is bound


@pytest.mark.django_db
def test_it_follows_the_answer_before_other_cautions() -> None:
    publish(GUIDE, population="adult")
    question = "What dose of alteplase in acute stroke, he had major surgery?"
    turn = ask(question=question)
    kinds = [claim.kind for claim in turn.claims.order_by("index")]
    assert kinds[0] == ClaimKind.ANSWER
    first = kinds.index(ClaimKind.CAUTION) + 1
    assert "major surgery" in turn.claims.get(index=first).text
