"""A row that is longer than a passage is found by any part of it, and quoted whole."""

import pytest

from chat.evidence.quotable import quotable_units
from chat.models import Channel
from tests.chat.evidence.hits import hits_for
from tests.chat.guidelines import ask
from tests.corpora import publish

pytestmark = pytest.mark.django_db

NAMES = ("Aximycin", "Bexamycin", "Coximycin", "Daxicillin", "Eximycin", "Fexicillin", "Gaxicillin")
DOSES = " ".join(
    f"{name}: 3 months to 11 months, {n}1 mg twice a day for 3 days, 1 year to 4 years, {n}2 mg"
    f" twice a day for 3 days, 5 years to 15 years, {n}3 mg twice a day for 3 days."
    for n, name in enumerate(NAMES, 1)
)
GUIDELINE = f"""# Ear infection
## Treatment
: Table 1. Antibiotics for children with an ear infection
| Treatment | Antibiotic, dosage and course length |
| Second choices, if there is no improvement | {DOSES} |
| Third choice | Ask the microbiologist. |
"""


@pytest.mark.parametrize("name", [NAMES[0], NAMES[3], NAMES[-1]])
def test_whatever_part_is_asked_for_the_row_answers(name: str) -> None:
    document = publish(GUIDELINE)
    of_row = [chunk for chunk in document.chunks.all() if " mg twice a day" in chunk.text]
    assert len(of_row) > 1
    assert all(chunk.statements.filter(text__contains=DOSES).exists() for chunk in of_row)
    question = f"What is the dose of {name.lower()} for a child of 6 years with an ear infection?"
    units = [unit for unit in quotable_units(hits_for(question), question) if DOSES in unit.text]
    assert len(units) == 1  # once, though each passage has it
    turn = ask(None, question, channel=Channel.COMMAND)
    assert turn.status == "answered", turn.reason
    claim = turn.claims.order_by("index")[0]
    assert f"{name}: 3 months" in claim.text
    assert all(c.quote in document.pages.get().text for c in claim.citations.all())
