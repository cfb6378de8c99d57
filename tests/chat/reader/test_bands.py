"""Test that a row by a measured value is on a medicine for what the question is about."""

from dataclasses import replace

import pytest

from chat.evidence.quotable import quotable_units
from chat.reader.bands import without_bands_of_others
from chat.reader.choose import sifted
from tests.chat.evidence.hits import hits_for
from tests.corpora import publish

pytestmark = pytest.mark.django_db
WORMS = """# Worms and flukes
## Choice
| Parasite | First line |
| Strongyloidiasis | Ivermectin 200 micrograms/kg once |
| Leishmaniasis | Pentamidine 50 mg twice daily |
| Adults | Pentamidine 50 mg twice daily |
## Poor kidneys: pentamidine
| Creatinine clearance (mL/min) | Pentamidine dose |
| 30 to 59 | 50 mg once daily |
## Poor kidneys: ivermectin
| Creatinine clearance (mL/min) | Ivermectin dose |
| 30 to 59 | 150 micrograms/kg once |
## Strongyloidiasis in poor kidneys
| Creatinine clearance (mL/min) | Albendazole dose |
| 30 to 59 | 400 mg once |
## Fascioliasis
Give triclabendazole 10 mg/kg.
"""


def bands_for(question: str) -> list[str]:
    """Return the doses for 30 to 59 that are left for a question with such a clearance."""
    publish(WORMS)
    found = [
        replace(unit, holds_asked_number="30 to 59" in unit.text)
        for unit in quotable_units(hits_for(WORMS), "")
    ]
    left = without_bands_of_others(question, found, found)
    assert len(found) - len(left) < len(found) / 2  # no other statement is left out
    return sorted(unit.text.rpartition(": ")[2] for unit in left if unit.holds_asked_number)


PENTAMIDINE, IVERMECTIN, ALBENDAZOLE = "50 mg once daily", "150 micrograms/kg once", "400 mg once"


@pytest.mark.parametrize(
    ("question", "left"),
    [
        ("creatinine clearance is 45: strongyloidiasis first line?", [IVERMECTIN, ALBENDAZOLE]),
        ("leishmaniasis, creatinine clearance 45", [PENTAMIDINE]),
        ("fascioliasis, creatinine clearance 45", []),
        # Nothing is labelled with the topic, or a medicine is named.
        ("worms, creatinine clearance 45", [IVERMECTIN, ALBENDAZOLE, PENTAMIDINE]),
        ("adults, creatinine clearance 45", [IVERMECTIN, ALBENDAZOLE, PENTAMIDINE]),
        (
            "pentamidine in strongyloidiasis, creatinine clearance 45",
            [IVERMECTIN, ALBENDAZOLE, PENTAMIDINE],
        ),
    ],
)
def test_a_band_is_of_a_medicine_that_the_topic_has(question: str, left: list[str]) -> None:
    assert bands_for(question) == left


def test_it_is_left_out_before_statements_are_read() -> None:
    publish(WORMS)
    units = sifted("strongyloidiasis, creatinine clearance is 45", hits_for(WORMS)).units
    bands = {unit.text.rpartition(": ")[2] for unit in units if unit.holds_asked_number}
    assert bands == {IVERMECTIN, ALBENDAZOLE}
