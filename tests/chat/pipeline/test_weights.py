"""Test weights as they are typed, from upload to answer: the next row is the wrong dose."""

import datetime
from collections.abc import Iterator

import pytest

from chat.ask import turn_ask
from chat.models import Channel
from chat.types import AskedQuestion
from corpus.services.indexing import document_index
from corpus.services.lifecycle import document_approve
from tests.chat.storing import Storing
from tests.corpus.documents import ingest

pytestmark = pytest.mark.django_db

CELLS = "<tr><td>{}</td><td>{}</td></tr>"
TABLE = [("under 1 kg", "12 mg"), ("1-2 kg", "18 mg"), ("over 2 kg", "24 mg")]
GUIDELINES = {
    "phenobarbital.html": "<h1>Phenobarbital in neonates</h1><p>Give phenobarbital by weight:</p>"
    "<table><tr><th>Weight</th><th>Dose of phenobarbital</th></tr>"
    + "".join(CELLS.format(*row) for row in TABLE)
    + "</table>",
    "caffeine.md": """# Caffeine citrate in preterm babies

Give caffeine citrate by birth weight:

| Birth weight (g) | Dose of caffeine citrate |
|---|---|
| under 1000 | 11 mg |
| 1000 to 1499 | 21 mg |
| 1500 to 2499 | 31 mg |
""",
    "amikacin.md": """# Amikacin in neonates

Give amikacin by weight:

- under 1000 g: 13 mg
- 1 to 2 kg: 15 mg
- over 2 kg: 35 mg
- maximum 40 mg a day
""",
    "enoxaparin.md": """# Enoxaparin in adults

## Dose by weight

* 50 to 77.9 kg - give 40 mg once daily
* 78 kg and over - give 60 mg once daily
""",
    "gentamicin.md": """# Gentamicin in adults

Give gentamicin by creatinine clearance (mL/min):

1. Below 30: 80 mg
2. 30 to 59: 160 mg
3. 60 and over: 240 mg
""",
}
PHENOBARBITAL = {
    "12 mg": ["999 g", "0.9 kg", "0kg9", "2 lb 3 oz", "750 gram"],
    "18 mg": ["1 kg", "1000g", "1500 g", "1,500 g", "1kg5", "1 kg 500", "2000 g", "4 lb 6 oz"],
    "24 mg": ["2001 g", "2240 g", "2 240 g", "4 lb 15 oz", "4lb15", "4 pounds and 15 ounces",
              "2kg3", "2 kg 300 g", "two and a half kilo", "4lbs 15½oz"],
}  # fmt: skip
CASES = [
    *(("phenobarbital", "neonate", w, dose) for dose, ws in PHENOBARBITAL.items() for w in ws),
    ("caffeine citrate", "preterm baby", "999 g", "11 mg"),
    ("caffeine citrate", "preterm baby", "1.2 kg", "21 mg"),
    ("caffeine citrate", "preterm baby", "3 lb 4 oz", "21 mg"),  # 1474 g
    ("caffeine citrate", "preterm baby", "1500 g", "31 mg"),
    ("caffeine citrate", "preterm baby", "2kg6", ""),
    ("amikacin", "neonate", "999 g", "13 mg"),
    ("amikacin", "neonate", "1 kg", "15 mg"),
    ("amikacin", "neonate", "1.5 kg", "15 mg"),
    ("amikacin", "neonate", "2000 g", "15 mg"),
    ("amikacin", "neonate", "2kg1", "35 mg"),
    ("enoxaparin", "adult", "12 st 4 lb", "60 mg"),  # 78.02 kg
    ("enoxaparin", "adult", "12st4", "60 mg"),
    ("enoxaparin", "adult", "12 stone 3", "40 mg"),
    ("enoxaparin", "adult", "49 kg", ""),
    ("gentamicin", "adult with a creatinine clearance of", "30 mL/min", "160 mg"),
    ("gentamicin", "adult with a creatinine clearance of", "29 mL/min", "80 mg"),
]


@pytest.fixture(scope="module", autouse=True)
def _corpus(storing: Storing) -> Iterator[None]:
    with storing(_publish):
        yield


def _publish() -> None:
    for filename, text in GUIDELINES.items():
        document = ingest(text, filename)
        while document_index(document.pk):
            pass
        document.refresh_from_db()
        assert document.job.last_error == ""
        document_approve(document, by=None, today=datetime.date(2026, 3, 1))


@pytest.mark.parametrize(("medicine", "who", "value", "dose"), CASES)
def test_a_weight_takes_its_row_or_item(medicine: str, who: str, value: str, dose: str) -> None:
    asked = f"{who} {value}" if who.endswith("of") else f"{value} {who}"
    question = f"What is the dose of {medicine} for a {asked}?"
    turn = turn_ask(AskedQuestion(question, user=None, channel=Channel.COMMAND))
    shown = [claim.text for claim in turn.claims.all()]
    assert [dose in text for text in shown] == [True] * bool(dose), shown
