"""Rows whose bands overlap at an age or weight are shown together: one alone looks certain."""

import pytest

from tests.chat.guidelines import ask
from tests.corpora import publish

pytestmark = pytest.mark.django_db
SHOTS = """# Anaphylaxis in children

## Intramuscular zelenaline

| Age | Zelenaline |
| --- | --- |
| Over 12 years | 500 micrograms |
| 6 to 12 years | 300 micrograms |
| 6 months to 6 years | 150 micrograms |
| Under 6 months | 100 micrograms |
"""


@pytest.mark.parametrize(
    ("question", "doses"),
    [
        ("Which dose of intramuscular zelenaline in anaphylaxis for a child of 6 years?",
         ["300", "150"]),
        ("Which dose of intramuscular zelenaline in anaphylaxis for a child of 8 years?", ["300"]),
        ("Which dose of intramuscular zelenaline in anaphylaxis for a child of 2 years?", ["150"]),
    ],
)  # fmt: skip
def test_all_rows_that_hold_the_age_are_shown(question: str, doses: list[str]) -> None:
    publish(SHOTS, population="")
    turn = ask(question=question)
    shown = [claim.text for claim in turn.claims.order_by("index")]
    assert sorted(text.split("Zelenaline: ")[1][:3] for text in shown) == sorted(doses)
