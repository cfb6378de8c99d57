"""Test which lists are one statement."""

import pytest

from chat.evidence.quotable import quotable_units
from chat.reader.lists import with_whole_lists
from chat.types import DraftClaim, Unit
from chat.verification.verify import verify
from chat.web.statements.tables import is_verbatim
from tests.chat.evidence.hits import hits_for
from tests.corpora import publish

pytestmark = pytest.mark.django_db

QUESTION = "When is gentamicin contraindicated?"
CHOICE = "Give one of the following:\n- gentamicin 5 mg/kg\n- amikacin 15 mg/kg"
JOINED = "Gentamicin is given with:\n- a normal hearing test and\n- a normal creatinine"
APART = "Gentamicin doses:\n- 5 mg/kg in adults\n- 7 mg/kg in sepsis"


def wholes(text: str, wanted: str) -> list[Unit]:
    """Return the units that hold `wanted`, after their lists were joined."""
    publish(f"# Gentamicin\n{text}\nA paragraph after it.")
    found = [unit for unit in quotable_units(hits_for(QUESTION), QUESTION) if wanted in unit.text]
    assert found
    return with_whole_lists(found)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [(CHOICE, "amikacin"), (CHOICE, "5 mg/kg"), (JOINED, "hearing"), (JOINED, "creatinine")],
)
def test_items_that_hold_together_are_shown_together(text: str, wanted: str) -> None:
    [whole] = wholes(text, wanted)
    for line in text.splitlines():
        assert line.removeprefix("- ") in whole.text
    [verdict] = verify([DraftClaim(whole.text, whole.quotes)])
    assert verdict.supported, verdict


def test_an_item_that_stands_for_itself_stays_alone() -> None:
    [item] = wholes(APART, "in sepsis")
    assert "in adults" not in item.text


def test_a_line_that_only_announces_brings_its_list() -> None:
    units = wholes(APART, "Gentamicin doses:")
    assert [unit.text.count("mg/kg") for unit in units] == [2]


def test_a_list_goes_on_over_a_pages_end() -> None:
    publish("# Gentamicin\nGive gentamicin if:\n---\n- sepsis is suspected\n- a trough is low")
    units = [one for one in quotable_units(hits_for(QUESTION), QUESTION) if "Give" in one.text]
    [whole] = with_whole_lists(units)
    assert whole.text == "Give gentamicin if:\nsepsis is suspected\na trough is low"
    assert [quote.page for quote in whole.quotes] == [1, 2]
    assert is_verbatim(whole.text, [quote.text for quote in whole.quotes])
    [verdict] = verify([DraftClaim(whole.text, whole.quotes)])
    assert verdict.supported, verdict
